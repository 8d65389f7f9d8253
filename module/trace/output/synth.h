/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that are published as synthetic events of tracefs, under their own names.  They
 * have a field per argument.  tracefs can use them in histograms, triggers and filters, and
 * perf can record them.
 */
#ifndef _TRACER_SYNTH_H
#define _TRACER_SYNTH_H

#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kconfig.h>
#include <linux/types.h>

#include "trace/parse/record.h"

struct pt_regs;
struct tracer_synth;

/* Events can be published if the kernel has synthetic events and UPROBES_SYNTH is y. */
#if IS_ENABLED(CONFIG_SYNTH_EVENTS) && !defined(UPROBES_NO_SYNTH)
#define TRACER_SYNTH	1
struct tracer_synth *tracer_synth_create(const struct tracer_def *def);
int tracer_synth_delete(struct tracer_synth *synth, const struct tracer_def *def);
bool tracer_synth_trace(const struct tracer_synth *synth,
			const struct tracer_def *def,
			struct tracer_record *record, size_t len,
			const struct pt_regs *regs);
void tracer_synth_exit(void);
#else
static inline struct tracer_synth *tracer_synth_create(const struct tracer_def *def)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline int tracer_synth_delete(struct tracer_synth *synth,
				      const struct tracer_def *def)
{
	return 0;
}

static inline bool tracer_synth_trace(const struct tracer_synth *synth,
				      const struct tracer_def *def,
				      struct tracer_record *record, size_t len,
				      const struct pt_regs *regs)
{
	return true;
}

static inline void tracer_synth_exit(void)
{
}
#endif

#endif /* _TRACER_SYNTH_H */
