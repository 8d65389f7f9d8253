/* SPDX-License-Identifier: GPL-2.0 */
/* Read the hits of a session as units (uprobes/units.h). */
#ifndef _USERSPACE_UNITS_H
#define _USERSPACE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <uprobes/units.h>

#include "types.h"

/**
 * struct unit_arg - an argument of an event
 * @name: its name
 * @index: number of its value in a hit; -1 for the address
 * @bits: size of its type, in bits
 * @shift: number of lower bits of the value that are not part of it
 * @form: 'u', 's' or 'x', as in its type; 0 for a string
 * @room: of a string: number of bytes that it has at most
 */
struct unit_arg {
	char *name;
	int index;
	unsigned int bits;
	unsigned int shift;
	char form;
	unsigned int room;
};

/**
 * struct unit_event - an event whose hits can be in blocks
 * @name: its name; NULL if there is none with this id
 * @args: its arguments
 * @n: number of @args
 * @cap: capacity of @args
 */
struct unit_event {
	char *name;
	struct unit_arg *args;
	size_t n;
	size_t cap;
};

/**
 * struct unit_hit - a hit
 * @block: the block that it is in
 * @event: its event
 * @time: its time, in nanoseconds
 * @addr: the probed address
 * @values: the values
 * @n: number of @values
 */
struct unit_hit {
	const struct uprobes_unit_block *block;
	const struct unit_event *event;
	u64 time;
	u64 addr;
	const u64 *values;
	unsigned int n;
};

/**
 * struct units - the units of a session
 * @fd: the session
 * @lines: called for the lines of a record, which end in NUL
 * @hit: called for a hit in a block
 * @lost: called when hits were lost
 * @data: for these
 * @events: events by their ids
 * @nr_events: number of @events
 * @queues: units that were read and not handled, by processor
 * @nr_queues: number of @queues
 * @buf: what has been read, @len bytes
 * @len: see @buf
 * @cap: room in @buf
 *
 * Hits are handled in the order of their times, whatever processors they were on.
 */
struct units {
	int fd;
	void (*lines)(void *data, char *lines);
	void (*hit)(void *data, const struct unit_hit *hit);
	void (*lost)(void *data, u64 lost);
	void *data;
	struct unit_event *events;
	size_t nr_events;
	struct unit_queue *queues;
	size_t nr_queues;
	char *buf;
	size_t len;
	size_t cap;
};

ssize_t units_read(struct units *units);
void units_flush(struct units *units);
void units_free(struct units *units);
u64 unit_value(const struct unit_hit *hit, const struct unit_arg *arg);
const char *unit_string(const struct unit_hit *hit, const struct unit_arg *arg, size_t *len);

#endif /* _USERSPACE_UNITS_H */
