// SPDX-License-Identifier: GPL-2.0
#include "unit_line.h"

#include <stdio.h>
#include <string.h>

#include "units.h"
#include "util/utf8.h"
#include "util/util.h"

/* Room for a line without its values, for a value with its name, and for a byte of a string. */
#define LINE	320
#define VALUE	64
#define BYTE	4

static const char *format_of(const struct unit_arg *arg)
{
	return arg->form == 's' ? " %s=%lld" : arg->form == 'x' ? " %s=0x%llx" : " %s=%llu";
}

/* Write a character of a program, as the module does it.  Return the end. */
static char *put_character(char *at, const unsigned char *c, size_t len)
{
	static const char letters[] = "\tt\nn\rr";
	bool control = len == 2 ? c[0] == 0xc2 && c[1] < 0xa0 :
				  len == 1 && (c[0] < 0x20 || (c[0] >= 0x7f && c[0] < 0xa0));
	const char *letter = c[0] ? strchr(letters, c[0]) : NULL;

	if (!control) {
		memcpy(at, c, len);
		return at + len;
	}
	if (letter)
		return at + sprintf(at, "\\%c", letter[1]);
	for (size_t i = 0; i < len; i++)
		at += sprintf(at, "\\x%02x", c[i]);
	return at;
}

static char *put_string(char *at, const struct unit_hit *hit, const struct unit_arg *arg)
{
	const unsigned char *bytes;
	size_t len, n;

	bytes = (const unsigned char *)unit_string(hit, arg, &len);
	at += sprintf(at, " %s=\"", arg->name);
	for (size_t i = 0; i < len; i += n) {
		n = utf8_len(bytes + i, len - i) ?: 1;
		at = put_character(at, bytes + i, n);
	}
	return at + sprintf(at, len < arg->room ? "\"" : "\"...");
}

/* Get the room that a line with the values of an event needs. */
static size_t line_room(const struct unit_event *event)
{
	size_t room = LINE;

	for (size_t i = 0; i < event->n; i++)
		room += VALUE + BYTE * event->args[i].room;
	return room;
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
	size_t room = line_room(event), len;
	char *at;

	if (*cap < room) {
		*cap = room;
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
	at = *buf + len;
	for (const struct unit_arg *arg = event->args; arg < event->args + event->n; arg++) {
		if (arg->form)
			at += snprintf(at, VALUE, format_of(arg), arg->name,
				       (unsigned long long)unit_value(hit, arg));
		else
			at = put_string(at, hit, arg);
	}
	return *buf;
}
