/* SPDX-License-Identifier: GPL-2.0 */
/* Parse one line of trace_pipe. */
#ifndef _USERSPACE_EVENT_LINE_H
#define _USERSPACE_EVENT_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "types.h"

struct json;

/**
 * struct event_value - a value of an event
 * @name: its name, @name_len bytes
 * @name_len: see @name
 * @text: the value as it stands in the line, @text_len bytes
 * @text_len: see @text
 */
struct event_value {
	const char *name;
	size_t name_len;
	const char *text;
	size_t text_len;
};

/**
 * struct event_line - a line about a hit; the strings point into the line
 * @comm: name of the task, @comm_len bytes
 * @comm_len: see @comm
 * @tid: thread ID of the task
 * @pid: process ID, 0 if it is not in the line
 * @cpu: processor
 * @flags: what the tracer says of interrupts and the like, @flags_len bytes
 * @flags_len: see @flags
 * @time: time stamp, @time_len bytes
 * @time_len: see @time
 * @event: name of the event, @event_len bytes
 * @event_len: see @event
 * @addr: address of the probe; for a return, the address that it returned to
 * @func: for a return, the function's address
 * @is_return: the line is about a return, and @func is set
 * @rest: what follows the addresses, up to the end of the line: the values
 * @values: the values
 * @n: number of @values
 * @cap: capacity of @values
 */
struct event_line {
	const char *comm;
	size_t comm_len;
	pid_t tid;
	pid_t pid;
	unsigned int cpu;
	const char *flags;
	size_t flags_len;
	const char *time;
	size_t time_len;
	const char *event;
	size_t event_len;
	u64 addr;
	u64 func;
	bool is_return;
	const char *rest;
	struct event_value *values;
	size_t n;
	size_t cap;
};

bool event_line_parse(const char *line, struct event_line *event);
void event_line_free(struct event_line *event);
char *event_line_cut(const char *line, const struct event_line *event,
		     size_t max);
bool event_line_lost(const char *line, u64 *lost);
void event_line_json(const struct event_line *event, const char *name, struct json *json);

#endif /* _USERSPACE_EVENT_LINE_H */
