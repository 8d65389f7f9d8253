// SPDX-License-Identifier: GPL-2.0
/*
 * Correct the registers of tasks before the kernel checks their restartable sequences.
 *
 * The kernel looks after every task work, but a task is hardly ever in such a sequence.  The cost
 * of being called there is part of each hit in task context.  The cheapest hook is a call from
 * the function's own ftrace site, then a call through ftrace, then a kprobe.  Each hook is
 * installed before the one before it is removed.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/workqueue.h>

#include "rseq.h"
#include "base/compat.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "trap/signal.h"

static int on_rseq(struct kprobe *kp, struct pt_regs *regs)
{
	if (current->mm && !(current->flags & (PF_KTHREAD | PF_EXITING)) && compat_in_rseq())
		signal_preempted(task_pt_regs(current));
	return 0;
}

static struct kprobe rseq_kprobe;

#ifdef CONFIG_DYNAMIC_FTRACE
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

/*
 * Set once, by rseq_watch(), under the lock of its caller.  Cleared at unload.  Never set again: an
 * ftrace_ops whose filter was freed must not be registered again.
 */
static bool rseq_traced;

#if defined(CONFIG_DYNAMIC_FTRACE_WITH_DIRECT_CALLS) && \
	__has_attribute(__no_caller_saved_registers__)
static struct ftrace_ops rseq_direct;

/* Preemption off, as in a kprobe: else the scheduler would have on_rseq() called once more. */
static noinline __no_caller_saved_registers void rseq_entered_in_sequence(void)
{
	preempt_disable();
	on_rseq(NULL, NULL);
	preempt_enable();
}

/*
 * Called by the kernel's function before its first instruction, with the arguments of that
 * function in registers.  Must not sleep: ftrace waits for tasks in here by RCU tasks.
 */
static notrace __no_caller_saved_registers void rseq_entered(void)
{
	if (unlikely(compat_in_rseq_now()))
		rseq_entered_in_sequence();
}

static bool rseq_call(unsigned long at)
{
	if (ftrace_set_filter_ip(&rseq_direct, at, 0, 0))
		return false;
	if (compat_ftrace_direct(&rseq_direct, (unsigned long)rseq_entered)) {
		ftrace_free_filter(&rseq_direct);
		return false;
	}
	/* The registration has overwritten the flags. */
	rseq_direct.flags |= FTRACE_OPS_FL_PERMANENT;
	return true;
}

static void rseq_uncall(void)
{
	compat_ftrace_no_direct(&rseq_direct, (unsigned long)rseq_entered);
	ftrace_free_filter(&rseq_direct);
}
#else
static bool rseq_call(unsigned long at)
{
	return false;
}

static void rseq_uncall(void)
{
}
#endif

/* The kernel's function calls rseq_entered() itself; valid if rseq_traced. */
static bool rseq_called;

static void rseq_untrace_work(struct work_struct *work)
{
	if (rseq_called) {
		rseq_uncall();
	} else {
		unregister_ftrace_function(&rseq_ops);
		ftrace_free_filter(&rseq_ops);
	}
}

static DECLARE_WORK(rseq_untrace, rseq_untrace_work);

/* Replace the kprobe by a call through ftrace, or directly, at the same address. */
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
	rseq_called = rseq_call(at);
	if (rseq_called) {
		unregister_ftrace_function(&rseq_ops);
		ftrace_free_filter(&rseq_ops);
	}
	unregister_kprobe(&rseq_kprobe);
	rseq_kprobe.symbol_name = NULL;
}

/**
 * rseq_unwatch_begin() - start to remove the call through ftrace, in a worker
 *
 * The removal has to wait for all tasks, and so has the caller: the two waits overlap.
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
 * rseq_watch() - start to look at tasks
 *
 * If all goes well, the first kprobe only provides the address.  If tasks cannot be looked at, the
 * kernel log says so.  A kernel without such a function has no restartable sequences.
 *
 * Context: may sleep.
 */
void rseq_watch(void)
{
	int ret = rseq_probe(0, KPROBE_FLAG_DISABLED);

	if (!ret) {
		rseq_trace();
		if (!rseq_kprobe.symbol_name)
			return;
		ret = enable_kprobe(&rseq_kprobe);
		if (!ret) {
			hooks_watch(&rseq_kprobe);
			return;
		}
		unregister_kprobe(&rseq_kprobe);
		rseq_kprobe.symbol_name = NULL;
	}
	if (ret == -ENOENT)
		ret = rseq_probe(1, 0);
	if (!ret)
		hooks_watch(&rseq_kprobe);
	else if (ret != -ENOENT)
		pr_warn("a kprobe failed, error %d: restartable sequences that are interrupted in slots are not aborted\n",
			ret);
}

/* Stop looking at tasks.  Context: may sleep. */
void rseq_unwatch(void)
{
	rseq_untraced();
	if (rseq_kprobe.symbol_name)
		unregister_kprobe(&rseq_kprobe);
	rseq_kprobe.symbol_name = NULL;
}
