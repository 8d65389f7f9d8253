/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is kept for a task (a thread) that hits probes: the hit that its
 * sleepable handlers are still to see, and what it does about signals.
 *
 * A utask is made at the task's first hit that needs one and goes when the
 * task exits.  It is the task's own: only the task itself touches it, in the trap, in task
 * work, or in the kernel's fork, exec and exit paths.  The exception is release_tasks(),
 * which stops the machine.  Others read @copied (inherit.c).
 * The table in which utasks are found is read under RCU and changed under a raw
 * spinlock.
 */
#ifndef _UPROBES_TASK_H
#define _UPROBES_TASK_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/task_work.h>

#include "arch.h"

struct consumer;
struct consumer_set;
struct site;
struct uret_instance;

#define SIGNAL_MAX_RESUMPTIONS	8

/**
 * struct resumption - a hit that has been handled and whose instruction has not
 *	been executed
 * @site: where
 * @sp: stack pointer
 * @digest: of the other registers, as a signal handler that returns restores
 *	them; not looked at when @restart
 * @restart: a system call that the kernel restarts, with other registers
 * @handler: a signal handler runs meanwhile: the task comes back here by the
 *	return from it, or not at all
 */
struct resumption {
	struct site *site;
	unsigned long sp;
	u64 digest;
	bool restart;
	bool handler;
};

/* What a trap leaves to task context. */
#define HIT_ENTRY	BIT(0)	/* the sleepable handlers of the site */
#define HIT_PREPARE	BIT(1)	/* return instances could not be made in the trap */
#define HIT_RETURN	BIT(2)	/* handlers of utask::hit.returning */
#define HIT_TASK_HANDLERS	BIT(3)	/* atomic handlers have asked for task context */
#define HIT_IN_PLACE	BIT(4)	/* the task cannot execute the site out of line */
#define HIT_ONE		BIT(5)	/* the handler of utask::hit.only, and nothing else */
#define HIT_SEARCH	BIT(6)	/* the call that the task has returned from is to be looked for */

/**
 * struct copy_mark - what an address space was like when it was copied
 * @removals: probed_mm::sites.removals then, or 0 when that is not known
 * @slots: probed_mm::areas.slots_written then; 0 when that is not known
 * @ref_changes: probed_mm::counters.changes then; 0 when there was no image, or no copy is made
 */
struct copy_mark {
	u32 removals;
	u32 slots;
	u64 ref_changes;
};

/**
 * struct utask - state of one task
 * @node: in the table, keyed by @task
 * @task: whose it is; no reference, the task outlives it
 * @mm: address space of @task, since this was made or since its exec; no reference, not
 *	to be followed
 * @hit: the hit that task context has to go on with
 * @hit.work: runs task_ops::hit_work
 * @hit.queued: @hit.work is on its way
 * @hit.in_handler: a handler that may sleep is running
 * @hit.shared: the trap has been passed on to another whose breakpoint it is, too;
 *	handlers that may sleep get @hit.shared_regs, the registers that it had
 * @hit.defer: what is left to do for it, HIT_*
 * @hit.site: where it was
 * @hit.only: the consumer that it is for, with a reference of consumer::run.active, when
 *	@hit.defer is HIT_ONE
 * @hit.handlers: the set of which @hit.handler_mask speaks, with a reference
 * @hit.handler_mask: consumers whose task handlers are to be called
 * @hit.returning: instances whose sleepable handlers are to be called
 * @hit.shared_regs: valid with @hit.shared and @hit.queued
 * @step: the instruction that the task is stepping over
 * @step.site: its site, or NULL
 * @step.state: what has to be remembered meanwhile
 * @signals: what signals and tracers are to see
 * @signals.noticed: the kernel is about to look at signals, once @hit.work is done
 * @signals.looked: the kernel has been seen to look at the task's signals
 * @signals.delayed: the site through whose slot the task is going while its signals are
 *	delayed, under a TF of ours, or NULL; the slot of @step.site is under one anyway
 * @signals.delayed_steps: with @signals.delayed, instructions that it has executed meanwhile
 * @signals.delays: how often signals have come and wait for an instruction to be executed
 * @signals.watched: with @signals.delayed, the watchpoints that a tracer is to see when signals
 *	need not wait any longer, or 0
 * @signals.nr_resumptions: number of @signals.resumptions
 * @signals.resumptions: hits that are not to be counted again, oldest first
 * @signals.returned_to: where a signal handler has returned to, SIGNAL_ANYWHERE, or 0; of use
 *	until the next hit
 * @signals.unwound: site of the system call that a tracer has been shown
 * @passed_on: a trap that was passed on to a tracer
 * @passed_on.site: the site of the last one while there was a tracer, or NULL
 * @passed_on.told: the same when the tracer has been told of it, until the next hit
 * @passed_on.sp: the stack pointer with @passed_on.site
 * @map: what the task has mapped
 * @map.work: attaches file probes to it
 * @map.queued: @map.work is on its way
 * @map.moves: the task is in mremap() of probed text
 * @copied: a breakpoint that nobody knows
 * @copied.work: looks whether it is in a copy of probed text
 * @copied.queued: @copied.work is on its way
 * @copied.at: where it looks; when it has found nothing, until the breakpoint there traps
 *	again
 * @fork: from when the task copies its address space until it reports its fork (fork.c)
 * @fork.mark: what the address space was like
 * @fork.calls: its calls (calls.h); for the child
 * @fork.copied_to: how far the task has come in its address space
 * @refill: another state for the reserve, which the program is charged for
 * @refill.work: allocates it
 * @refill.queued: @refill.work is on its way
 * @exited: the task has exited; the last queued work frees this
 * @rcu: for the table
 */
