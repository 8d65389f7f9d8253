// SPDX-License-Identifier: GPL-2.0
/*
 * Looking at tasks before the kernel looks at their restartable sequences.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/workqueue.h>

#include "compat.h"
#include "ksym.h"
#include "rseq.h"
#include "signal.h"

static int on_rseq(struct kprobe *kp, struct pt_regs *regs)
{
	if (current->mm && !(current->flags & (PF_KTHREAD | PF_EXITING)) && compat_in_rseq())
		signal_preempted(task_pt_regs(current));
	return 0;
}

static struct kprobe rseq_kprobe;

#ifdef CONFIG_DYNAMIC_FTRACE
/* Behind every task work, and in a sequence hardly ever: what a kprobe takes is too much. */
static void notrace on_rseq_call(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
				 struct ftrace_regs *fregs)
{
	if (unlikely(compat_in_rseq_now()))
		on_rseq(NULL, NULL);
}

static struct ftrace_ops rseq_ops = {
	.func = on_rseq_call,
	.flags = FTRACE_OPS_FL_PERMANENT,
};

static bool rseq_traced;

static void rseq_untrace_work(struct work_struct *work)
{
	unregister_ftrace_function(&rseq_ops);
	ftrace_free_filter(&rseq_ops);
}

static DECLARE_WORK(rseq_untrace, rseq_untrace_work);

/* Has the function called where the kprobe would be, which then can go. */
static void rseq_trace(void)
{
	unsigned long at = (unsigned long)rseq_kprobe.addr;

	if (ftrace_set_filter_ip(&rseq_ops, at, 0, 0))
		return;
	if (register_ftrace_function(&rseq_ops)) {
		ftrace_free_filter(&rseq_ops);
		return;
	}
	rseq_traced = true;
	unregister_kprobe(&rseq_kprobe);
	rseq_kprobe.symbol_name = NULL;
}

/**
 * rseq_unwatch_begin() - look at tasks no more, from a worker
 *
 * It has to wait for all tasks, as the caller has.
 *
 * Context: any; rseq_unwatch() has to follow.
 */
void rseq_unwatch_begin(void)
{
	if (rseq_traced)
		schedule_work(&rseq_untrace);
	rseq_traced = false;
}

static void rseq_untraced(void)
{
	rseq_unwatch_begin();
	flush_work(&rseq_untrace);
}
#else
static void rseq_trace(void)
{
}

void rseq_unwatch_begin(void)
{
}

static void rseq_untraced(void)
{
}
#endif

static int rseq_probe(unsigned int nr, u32 flags)
{
	int ret;

	rseq_kprobe = (struct kprobe) {
		.symbol_name = ksym_rseq_function(nr),
		.pre_handler = on_rseq,
		.flags = flags,
	};
	ret = register_kprobe(&rseq_kprobe);
	if (ret)
		rseq_kprobe.symbol_name = NULL;
	return ret;
}

/**
 * rseq_watch() - look at tasks from now on
 *
 * Of the first kprobe only the address is wanted, if all goes well.
 *
 * Context: may sleep.
 */
void rseq_watch(void)
{
	if (!rseq_probe(0, KPROBE_FLAG_DISABLED)) {
		rseq_trace();
		if (!rseq_kprobe.symbol_name || !enable_kprobe(&rseq_kprobe))
			return;
		unregister_kprobe(&rseq_kprobe);
		rseq_kprobe.symbol_name = NULL;
	}
	rseq_probe(1, 0);
}

/* Look at tasks no more.  Context: may sleep. */
void rseq_unwatch(void)
{
	rseq_untraced();
	if (rseq_kprobe.symbol_name)
		unregister_kprobe(&rseq_kprobe);
	rseq_kprobe.symbol_name = NULL;
}
