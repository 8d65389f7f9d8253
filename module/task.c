// SPDX-License-Identifier: GPL-2.0
/*
 * The table of utasks, and the account of task work under way.
 */
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "reserve.h"
#include "task.h"

#define UTASK_BITS	10
#define UTASK_RESERVE	256

/* Read under RCU, changed under the lock. */
static struct hlist_head utasks[1 << UTASK_BITS];
static DEFINE_RAW_SPINLOCK(utasks_lock);
static struct reserve utask_reserve;

/*
 * Work begun less work ended, on each CPU; only the sum means something.
 * Nothing is shared between CPUs on the way of a hit.
 */
static DEFINE_PER_CPU(long, work_balance);

static struct hlist_head *utask_bucket(const struct task_struct *task)
{
	return &utasks[hash_ptr(task, UTASK_BITS)];
}

/**
 * utask_find() - the state of a task
 * @task: the current task, or one that cannot exit meanwhile
 *
 * Context: any, the trap included.
 * Return: the state or NULL.
 */
struct utask *utask_find(struct task_struct *task)
{
	struct utask *utask, *found = NULL;

	rcu_read_lock();
	hlist_for_each_entry_rcu(utask, utask_bucket(task), node) {
		if (utask->task == task) {
			found = utask;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

/**
 * utask_get() - the state of a task, made if it has none
 * @task: the current task, or one that does not run yet
 *
 * Context: any, the trap included.
 * Return: the state, or NULL when the reserve has run out.
 */
struct utask *utask_get(struct task_struct *task)
{
	struct utask *utask = utask_find(task);
	unsigned long flags;

	if (likely(utask))
		return utask;
	utask = reserve_take(&utask_reserve);
	if (!utask)
		return NULL;

	memset(utask, 0, sizeof(*utask));
	utask->task = task;
	utask->prune_at = RETPROBE_PRUNE_MIN;
	raw_spin_lock_irqsave(&utasks_lock, flags);
	hlist_add_head_rcu(&utask->node, utask_bucket(task));
	raw_spin_unlock_irqrestore(&utasks_lock, flags);
	return utask;
}

static void utask_free_rcu(struct rcu_head *head)
{
	struct utask *utask = container_of(head, struct utask, rcu);

	retprobe_free(utask);
	kfree(utask);
}

/* From the exit path's tracepoint, where memory cannot be freed on PREEMPT_RT. */
static void utask_free(struct utask *utask)
{
	call_rcu(&utask->rcu, utask_free_rcu);
}

/**
 * utask_drop() - the task exits
 * @utask: its state
 *
 * Work that is still queued runs nevertheless (the kernel sees to it) and
 * frees the state.
 *
 * Context: the task itself, or nobody else being able to reach it.
 */
void utask_drop(struct utask *utask)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&utasks_lock, flags);
	hlist_del_rcu(&utask->node);
	raw_spin_unlock_irqrestore(&utasks_lock, flags);
	utask->exited = true;
	utask_work_done(utask);
}

/**
 * utask_work_done() - work of a task has run
 * @utask: its state, with the work's mark cleared; may be freed
 *
 * Context: the task itself.
 */
void utask_work_done(struct utask *utask)
{
	if (unlikely(utask->exited) && !utask->hit_queued && !utask->map_queued)
		utask_free(utask);
}

/**
 * utask_for_each() - call a function for each utask
 * @fn: the function
 * @data: passed to it
 *
 * Context: any; @fn runs in an RCU read side.
 */
void utask_for_each(void (*fn)(struct utask *utask, void *data), void *data)
{
	struct utask *utask;
	unsigned int i;

	rcu_read_lock();
	for (i = 0; i < ARRAY_SIZE(utasks); i++) {
		hlist_for_each_entry_rcu(utask, &utasks[i], node)
			fn(utask, data);
	}
	rcu_read_unlock();
}

/**
 * task_work_begin() - have a task run a function before it runs user code
 * @task: the current task, or one that does not run yet
 * @work: stays until @fn is called
 * @fn: calls task_work_end() as the last thing
 *
 * Context: any, the trap included.
 * Return: 0, or -ESRCH when the task is past running any work.
 */
int task_work_begin(struct task_struct *task, struct callback_head *work,
		    task_work_func_t fn)
{
	int ret;

	init_task_work(work, fn);
	this_cpu_inc(work_balance);
	ret = task_work_add(task, work, TWA_RESUME);
	if (ret)
		this_cpu_dec(work_balance);
	return ret;
}

/* Work begun with task_work_begin() has ended.  Context: any. */
void task_work_end(void)
{
	this_cpu_dec(work_balance);
}

/**
 * task_work_drain() - wait until all work has ended
 *
 * No further work begins.  On return none of it is on its last instructions
 * either.
 *
 * Context: may sleep.
 */
void task_work_drain(void)
{
	long sum;
	int cpu;

	for (;;) {
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += READ_ONCE(per_cpu(work_balance, cpu));
		if (!sum)
			break;
		msleep(20);
	}
	/* A task may be preempted between task_work_end() and the return. */
	synchronize_rcu_tasks();
}

int task_init(void)
{
	return reserve_init(&utask_reserve, sizeof(struct utask), UTASK_RESERVE);
}

/**
 * task_exit() - free all states
 *
 * No task touches its own any more, and all return addresses are restored.
 *
 * Context: may sleep.
 */
void task_exit(void)
{
	struct hlist_node *next;
	struct utask *utask;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(utasks); i++) {
		hlist_for_each_entry_safe(utask, next, &utasks[i], node) {
			hlist_del_rcu(&utask->node);
			utask_free(utask);
		}
	}
	reserve_exit(&utask_reserve);
}
