/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_SYNTH_PERF_H
#define _TRACER_SYNTH_PERF_H

#include <linux/align.h>
#include <linux/kconfig.h>
#include <linux/trace_events.h>
#include <linux/types.h>

#define TRACER_SYNTH_FIELDS	64	/* maximum of a synthetic event */

/* Offset of the fields.  Align it: fields are u64, and some kernels' headers end unaligned. */
#define TRACER_SYNTH_FIELDS_AT	ALIGN(sizeof(struct trace_entry), sizeof(u64))

struct pt_regs;
struct trace_event_call;
struct tracer_def;
struct tracer_perf;

#if IS_ENABLED(CONFIG_PERF_EVENTS)
struct tracer_perf *tracer_perf_hook(struct trace_event_call *call);
void tracer_perf_unhook(struct tracer_perf *hook);
void tracer_perf_exit(void);
bool tracer_perf_wanted(const struct tracer_perf *hook);
void tracer_perf_trace(const struct tracer_perf *hook, const struct tracer_def *def,
		       const u64 *values, unsigned int n, const unsigned long *strings,
		       const struct pt_regs *regs);
#else
/* Without perf, the hook is never used; it only must not be NULL. */
static inline struct tracer_perf *tracer_perf_hook(struct trace_event_call *call)
{
	return (struct tracer_perf *)call;
}

static inline void tracer_perf_unhook(struct tracer_perf *hook)
{
}

static inline void tracer_perf_exit(void)
{
}

static inline bool tracer_perf_wanted(const struct tracer_perf *hook)
{
	return false;
}

static inline void tracer_perf_trace(const struct tracer_perf *hook,
				     const struct tracer_def *def, const u64 *values,
				     unsigned int n, const unsigned long *strings,
				     const struct pt_regs *regs)
{
}
#endif

#endif /* _TRACER_SYNTH_PERF_H */
