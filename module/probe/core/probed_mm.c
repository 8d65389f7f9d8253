// SPDX-License-Identifier: GPL-2.0
/*
 * The life cycle of probed mms, and their table.
 */
#include <linux/hash.h>
#include <linux/rhashtable.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "probed_mm.h"
#include "arch.h"
#include "site_table.h"
#include "site_tree.h"
#include "ssol_area.h"
#include "base/worker.h"

/* Programs do not choose the address of their struct mm_struct, so a product is enough. */
static u32 mm_hash(const void *key, u32 len, u32 seed)
{
	return hash_ptr(*(void *const *)key, 32) ^ seed;
}

static int mm_differs(struct rhashtable_compare_arg *arg, const void *pmm)
{
	return ((const struct probed_mm *)pmm)->mm != *(struct mm_struct *const *)arg->key;
}

/* Each switch looks one up while a program has rings.  Functions that are known here are inline. */
static const struct rhashtable_params pmm_params = {
	.hashfn = mm_hash,
	.obj_cmpfn = mm_differs,
	.key_len = sizeof_field(struct probed_mm, mm),
	.key_offset = offsetof(struct probed_mm, mm),
	.head_offset = offsetof(struct probed_mm, node),
	.automatic_shrinking = true,
};

static const struct probed_mm_ops *pmm_ops __ro_after_init;

static struct rhashtable pmm_table;

/*
 * Work on the text of live processes, and on processes that end.  The former may wait for a page
 * as long as a program likes (userfaultfd, FUSE), and must not delay the latter.
 */
static struct workqueue_struct *text_wq;
static struct workqueue_struct *reap_wq;

/* All probed mms.  A dead one stays here until its last reference is dropped. */
static LIST_HEAD(pmm_list);
static DEFINE_MUTEX(pmm_list_mutex);
static DECLARE_WAIT_QUEUE_HEAD(pmm_list_drained);

/* Number of probed mms that are not queued for freeing yet. */
static atomic_t pmms_left = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(pmms_gone);

static int table_insert(struct rhashtable *table, struct rhash_head *node,
			const struct rhashtable_params params)
{
	int ret;

	/* The table is busy while it is being rehashed. */
	while ((ret = rhashtable_insert_fast(table, node, params)) == -EBUSY)
		cond_resched();
	return ret;
}

static int pmm_invalidate(struct mmu_notifier *notifier,
			  const struct mmu_notifier_range *range)
{
	pmm_ops->invalidate(container_of(notifier, struct probed_mm, life.notifier), range);
	return 0;
}

static void pmm_invalidated(struct mmu_notifier *notifier,
			    const struct mmu_notifier_range *range)
{
	pmm_ops->invalidated(container_of(notifier, struct probed_mm, life.notifier), range);
}

/**
 * pmm_fork_put() - drop a count of probed_mm::life.forks
 * @pmm: the probed mm; its address space has ended, or one of its forked children is handled
 *
 * The last one detaches the consumers of @pmm, in work that may sleep.  Until then they stay
 * attached: a child that has not run yet must be able to get them.
 *
 * Context: any.
 */
void pmm_fork_put(struct probed_mm *pmm)
{
	if (atomic_dec_and_test(&pmm->life.forks))
		queue_work(reap_wq, &pmm->life.reap);
}

/* Remove a probed mm from the table, so that no look-up finds it. */
static void pmm_remove(struct probed_mm *pmm)
{
	if (xchg(&pmm->life.dead, true))
		return;
	rhashtable_remove_fast(&pmm_table, &pmm->node, pmm_params);
	pmm_fork_put(pmm);
}

static void pmm_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	struct probed_mm *pmm = container_of(notifier, struct probed_mm, life.notifier);

	pmm_ops->release(pmm);
	pmm_remove(pmm);
}

/* Runs a grace period after the last look-up could find the probed mm, or one of its sites. */
static void pmm_free_work(struct work_struct *work)
{
	struct probed_mm *pmm = container_of(to_rcu_work(work), struct probed_mm, life.free);
	unsigned int i;

	sites_free(pmm->sites.replaced);
	pmm_ops->free(pmm);
	for (i = 0; i < pmm->areas.nr; i++)
		ssol_area_free(pmm->areas.list[i]);
	kfree(pmm);
}

static void pmm_free(struct mmu_notifier *notifier)
{
	struct probed_mm *pmm = container_of(notifier, struct probed_mm, life.notifier);

	queue_rcu_work(reap_wq, &pmm->life.free);
	if (atomic_dec_and_test(&pmms_left))
		wake_up_all(&pmms_gone);
}

