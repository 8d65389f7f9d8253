/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_RENDER_H
#define _TRACER_RENDER_H

#include <linux/types.h>

#include "trace/parse/record.h"
#include "trace/lib/text.h"

/**
 * enum tracer_option - the options of trace_options; most names are the same as in tracefs
 * @TRACER_OPT_OVERWRITE: if the buffer is full, the oldest records are overwritten;
 *	otherwise the newest are lost
 * @TRACER_OPT_CONTEXT_INFO: lines show thread, CPU, flags and time
 * @TRACER_OPT_IRQ_INFO: with @TRACER_OPT_CONTEXT_INFO, lines show the flags
 * @TRACER_OPT_RECORD_TGID: with @TRACER_OPT_CONTEXT_INFO, lines show the process, too
 * @TRACER_OPT_USERSTACKTRACE: hits record the user stack
 * @TRACER_OPT_EVENT_FORK: children of the threads in set_event_pid join them
 * @TRACER_OPT_NANOSECONDS: with @TRACER_OPT_CONTEXT_INFO, times have nine digits; tracefs has no
 *	such option
 * @TRACER_OPTIONS: number of options
 */
enum tracer_option {
	TRACER_OPT_OVERWRITE,
	TRACER_OPT_CONTEXT_INFO,
	TRACER_OPT_IRQ_INFO,
	TRACER_OPT_RECORD_TGID,
	TRACER_OPT_USERSTACKTRACE,
	TRACER_OPT_EVENT_FORK,
	TRACER_OPT_NANOSECONDS,
	TRACER_OPTIONS,
};

#define TRACER_OPTIONS_DEFAULT				\
	(1 << TRACER_OPT_OVERWRITE | 1 << TRACER_OPT_CONTEXT_INFO |	\
	 1 << TRACER_OPT_IRQ_INFO)

void tracer_render_header(struct tracer_text *t, unsigned long options);
void tracer_render(struct tracer_text *t, const struct tracer_def *def,
		   const struct tracer_seen *seen);
void tracer_render_args(struct tracer_text *t, const struct tracer_def *def,
			const struct tracer_record *record, size_t len);
void tracer_render_format(struct tracer_text *t, const struct tracer_def *def,
			  unsigned int id);
void tracer_render_def(struct tracer_text *t, const struct tracer_def *def);

#endif /* _TRACER_RENDER_H */
