/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The utask: state of one task (thread) that hits probes.  It has the parts of a hit that are
 * deferred to task context, and the state for signals.
 *
 * A utask is created when the task first needs one, mostly at a hit.  It is freed when the task
 * exits.  Only the task itself accesses it: in the trap, in task work, or in the kernel's fork,
 * exec and exit paths.  There are three exceptions.  release_tasks() stops the machine.  Others
 * read @mm and @fork.mark (fork_mark.c), and compare the sites that a utask names (reclaim.c).
 *
 * The table of utasks is read under RCU, and changed under a raw spinlock.
 */
#ifndef _UPROBES_TASK_H
#define _UPROBES_TASK_H

#include <linux/hash.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/task_work.h>

#include "task_types.h"

extern struct task_ops task_ops;

int task_init(const struct task_ops *ops);
void task_exit(void);

/* The table of utasks.  Read under RCU, changed under utasks_lock (task.c). */
extern struct hlist_head *utasks;
extern unsigned int utask_bits;

static inline struct hlist_head *utask_bucket(const struct task_struct *task)
{
	return &utasks[hash_ptr(task, utask_bits)];
}

/**
 * utask_own() - look up the utask of the current task, for the trap
 *
 * Context: RCU read side.
 * Return: the utask or NULL.
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

/* utask_get() for forks and mappings.  Tests can make these calls fail separately. */
#ifndef utask_get_aside
#define utask_get_aside(task)	utask_get(task)
#endif

void utask_drop(struct utask *utask);
void utask_free(struct utask *utask);
void utask_for_each(void (*fn)(struct utask *utask, void *data), void *data);

/*
 * Task work that has begun, and that has ended, counted on each CPU.  Only the sums over all CPUs
 * have a meaning.  So a hit writes to no memory that CPUs share.
 */
struct work_account {
	unsigned long begun;
	unsigned long ended;
};

DECLARE_PER_CPU(struct work_account, work_account);

/**
 * task_work_begin() - queue a function that a task runs before it runs user code
 * @task: the current task, one that does not run yet, or one that is interrupted afterwards
 * @work: the work, which must stay until @fn is called
 * @fn: the function, which must call task_work_end() last
 *
 * Context: any, the trap included.
 * Return: 0, or -ESRCH if the task will not run any more work.
 */
static inline int task_work_begin(struct task_struct *task, struct callback_head *work,
				  task_work_func_t fn)
{
	int ret;

	init_task_work(work, fn);
	this_cpu_inc(work_account.begun);
	/* Pairs with task_work_drain(): the work may end on another CPU at once. */
	smp_wmb();
	ret = task_work_add(task, work, TWA_NONE);
	/* As TWA_RESUME, without interrupting: the task is on its way to user code anyway. */
	if (likely(!ret))
		set_tsk_thread_flag(task, TIF_NOTIFY_RESUME);
	else
		this_cpu_inc(work_account.ended);
	return ret;
}

/* Count the end of work that task_work_begin() has queued.  Context: any. */
static inline void task_work_end(void)
{
	this_cpu_inc(work_account.ended);
}

void task_work_drain(void);

/**
 * utask_defer() - defer the rest of a hit to task context
 * @utask: utask of the current task
 * @what: the parts to defer, HIT_*
 *
 * Context: the trap.
 * Return: 0, or -ESRCH if the task will not run user code again.
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
 * utask_work_done() - free the utask of an exited task, after its last work has run
 * @utask: the utask, with the queued flag of the work cleared; may be freed here
 *
 * Context: the task itself.
 */
static inline void utask_work_done(struct utask *utask)
{
	if (unlikely(utask->exited) && !utask->hit.queued && !utask->map.queued &&
	    !utask->copied.queued && !utask->erase.queued && !utask->forbid.queued &&
	    !utask->fault.queued && !utask->asking.site && !utask->refill.queued)
		utask_free(utask);
}

#endif /* _UPROBES_TASK_H */
