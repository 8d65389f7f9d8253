// SPDX-License-Identifier: GPL-2.0
/*
 * The life of images, and the tables in which images and sites are found.
 */
#include <linux/hash.h>
#include <linux/rhashtable.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "image.h"
#include "arch.h"
#include "site_table.h"
#include "site_tree.h"
#include "ssol_area.h"
#include "base/worker.h"

static const struct rhashtable_params image_params = {
	.key_len = sizeof_field(struct image, mm),
	.key_offset = offsetof(struct image, mm),
	.head_offset = offsetof(struct image, node),
	.automatic_shrinking = true,
};

static const struct image_ops *image_ops __ro_after_init;

static struct rhashtable images;
static struct workqueue_struct *reap_wq;

/* All images, the dead included until their last reference is dropped. */
static LIST_HEAD(image_list);
static DEFINE_MUTEX(image_list_mutex);
static DECLARE_WAIT_QUEUE_HEAD(image_list_drained);

/* Images whose memory is not freed yet. */
static atomic_t images_left = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(images_gone);

static int table_insert(struct rhashtable *table, struct rhash_head *node,
			const struct rhashtable_params params)
{
	int ret;

	/* Busy while the table is being rehashed. */
	while ((ret = rhashtable_insert_fast(table, node, params)) == -EBUSY)
		cond_resched();
	return ret;
}

static int image_invalidate(struct mmu_notifier *notifier,
			    const struct mmu_notifier_range *range)
{
	image_ops->invalidate(container_of(notifier, struct image, notifier), range);
	return 0;
}

static void image_invalidated(struct mmu_notifier *notifier,
			      const struct mmu_notifier_range *range)
{
	image_ops->invalidated(container_of(notifier, struct image, notifier), range);
}

/**
 * image_let_go() - the address space has ended, or a child of its has been looked after
 * @image: the image; image::forks counts what is let go of
 *
 * After the last of them its consumers go, which may sleep: a child that has not run yet
 * is to inherit them.
 *
 * Context: any.
 */
void image_let_go(struct image *image)
{
	if (atomic_dec_and_test(&image->forks))
		queue_work(reap_wq, &image->reap);
}

/* Nobody finds the image any more. */
static void image_kill(struct image *image)
{
	if (xchg(&image->dead, true))
		return;
	rhashtable_remove_fast(&images, &image->node, image_params);
	image_let_go(image);
}

static void image_release(struct mmu_notifier *notifier, struct mm_struct *mm)
{
	image_kill(container_of(notifier, struct image, notifier));
}

/* A grace period after the last one could find it, or one of its sites. */
static void image_free_work(struct work_struct *work)
{
	struct image *image = container_of(to_rcu_work(work), struct image, free);
	unsigned int i;

	sites_free(image);
	image_ops->free(image);
	for (i = 0; i < image->nr_areas; i++)
		ssol_area_free(image->areas[i]);
	kfree(image);
}

static void image_free(struct mmu_notifier *notifier)
{
	queue_rcu_work(reap_wq, &container_of(notifier, struct image, notifier)->free);
	if (atomic_dec_and_test(&images_left))
		wake_up_all(&images_gone);
}

static const struct mmu_notifier_ops image_notifier_ops = {
	.release = image_release,
	.invalidate_range_start = image_invalidate,
	.invalidate_range_end = image_invalidated,
	.free_notifier = image_free,
};

static void image_reap_work(struct work_struct *work)
{
	struct image *image = container_of(work, struct image, reap);

	image_ops->reap(image);
	image_put(image);
}

/**
 * image_put() - drop a reference
 * @image: the image
 *
 * With the last one the sites go; the address space is dead by then, or the
 * module is on its way out.
 *
 * Context: may sleep; no lock of probe.h's list held.
 */
void image_put(struct image *image)
{
	if (!refcount_dec_and_test(&image->refs))
		return;

	mutex_lock(&image_list_mutex);
	list_del(&image->in_list);
	if (list_empty(&image_list))
		wake_up_all(&image_list_drained);
	mutex_unlock(&image_list_mutex);

	sites_forget(image);
	image_ops->forget(image);
	mmu_notifier_put(&image->notifier);
}

/**
 * image_put_not_last() - drop a reference where nothing may sleep
 * @image: image of an address space that is in use, so that the table has a
 *	reference too
 *
 * Context: any.
 */
void image_put_not_last(struct image *image)
{
	refcount_dec(&image->refs);
}

/**
 * image_queue() - have something done for an image in task context
 * @image: as for image_put_not_last()
 * @work: what; has a reference of @image to put, and has ended before the module
 *	goes
 *
 * Context: any.
 */
void image_queue(struct image *image, struct work_struct *work)
{
	refcount_inc(&image->refs);
	if (!queue_work(reap_wq, work))
		image_put_not_last(image);
}

/**
 * image_find() - the image of an address space, if it has one
 * @mm: the address space
 *
 * Context: any.
 * Return: the image with a reference taken, or NULL.
 */
struct image *image_find(struct mm_struct *mm)
{
	struct image *image;

	rcu_read_lock();
	image = rhashtable_lookup(&images, &mm, image_params);
	if (image && !refcount_inc_not_zero(&image->refs))
		image = NULL;
	rcu_read_unlock();
	return image;
}

