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
struct stacks;
struct unit_hit;

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
 * @specs: the probes, as the user wrote them
 * @nr_specs: number of @specs
 * @add: adds the events of a probe to @defs, once more; NULL if replaced files are not followed
 * @handle: gets each event instead of its being printed; NULL to print them
 * @handle_hit: likewise, for hits that come in blocks; NULL if @handle gets them, too
 * @handle_frame: likewise each address of the stack of the last event, from the innermost one on
 * @finish: called after the last event, before the summary; NULL if there is nothing to do
 * @data: for @handle, @handle_frame and @finish
 * @stacks: what @handle_frame uses; NULL without it
 * @begins: the group of events that are removed before the others; NULL if there is none
 * @ending: all events are being removed; those of @begins are removed, and all of them handled
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
	char *const *specs;
	int nr_specs;
	struct error *(*add)(struct trace *trace, const char *spec);
	void (*handle)(void *data, const struct event_line *event);
	void (*handle_hit)(void *data, const struct unit_hit *hit);
	void (*handle_frame)(void *data, u64 addr);
	void (*finish)(void *data);
	void *data;
	struct stacks *stacks;
	const char *begins;
	bool ending;
	const char *what;
};

struct error *trace_run(struct trace *trace);
u64 trace_larger_buffer(u64 kb);

#endif /* _USERSPACE_TRACE_H */
