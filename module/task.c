// SPDX-License-Identifier: GPL-2.0
/*
 * The table of utasks, and the account of task work under way.
 */
#include <linux/delay.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "orphans.h"
#include "reserve.h"
#include "task.h"

#define UTASK_RESERVE	256

struct hlist_head utasks[1 << UTASK_BITS];
static DEFINE_RAW_SPINLOCK(utasks_lock);
static struct reserve utask_reserve;

DEFINE_PER_CPU(struct work_account, work_account);

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

/* Tests have it fail by itself. */
#ifndef utask_take
#define utask_take(reserve)	reserve_take(reserve)
#endif

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
	utask = utask_take(&utask_reserve);
	if (!utask)
		return NULL;

	memset(utask, 0, sizeof(*utask));
	utask->task = task;
	utask->mm = task->mm;
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
void utask_free(struct utask *utask)
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

void orphans_init(struct orphans *orphans)
{
	INIT_LIST_HEAD(&orphans->list);
}

/**
 * orphans_add() - the task exits, but others may return from its calls
 * @orphans: of its address space
 * @utask: its state, with no work queued
 *
 * Context: the task itself, any.
 * Return: false when the address space is gone, too.
 */
bool orphans_add(struct orphans *orphans, struct utask *utask)
{
	struct utask *oldest = NULL;
	unsigned long flags;
	bool closed;

	raw_spin_lock_irqsave(&utasks_lock, flags);
	closed = orphans->closed;
	if (!closed) {
		WRITE_ONCE(utask->task, NULL);
		list_add_tail(&utask->in_orphans, &orphans->list);
		if (orphans->nr++ == ORPHANS_MAX) {
			oldest = list_first_entry(&orphans->list, struct utask, in_orphans);
			list_del(&oldest->in_orphans);
			hlist_del_rcu(&oldest->node);
			orphans->nr--;
		}
	}
	raw_spin_unlock_irqrestore(&utasks_lock, flags);
	if (oldest)
		utask_free(oldest);
	return !closed;
}

/**
 * orphans_close() - nobody will return from anything any more
 * @orphans: of an address space that is gone
 *
 * Context: any.
 */
void orphans_close(struct orphans *orphans)
{
	struct utask *utask, *next;
	unsigned long flags;

	raw_spin_lock_irqsave(&utasks_lock, flags);
	orphans->closed = true;
	list_for_each_entry(utask, &orphans->list, in_orphans)
		hlist_del_rcu(&utask->node);
	raw_spin_unlock_irqrestore(&utasks_lock, flags);
	list_for_each_entry_safe(utask, next, &orphans->list, in_orphans)
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
 * task_work_drain() - wait until all work has ended
 *
 * No further work begins.  On return none of it is on its last instructions
 * either.
 *
 * Context: may sleep.
 */
void task_work_drain(void)
{
	unsigned long under_way;
	int cpu;

	for (;;) {
		under_way = 0;
		for_each_possible_cpu(cpu)
			under_way -= READ_ONCE(per_cpu(work_account, cpu).ended);
		/*
		 * What has ended by now had begun before.  The other way round, work that begins
		 * and ends while this looks could stand for some that goes on.
		 */
		smp_rmb();
		for_each_possible_cpu(cpu)
			under_way += READ_ONCE(per_cpu(work_account, cpu).begun);
		if (!under_way)
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
