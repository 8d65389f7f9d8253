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
#define HIT_RETURN	BIT(2)	/* handlers of utask::returning */
#define HIT_TASK_HANDLERS	BIT(3)	/* atomic handlers have asked for task context */
#define HIT_IN_PLACE	BIT(4)	/* the task cannot execute the site out of line */
#define HIT_ONE		BIT(5)	/* the handler of utask::only, and nothing else */
#define HIT_SEARCH	BIT(6)	/* the call that the task has returned from is to be looked for */

/**
 * struct copy_mark - what an address space was like when it was copied
 * @removals: probed_mm::removals then, or 0 when that is not known
 * @slots: probed_mm::slots_written then; 0 when that is not known
 * @ref_changes: probed_mm::ref_changes then; 0 when there was no image, or no copy is made
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
 * @made_work: puts another one into the reserve, which the program is charged for
 * @made_queued: @made_work is on its way
 * @hit_work: runs the sleepable handlers of the hit
 * @hit_queued: @hit_work is on its way
 * @site: where the hit was
 * @only: the consumer that it is for, with a reference of consumer::active, when
 *	@defer is HIT_ONE
 * @defer: what is left to do for it, HIT_*
 * @task_handlers_set: the set of which @task_handlers_mask speaks, with a reference
 * @task_handlers_mask: consumers whose task handlers are to be called for the hit
 * @shared: the trap has been handed on to another whose breakpoint it is, too;
 *	handlers that may sleep get @shared_regs, the registers that it had
 * @shared_regs: valid with @shared and @hit_queued
 * @handing: the site of the last trap that was handed on while there was a tracer, or NULL
 * @handed: the same when the tracer has been told of it, until the next hit
 * @handed_sp: the stack pointer with @handing
 * @in_handler: a handler that may sleep is running
 * @signalled: the kernel is about to look at signals, once @hit_work is done
 * @looked: the kernel has been seen to look at the task's signals
 * @stepping: the site whose instruction the task is stepping over, or NULL
 * @step: what has to be remembered meanwhile
 * @held: the site through whose slot the task is going while its signals wait, under a
 *	TF of ours, or NULL; the slot of @stepping is under one anyway
 * @held_steps: with @held, how many instructions it has executed meanwhile
 * @holds: how often signals have come and wait for an instruction to be executed
 * @watched: with @held, the watchpoints that a tracer is to see when signals need not wait
 *	any longer, or 0
 * @resumptions: hits that are not to be counted again, oldest first
 * @nr_resumptions: how many
 * @sigreturned: where a signal handler has returned to, SIGNAL_ANYWHERE, or 0; of use
 *	until the next hit
 * @unwound: site of the system call that a tracer has been shown
 * @map_work: attaches file probes to what the task has mapped
 * @map_queued: @map_work is on its way
 * @copied_work: looks whether a breakpoint that nobody knows is in a copy of probed text
 * @copied_queued: @copied_work is on its way
 * @copied_at: where it looks; when it has found nothing, until the breakpoint there traps
 *	again
 * @copied: of use from when the task copies its address space until it reports its fork
 *	(inherit.c)
 * @moves: the task is in mremap() of probed text
 * @exited: the task has exited; the last queued work frees this
 * @copies: the calls of the address space (calls.h) when the task copied it, with @copied; for
 *	the child
 * @copied_to: with @copied, how far the task has come in its address space
 * @returning: instances whose sleepable handlers are to be called
 * @rcu: for the table
 */
struct utask {
	struct hlist_node node;
	struct task_struct *task;
	struct mm_struct *mm;
	struct callback_head made_work;
	bool made_queued;
	struct callback_head hit_work;
	bool hit_queued;
	struct site *site;
	struct consumer *only;
	unsigned int defer;
	struct consumer_set *task_handlers_set;
	u64 task_handlers_mask;
	bool shared;
	struct pt_regs shared_regs;
	struct site *handing;
	struct site *handed;
	unsigned long handed_sp;
	bool in_handler;
	bool signalled;
	bool looked;
	struct site *stepping;
	struct ssol_step step;
	struct site *held;
	unsigned int held_steps;
	unsigned int holds;
	unsigned long watched;
	struct resumption resumptions[SIGNAL_MAX_RESUMPTIONS];
	unsigned int nr_resumptions;
	unsigned long sigreturned;
	struct site *unwound;
	struct callback_head map_work;
	bool map_queued;
	struct callback_head copied_work;
	bool copied_queued;
	unsigned long copied_at;
	struct copy_mark copied;
	bool moves;
	bool exited;
	struct uret_instance *copies;
	unsigned long copied_to;
	struct uret_instance *returning;
	struct rcu_head rcu;
};

/**
 * struct task_ops - what is done for a task further up
 * @hit_work: runs the rest of a hit: utask::hit_work
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

	utask->defer = what;
	utask->hit_queued = true;
	ret = task_work_begin(current, &utask->hit_work, task_ops.hit_work);
	if (unlikely(ret))
		utask->hit_queued = false;
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
	if (unlikely(utask->exited) && !utask->hit_queued && !utask->map_queued &&
	    !utask->copied_queued && !utask->made_queued)
		utask_free(utask);
}

#endif /* _UPROBES_TASK_H */
