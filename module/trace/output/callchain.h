/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User stacks for perf and BPF, at hits that are reported to them.
 *
 * For both, the kernel unwinds the program's stack. The kernel does not know the module's return
 * probes, so it would show their trampoline. It does not know either that a function has no frame
 * right after its entry. The module replaces the kernel's addresses by the ones that the option
 * userstacktrace would show.
 */
#ifndef _TRACER_CALLCHAIN_H
#define _TRACER_CALLCHAIN_H

#include <linux/kconfig.h>
#include <linux/percpu-defs.h>
#include <linux/types.h>

struct pt_regs;

/**
 * struct tracer_reported - a hit that is reported to other tools
 * @regs: the program's registers
 * @entry: the probed instruction has not been executed yet
 */
struct tracer_reported {
	const struct pt_regs *regs;
	bool entry;
};

#if IS_ENABLED(CONFIG_PERF_EVENTS)
DECLARE_PER_CPU(const struct tracer_reported *, tracer_reported);

int tracer_callchain_listen(void);
void tracer_callchain_ignore(void);
void tracer_callchain_get(void);
void tracer_callchain_put(void);
void tracer_callchain_exit(void);

/**
 * tracer_reporting() - set the hit that this CPU reports to other tools
 * @reported: the hit; NULL when the report is done
 *
 * Context: preemption disabled, in a probe handler.
 */
static inline void tracer_reporting(const struct tracer_reported *reported)
{
	/* An NMI must see all of @reported, and only during the report. */
	barrier();
	__this_cpu_write(tracer_reported, reported);
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

static inline void tracer_reporting(const struct tracer_reported *reported)
{
}
#endif

#endif /* _TRACER_CALLCHAIN_H */
