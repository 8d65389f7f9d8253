/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User stacks for perf and BPF, at hits that they are told of.
 *
 * Both have the kernel unwind the program's stack. The kernel knows neither the module's return
 * probes, whose trampoline it would show, nor that a function which has just been entered has no
 * frame. What it has found is replaced by what the option userstacktrace would show.
 */
#ifndef _TRACER_CALLCHAIN_H
#define _TRACER_CALLCHAIN_H

#include <linux/kconfig.h>
#include <linux/percpu-defs.h>
#include <linux/types.h>

struct pt_regs;

/**
 * struct tracer_told - a hit that others are told of
 * @regs: the program's registers
 * @entry: the probed instruction has not been executed yet
 */
struct tracer_told {
	const struct pt_regs *regs;
	bool entry;
};

#if IS_ENABLED(CONFIG_PERF_EVENTS)
DECLARE_PER_CPU(const struct tracer_told *, tracer_told);

int tracer_callchain_listen(void);
void tracer_callchain_ignore(void);
void tracer_callchain_get(void);
void tracer_callchain_put(void);
void tracer_callchain_exit(void);

/**
 * tracer_telling() - others are told of a hit from here on, on this CPU
 * @told: the hit; NULL ends it
 *
 * Context: preemption disabled, in a probe handler.
 */
static inline void tracer_telling(const struct tracer_told *told)
{
	/* An NMI looks at it as a whole. */
	barrier();
	__this_cpu_write(tracer_told, told);
	barrier();
}
#else
static inline int tracer_callchain_listen(void)
{
	return 0;
}

static inline void tracer_callchain_ignore(void)
{
}

static inline void tracer_callchain_get(void)
{
}

static inline void tracer_callchain_put(void)
{
}

static inline void tracer_callchain_exit(void)
{
}

static inline void tracer_telling(const struct tracer_told *told)
{
}
#endif

#endif /* _TRACER_CALLCHAIN_H */