/**
 * image_lookup() - the image of an address space, without a reference
 * @mm: the address space
 *
 * Context: RCU read side, and the address space is in use or does not matter.
 * Return: the image or NULL.
 */
struct image *image_lookup(struct mm_struct *mm)
{
	return rhashtable_lookup(&images, &mm, image_params);
}

/*
 * Called in a worker, which has no signals: mmu_notifier_register() gives up when one is
 * pending, which is the rule in a task that is on its way to handle one.
 */
static long image_notify_call(void *data)
{
	struct image *image = data;

	return mmu_notifier_register(&image->notifier, image->mm);
}

/**
 * image_get() - the image of an address space, made if it has none
 * @mm: the address space; the caller keeps it in use
 *
 * Context: may sleep; takes the mmap lock for writing.
 * Return: the image with a reference taken, or ERR_PTR.
 */
struct image *image_get(struct mm_struct *mm)
{
	struct image *image = image_find(mm), *other;
	int ret;

	if (image)
		return image;
	image = kzalloc(sizeof(*image), GFP_KERNEL);
	if (!image)
		return ERR_PTR(-ENOMEM);
	image->mm = mm;
	image->mode = arch_mm_mode(mm);
	refcount_set(&image->refs, 2);	/* the table's and the caller's */
	mutex_init(&image->lock);
	init_rwsem(&image->watch_lock);
	spin_lock_init(&image->tree_lock);
	image->sites = RB_ROOT;
	image->removals = 1;
	atomic_set(&image->forks, 1);
	INIT_LIST_HEAD(&image->residents);
	INIT_LIST_HEAD(&image->ref_ctrs);
	INIT_LIST_HEAD(&image->gone_ref_ctrs);
	image->ref_changes = 1;
	INIT_WORK(&image->reap, image_reap_work);
	INIT_RCU_WORK(&image->free, image_free_work);
	image_ops->init(image);
	image->notifier.ops = &image_notifier_ops;

	/* A program can hold up who takes its mmap lock: nobody else is to wait for that. */
	ret = worker_call(image_notify_call, image);
	if (ret) {
		kfree(image);
		return ERR_PTR(ret);
	}
	atomic_inc(&images_left);
	mutex_lock(&image_list_mutex);
	other = image_find(mm);
	if (!other) {
		ret = table_insert(&images, &image->node, image_params);
		if (!ret)
			list_add(&image->in_list, &image_list);
	}
	mutex_unlock(&image_list_mutex);
	if (!other && !ret)
		return image;
	mmu_notifier_put(&image->notifier);
	return other ?: ERR_PTR(ret);
}

int image_init(const struct image_ops *ops)
{
	int ret;

	image_ops = ops;
	reap_wq = alloc_workqueue("uprobes_reap", WQ_UNBOUND, 0);
	if (!reap_wq)
		return -ENOMEM;
	ret = site_table_init();
	if (ret)
		goto destroy_wq;
	ret = rhashtable_init(&images, &image_params);
	if (ret)
		goto exit_table;
	ret = sites_init();
	if (!ret)
		return 0;
	rhashtable_destroy(&images);
exit_table:
	site_table_exit();
destroy_wq:
	destroy_workqueue(reap_wq);
	return ret;
}

/* The image behind @image in the list, or the first, with a reference; puts that of @image. */
static struct image *image_next(struct image *image)
{
	struct image *next = image;

	mutex_lock(&image_list_mutex);
	next = list_prepare_entry(next, &image_list, in_list);
	list_for_each_entry_continue(next, &image_list, in_list) {
		if (refcount_inc_not_zero(&next->refs))
			break;
	}
	if (list_entry_is_head(next, &image_list, in_list))
		next = NULL;
	mutex_unlock(&image_list_mutex);
	if (image)
		image_put(image);
	return next;
}

/**
 * images_for_each() - call a function for each image
 * @fn: the function
 * @data: passed to it
 *
 * An image that is made meanwhile may be left out.
 *
 * Context: may sleep; no lock of probe.h's list held, and none is while @fn is called.
 * Return: whether all calls returned true.
 */
bool images_for_each(bool (*fn)(struct image *image, void *data), void *data)
{
	struct image *image = NULL;
	bool all = true;

	while ((image = image_next(image)))
		all &= fn(image, data);
	return all;
}

/**
 * image_exit() - let go of all address spaces
 *
 * No consumer is registered, no breakpoint is in any text, and no trap and no
 * kernel event arrives any more.
 *
 * Context: may sleep.
 */
void image_exit(void)
{
	struct image *image;

	mutex_lock(&image_list_mutex);
	list_for_each_entry(image, &image_list, in_list)
		image_kill(image);
	mutex_unlock(&image_list_mutex);
	/* An address space that dies right now queues its own reaping. */
	wait_event(image_list_drained, list_empty_careful(&image_list));
	wait_event(images_gone, !atomic_read(&images_left));
	/* Release callbacks may still be on their last instructions. */
	mmu_notifier_synchronize();
	/* Images are freed a grace period after that, by work. */
	rcu_barrier();
	destroy_workqueue(reap_wq);
	rhashtable_destroy(&images);
	site_table_exit();
	/* SSOL areas, too. */
	rcu_barrier();
	sites_exit();
}
