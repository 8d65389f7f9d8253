// SPDX-License-Identifier: GPL-2.0
#include "unit_line.h"

#include <stdio.h>
#include <string.h>

#include "units.h"
#include "util/util.h"

/* Room for a line without its values, and for a value with its name. */
#define LINE	320
#define VALUE	64

static const char *format_of(const struct unit_arg *arg)
{
	return arg->form == 's' ? " %s=%lld" : arg->form == 'x' ? " %s=0x%llx" : " %s=%llu";
}

/**
 * unit_line() - write the line that the module would write about a hit
 * @hit: the hit
 * @with_process: as with the option record-tgid
 * @buf: memory from malloc(), or NULL; it grows
 * @cap: its size
 *
 * Return: the line, which is in @buf.
 */
char *unit_line(const struct unit_hit *hit, bool with_process, char **buf, size_t *cap)
{
	const struct uprobes_unit_block *block = hit->block;
	const struct unit_event *event = hit->event;
	u64 us = (hit->time + 500) / 1000;
	size_t len;

	if (*cap < LINE + event->n * VALUE) {
		*cap = LINE + event->n * VALUE;
		*buf = xreallocarray(*buf, *cap, 1);
	}
	len = snprintf(*buf, LINE, "%16.63s-%-7d ", block->comm, block->pid);
	if (with_process)
		len += snprintf(*buf + len, LINE - len, "(%7d) ", block->tgid);
	len += snprintf(*buf + len, LINE - len, "[%03u] %c%c.%c. %5llu.%06llu: %.64s: (0x%llx)",
			block->unit.cpu, block->flags & 1 ? 'd' : '.',
			block->flags & 4 ? 'n' : '.',
			".123456789abcdef"[block->depth & 15], (unsigned long long)us / 1000000,
			(unsigned long long)us % 1000000, event->name,
			(unsigned long long)hit->addr);
	for (size_t i = 0; i < event->n; i++)
		len += snprintf(*buf + len, VALUE, format_of(&event->args[i]), event->args[i].name,
				(unsigned long long)unit_value(hit, &event->args[i]));
	return *buf;
}
