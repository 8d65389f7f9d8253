/* SPDX-License-Identifier: GPL-2.0 */
/* Tracing: from definitions to lines, and nothing left behind. */
#ifndef _USERSPACE_TRACE_H
#define _USERSPACE_TRACE_H

#include <stdio.h>

#include "host/library.h"
#include "probe/definition.h"
#include "types.h"

struct error;
struct options;

/**
 * struct trace - a run of the tracer
 * @options: of the command line
 * @out: where events are written
 * @dir: the control directory
 * @group: group of events that were given none
 * @defs: the events
 * @n: number of @defs
 * @defined: how many of them the tracer's directory has
 * @session: the session that they are in instead, -1 without one
 * @filters: of each of the events, as the tracer takes them; none without one
 * @shown: events that were printed
 * @lost: events that the buffer had no room for
 * @foreign: events of other users of the tracer
 * @unwanted: events of tasks that were not asked for
 * @unknown: events that could not be attributed to a process
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
};

struct error *trace_define(struct trace *trace);
struct error *trace_run(struct trace *trace);
void trace_remove(struct trace *trace);
const char *trace_group(const struct trace *trace, const struct definition *def);

#endif /* _USERSPACE_TRACE_H */
