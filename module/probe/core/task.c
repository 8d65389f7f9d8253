// SPDX-License-Identifier: GPL-2.0
/*
 * The table of utasks, and the counts of pending task work.
 */
#include <linux/delay.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "task.h"
#include "base/reserve.h"

#define UTASK_RESERVE	256

/*
 * Pages of memory for which the table has one bucket.  A task takes at least six pages of kernel
 * memory, so there are never more than about thirty tasks for each bucket.
 */
#define PAGES_A_BUCKET	192

struct hlist_head *utasks __ro_after_init;
unsigned int utask_bits __ro_after_init;

struct task_ops task_ops __ro_after_init;

static DEFINE_RAW_SPINLOCK(utasks_lock);
static struct reserve utask_reserve;

DEFINE_PER_CPU(struct work_account, work_account);

/**
 * utask_find() - look up the utask of a task
 * @task: the current task, or one that cannot exit meanwhile
 *
 * Context: any, the trap included.
 * Return: the utask or NULL.
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

/*
 * Replace the utask that the task has taken out of the reserve.  The replacement is charged to the
 * task.
 */
static void utask_refill_work(struct callback_head *work)
{
	struct utask *utask = container_of(work, struct utask, refill.work);

	utask->refill.queued = false;
	reserve_give(&utask_reserve,
		     kmalloc(sizeof(*utask), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL));
	utask_work_done(utask);
	task_work_end();
}

/* Tests can make this call fail separately. */
#ifndef utask_take
#define utask_take(reserve)	reserve_take(reserve)
#endif

/**
 * utask_get() - look up the utask of a task, or create it
 * @task: the current task, or one that does not run yet
 *
 * Context: any, the trap included.
 * Return: the utask, or NULL if the reserve has run out.
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
	raw_spin_lock_irqsave(&utasks_lock, flags);
	hlist_add_head_rcu(&utask->node, utask_bucket(task));
	raw_spin_unlock_irqrestore(&utasks_lock, flags);
	/* If the task will not run any more work, the reserve is one short until the task exits. */
	utask->refill.queued = true;
	if (task_work_begin(task, &utask->refill.work, utask_refill_work))
		utask->refill.queued = false;
	return utask;
}

static void utask_free_rcu(struct rcu_head *head)
{
	struct utask *utask = container_of(head, struct utask, rcu);

	task_ops.release(utask);
	if (!reserve_refill(&utask_reserve, utask))
		kfree(utask);
}

/* Free by RCU: on PREEMPT_RT, the tracepoint of the exit path cannot free memory. */
void utask_free(struct utask *utask)
{
	call_rcu(&utask->rcu, utask_free_rcu);
}

/**
 * utask_drop() - drop the utask of a task that exits
 * @utask: the utask
 *
 * The kernel still runs pending work of the task.  The last one frees the utask.
 *
 * Context: the task itself, or no other thread can reach @utask.
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
	for (i = 0; i < 1U << utask_bits; i++) {
		hlist_for_each_entry_rcu(utask, &utasks[i], node)
			fn(utask, data);
	}
	rcu_read_unlock();
}

/**
 * task_work_drain() - wait until all task work has ended
 *
 * The caller ensures that no further work begins.  On return, no task executes any instruction of
 * such work.
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
		 * Read the counts of ended work first: all this work has begun before.  In the
		 * opposite order, work that begins and ends between the two loops would hide other
		 * work that is still pending.
		 */
		smp_rmb();
		for_each_possible_cpu(cpu)
			under_way += READ_ONCE(per_cpu(work_account, cpu).begun);
		if (!under_way)
			break;
		msleep(20);
	}
	/* A task may be preempted between task_work_end() and the return from its work. */
	synchronize_rcu_tasks();
}

int task_init(const struct task_ops *ops)
{
	int ret;

	task_ops = *ops;
	utask_bits = clamp(ilog2(totalram_pages() / PAGES_A_BUCKET + 1), 8, 20);
	utasks = kvcalloc(1UL << utask_bits, sizeof(*utasks), GFP_KERNEL);
	if (!utasks)
		return -ENOMEM;
	ret = reserve_init(&utask_reserve, sizeof(struct utask), UTASK_RESERVE);
	if (ret)
		kvfree(utasks);
	return ret;
}

/**
 * task_exit() - free all utasks
 *
 * No task uses its utask any more, and all return addresses are restored.
 *
 * Context: may sleep.
 */
void task_exit(void)
{
	struct hlist_node *next;
	struct utask *utask;
	unsigned int i;

	for (i = 0; i < 1U << utask_bits; i++) {
		hlist_for_each_entry_safe(utask, next, &utasks[i], node) {
			hlist_del_rcu(&utask->node);
			utask_free(utask);
		}
	}
	/* The RCU callbacks put freed utasks back into the reserve. */
	rcu_barrier();
	reserve_exit(&utask_reserve);
	kvfree(utasks);
}