static const struct mmu_notifier_ops pmm_notifier_ops = {
	.release = pmm_release,
	.invalidate_range_start = pmm_invalidate,
	.invalidate_range_end = pmm_invalidated,
	.free_notifier = pmm_free,
};

static void pmm_reap_work(struct work_struct *work)
{
	struct probed_mm *pmm = container_of(work, struct probed_mm, life.reap);

	pmm_ops->reap(pmm);
	pmm_put(pmm);
}

/**
 * pmm_put() - drop a reference
 * @pmm: the probed mm
 *
 * The last reference removes the sites.  By then, the address space is dead, or the module is
 * being unloaded.
 *
 * Context: may sleep; no lock of the list in consumer.h held.
 */
void pmm_put(struct probed_mm *pmm)
{
	if (!refcount_dec_and_test(&pmm->life.refs))
		return;

	mutex_lock(&pmm_list_mutex);
	list_del(&pmm->life.in_list);
	if (list_empty(&pmm_list))
		wake_up_all(&pmm_list_drained);
	mutex_unlock(&pmm_list_mutex);

	sites_remove(pmm);
	pmm_ops->forget(pmm);
	mmu_notifier_put(&pmm->life.notifier);
}

/**
 * pmm_put_not_last() - drop a reference where nothing may sleep
 * @pmm: probed mm of an address space that is in use, so that the table has a reference, too
 *
 * Context: any.
 */
void pmm_put_not_last(struct probed_mm *pmm)
{
	refcount_dec(&pmm->life.refs);
}

/**
 * pmm_queue() - queue work for a probed mm
 * @pmm: as for pmm_put_not_last()
 * @work: the work, which must put one reference to @pmm; it ends before the module is unloaded
 *
 * Context: any.
 */
void pmm_queue(struct probed_mm *pmm, struct work_struct *work)
{
	refcount_inc(&pmm->life.refs);
	if (!queue_work(text_wq, work))
		pmm_put_not_last(pmm);
}

/**
 * pmm_queue_delayed() - queue work for all probed mms
 * @work: the work; it must have ended before pmm_exit()
 * @delay: when it runs, if it is not queued yet, in jiffies
 *
 * Context: any.
 */
void pmm_queue_delayed(struct delayed_work *work, unsigned long delay)
{
	queue_delayed_work(text_wq, work, delay);
}

/**
 * pmm_find() - look up the probed mm of an address space
 * @mm: the address space
 *
 * Context: any.
 * Return: the probed mm with a reference taken, or NULL.
 */
struct probed_mm *pmm_find(struct mm_struct *mm)
{
	struct probed_mm *pmm;

	rcu_read_lock();
	pmm = rhashtable_lookup(&pmm_table, &mm, pmm_params);
	if (pmm && !refcount_inc_not_zero(&pmm->life.refs))
		pmm = NULL;
	rcu_read_unlock();
	return pmm;
}

/**
 * pmm_lookup() - look up the probed mm of an address space, without taking a reference
 * @mm: the address space
 *
 * Context: RCU read side; @mm is in use, or the caller uses only whether there is a result.
 * Return: the probed mm or NULL.
 */
struct probed_mm *pmm_lookup(struct mm_struct *mm)
{
	return rhashtable_lookup(&pmm_table, &mm, pmm_params);
}

/*
 * Runs in a worker, which has no signals: mmu_notifier_register() fails if a signal is pending.  A
 * task that is about to handle a signal always has one pending.
 */
static long pmm_notify_call(void *data)
{
	struct probed_mm *pmm = data;

	return mmu_notifier_register(&pmm->life.notifier, pmm->mm);
}

/**
 * pmm_get() - look up the probed mm of an address space, or create it
 * @mm: the address space; the caller keeps it in use
 *
 * Context: may sleep; takes the mmap lock for writing.
 * Return: the probed mm with a reference taken, or ERR_PTR.
 */
struct probed_mm *pmm_get(struct mm_struct *mm)
{
	struct probed_mm *pmm = pmm_find(mm), *other;
	int ret;

	if (pmm)
		return pmm;
	pmm = kzalloc(sizeof(*pmm), GFP_KERNEL);
	if (!pmm)
		return ERR_PTR(-ENOMEM);
	pmm->mm = mm;
	pmm->mode = arch_mm_mode(mm);
	refcount_set(&pmm->life.refs, 2);	/* the table's and the caller's */
	mutex_init(&pmm->lock);
	init_rwsem(&pmm->unwinders.lock);
	spin_lock_init(&pmm->sites.lock);
	pmm->sites.tree = RB_ROOT;
	pmm->sites.removals = 1;
	atomic_set(&pmm->life.forks, 1);
	INIT_LIST_HEAD(&pmm->attached.bound);
	INIT_LIST_HEAD(&pmm->jumps.on);
	INIT_LIST_HEAD(&pmm->counters.live);
	INIT_LIST_HEAD(&pmm->counters.gone);
	pmm->counters.changes = 1;
	INIT_WORK(&pmm->life.reap, pmm_reap_work);
	INIT_RCU_WORK(&pmm->life.free, pmm_free_work);
	pmm_ops->init(pmm);
	pmm->life.notifier.ops = &pmm_notifier_ops;