struct utask {
	struct hlist_node node;
	struct task_struct *task;
	struct mm_struct *mm;
	struct {
		struct callback_head work;
		bool queued;
		bool in_handler;
		bool shared;
		unsigned int defer;
		struct site *site;
		struct consumer *only;
		struct consumer_set *handlers;
		u64 handler_mask;
		struct uret_instance *returning;
		struct pt_regs shared_regs;
	} hit;
	struct {
		struct site *site;
		struct ssol_step state;
	} step;
	struct {
		bool noticed;
		bool looked;
		struct site *delayed;
		unsigned int delayed_steps;
		unsigned int delays;
		unsigned long watched;
		unsigned int nr_resumptions;
		struct resumption resumptions[SIGNAL_MAX_RESUMPTIONS];
		unsigned long returned_to;
		struct site *unwound;
	} signals;
	struct {
		struct site *site;
		struct site *told;
		unsigned long sp;
	} passed_on;
	struct {
		struct callback_head work;
		bool queued;
		bool moves;
	} map;
	struct {
		struct callback_head work;
		bool queued;
		unsigned long at;
	} copied;
	struct {
		struct copy_mark mark;
		struct uret_instance *calls;
		unsigned long copied_to;
	} fork;
	struct {
		struct callback_head work;
		bool queued;
	} refill;
	bool exited;
	struct rcu_head rcu;
};

/* What a hit in task context reads and writes. */
static_assert(offsetofend(struct utask, hit.only) <= 2 * 64);

/**
 * struct task_ops - what is done for a task further up
 * @hit_work: runs the rest of a hit: utask::hit.work
 * @release: the state is going to be freed: drop what it holds; called from RCU's softirq
 */
struct task_ops {
	task_work_func_t hit_work;
	void (*release)(struct utask *utask);
};

extern struct task_ops task_ops;

int task_init(const struct task_ops *ops);
void task_exit(void);

/* Read under RCU, changed under a lock of task.c. */
extern struct hlist_head *utasks;
extern unsigned int utask_bits;

static inline struct hlist_head *utask_bucket(const struct task_struct *task)
{
	return &utasks[hash_ptr(task, utask_bits)];
}

/**
 * utask_own() - the state of the current task, for the trap
 *
 * Context: RCU read side.
 * Return: the state or NULL.
 */
static __always_inline struct utask *utask_own(void)
{
	struct task_struct *task = current;
	struct utask *utask;

	hlist_for_each_entry_rcu(utask, utask_bucket(task), node) {
		if (likely(utask->task == task))
			return utask;
	}
	return NULL;
}

struct utask *utask_find(struct task_struct *task);
struct utask *utask_get(struct task_struct *task);

/* The same for what forks and mappings do, which tests have fail by itself. */
#ifndef utask_get_aside
#define utask_get_aside(task)	utask_get(task)
#endif

void utask_drop(struct utask *utask);
void utask_free(struct utask *utask);
void utask_for_each(void (*fn)(struct utask *utask, void *data), void *data);

/*
 * Work that has begun, and work that has ended, on each CPU; only the sums mean
 * something.  Nothing is shared between CPUs on the way of a hit.
 */
struct work_account {
	unsigned long begun;
	unsigned long ended;
};

DECLARE_PER_CPU(struct work_account, work_account);

/**
 * task_work_begin() - have a task run a function before it runs user code
 * @task: the current task, or one that does not run yet
 * @work: stays until @fn is called
 * @fn: calls task_work_end() as the last thing
 *
 * Context: any, the trap included.
 * Return: 0, or -ESRCH when the task is past running any work.
 */
static inline int task_work_begin(struct task_struct *task, struct callback_head *work,
				  task_work_func_t fn)
{
	int ret;

	init_task_work(work, fn);
	this_cpu_inc(work_account.begun);
	/* It may end on another CPU at once. */
	smp_wmb();
	ret = task_work_add(task, work, TWA_NONE);
	/* As TWA_RESUME, without interrupting: it is on its way to user code anyway. */
	if (likely(!ret))
		set_tsk_thread_flag(task, TIF_NOTIFY_RESUME);
	else
		this_cpu_inc(work_account.ended);
	return ret;
}

/* Work begun with task_work_begin() has ended.  Context: any. */
static inline void task_work_end(void)
{
	this_cpu_inc(work_account.ended);
}

void task_work_drain(void);

/**
 * utask_defer() - leave the rest of a hit to task context
 * @utask: state of the current task
 * @what: HIT_*
 *
 * Context: the trap.
 * Return: 0, or -ESRCH when the task will not run user code again.
 */
static __always_inline int utask_defer(struct utask *utask, unsigned int what)
{
	int ret;

	utask->hit.defer = what;
	utask->hit.queued = true;
	ret = task_work_begin(current, &utask->hit.work, task_ops.hit_work);
	if (unlikely(ret))
		utask->hit.queued = false;
	return ret;
}

/**
 * utask_work_done() - work of a task has run
 * @utask: its state, with the work's mark cleared; may be freed
 *
 * Context: the task itself.
 */
static inline void utask_work_done(struct utask *utask)
{
	if (unlikely(utask->exited) && !utask->hit.queued && !utask->map.queued &&
	    !utask->copied.queued && !utask->refill.queued)
		utask_free(utask);
}

#endif /* _UPROBES_TASK_H */
