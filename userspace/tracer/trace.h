/* SPDX-License-Identifier: GPL-2.0 */
/* Tracing: define events, print their lines, and remove the events. */
#ifndef _USERSPACE_TRACE_H
#define _USERSPACE_TRACE_H

#include <stdio.h>

#include "host/library.h"
#include "probe/definition.h"
#include "types.h"

struct error;
struct event_line;
struct options;
struct runner;

/**
 * struct trace - a run of the tracer
 * @options: of the command line
 * @out: the output file for events
 * @dir: the control directory
 * @group: group of events for which the user gave none
 * @defs: the events
 * @n: number of @defs
 * @defined: number of @defs that are defined in the control directory
 * @session: the session in which @defs are defined instead, -1 without a session
 * @filters: the filter of each event in the tracer's form; empty without a filter
 * @shown: number of events that were printed
 * @lost: number of events for which the buffer had no room
 * @foreign: number of events of other users of the tracer
 * @unwanted: number of events of tasks that the user did not ask for
 * @unknown: number of events whose task could not be looked up
 * @runner: decides when to stop; NULL before trace_run()
 * @handle: gets each event instead of its being printed; NULL to print them
 * @handle_frame: likewise each address of the stack of the last event, from the innermost one on
 * @data: for @handle and @handle_frame
 * @what: if @handle is set, what the banner says of the run
 */
struct trace {
	const struct options *options;
	FILE *out;
	const char *dir;
	char *group;
	struct definition *defs;
	size_t n;
	size_t defined;
	int session;
	struct paths filters;
	u64 shown;
	u64 lost;
	u64 foreign;
	u64 unwanted;
	u64 unknown;
	struct runner *runner;
	void (*handle)(void *data, const struct event_line *event);
	void (*handle_frame)(void *data, u64 addr);
	void *data;
	const char *what;
};

struct error *trace_define(struct trace *trace);
struct error *trace_run(struct trace *trace);
void trace_remove(struct trace *trace);
void trace_print_end(const struct trace *trace);
u64 trace_larger_buffer(u64 kb);
const char *trace_group(const struct trace *trace, const struct definition *def);

#endif /* _USERSPACE_TRACE_H */