	/* A program can delay a thread that takes its mmap lock: hold no mutex meanwhile. */
	ret = worker_call(pmm_notify_call, pmm);
	if (ret) {
		kfree(pmm);
		return ERR_PTR(ret);
	}
	atomic_inc(&pmms_left);
	mutex_lock(&pmm_list_mutex);
	other = pmm_find(mm);
	if (!other) {
		ret = table_insert(&pmm_table, &pmm->node, pmm_params);
		if (!ret)
			list_add(&pmm->life.in_list, &pmm_list);
	}
	mutex_unlock(&pmm_list_mutex);
	if (!other && !ret)
		return pmm;
	mmu_notifier_put(&pmm->life.notifier);
	return other ?: ERR_PTR(ret);
}

int pmm_init(const struct probed_mm_ops *ops)
{
	int ret;

	pmm_ops = ops;
	text_wq = alloc_workqueue("uprobes_text", WQ_UNBOUND, 0);
	if (!text_wq)
		return -ENOMEM;
	ret = -ENOMEM;
	reap_wq = alloc_workqueue("uprobes_reap", WQ_UNBOUND, 0);
	if (!reap_wq)
		goto destroy_text_wq;
	ret = site_table_init();
	if (ret)
		goto destroy_wq;
	ret = rhashtable_init(&pmm_table, &pmm_params);
	if (ret)
		goto exit_table;
	ret = sites_init();
	if (!ret)
		return 0;
	rhashtable_destroy(&pmm_table);
exit_table:
	site_table_exit();
destroy_wq:
	destroy_workqueue(reap_wq);
destroy_text_wq:
	destroy_workqueue(text_wq);
	return ret;
}

/* Get the probed mm behind @pmm in the list, or the first one.  Put the reference to @pmm. */
static struct probed_mm *pmm_next(struct probed_mm *pmm)
{
	struct probed_mm *next = pmm;

	mutex_lock(&pmm_list_mutex);
	next = list_prepare_entry(next, &pmm_list, life.in_list);
	list_for_each_entry_continue(next, &pmm_list, life.in_list) {
		if (refcount_inc_not_zero(&next->life.refs))
			break;
	}
	if (list_entry_is_head(next, &pmm_list, life.in_list))
		next = NULL;
	mutex_unlock(&pmm_list_mutex);
	if (pmm)
		pmm_put(pmm);
	return next;
}

/**
 * pmm_for_each() - call a function for each probed mm
 * @fn: the function
 * @data: passed to it
 *
 * A probed mm that is created meanwhile may be skipped.
 *
 * Context: may sleep; no lock of the list in consumer.h held, not even while @fn is called.
 * Return: whether all calls returned true.
 */
bool pmm_for_each(bool (*fn)(struct probed_mm *pmm, void *data), void *data)
{
	struct probed_mm *pmm = NULL;
	bool all = true;

	while ((pmm = pmm_next(pmm)))
		all &= fn(pmm, data);
	return all;
}

/**
 * pmm_exit() - drop all probed mms, and wait until they are freed
 *
 * No consumer is registered, no breakpoint is in any text, and no trap and no
 * kernel event arrives any more.
 *
 * Context: may sleep.
 */
void pmm_exit(void)
{
	struct probed_mm *pmm;

	mutex_lock(&pmm_list_mutex);
	list_for_each_entry(pmm, &pmm_list, life.in_list)
		pmm_remove(pmm);
	mutex_unlock(&pmm_list_mutex);
	/* An address space that dies right now queues its own reaping. */
	wait_event(pmm_list_drained, list_empty_careful(&pmm_list));
	wait_event(pmms_gone, !atomic_read(&pmms_left));
	/* Release callbacks may still be executing. */
	mmu_notifier_synchronize();
	/* Work frees the probed mms a grace period later: wait until it is queued. */
	rcu_barrier();
	destroy_workqueue(text_wq);
	destroy_workqueue(reap_wq);
	rhashtable_destroy(&pmm_table);
	site_table_exit();
	/* Wait for the RCU callbacks that this work has queued, too. */
	rcu_barrier();
	sites_exit();
}
