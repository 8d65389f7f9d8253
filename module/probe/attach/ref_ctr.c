// SPDX-License-Identifier: GPL-2.0
/*
 * Reference counters: find them, list them, change the words.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "ref_ctr.h"
#include "core/attached.h"
#include "core/consumer.h"
#include "core/fork_mark.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_tree.h"
#include "core/task.h"
#include "text/mapped_file.h"
#include "text/user_word.h"

/*
 * Maximum number of places of one counter in an address space.  A program can map its file any
 * number of times, and each place is searched for in the list of all counters.
 */
#define MAX_PLACES	16

/*
 * Check whether a mapping can hold reference counters: it is private and maps the file, and the
 * process may write to it.  With @counted, do not require VM_WRITE: it was set when the counter was
 * incremented.
 */
static bool vma_has_counters(const struct vm_area_struct *vma, const struct inode *inode,
			     bool counted)
{
	return vma->vm_file && file_inode(vma->vm_file) == inode &&
	       !(vma->vm_flags & (VM_MAYSHARE | VM_HUGETLB | VM_PFNMAP | VM_IO)) &&
	       (counted || vma->vm_flags & VM_WRITE);
}

static unsigned int places_find(struct mm_struct *mm, const struct inode *inode, loff_t offset,
				unsigned long *places)
{
	VMA_ITERATOR(vmi, mm, 0);
	struct vm_area_struct *vma;
	unsigned int n = 0;

	mmap_read_lock(mm);
	for_each_vma(vmi, vma) {
		loff_t start = vma_position(vma, vma->vm_start);

		if (!vma_has_counters(vma, inode, false) || offset < start ||
		    offset - start + sizeof(u16) > vma->vm_end - vma->vm_start)
			continue;
		if (n == MAX_PLACES) {
			pr_notice_ratelimited("%pD has a reference counter that a process maps more than %u times: the others are not incremented\n",
					      vma->vm_file, n);
			break;
		}
		places[n++] = vma->vm_start + (offset - start);
	}
	mmap_read_unlock(mm);
	return n;
}

/* Number a change.  Context: the mmap lock and probed_mm::sites.lock held. */
static void ref_ctr_number(struct probed_mm *pmm, u64 *number)
{
	WRITE_ONCE(pmm->counters.changes, pmm->counters.changes + 1);
	WRITE_ONCE(*number, pmm->counters.changes);
}

/*
 * Change a word if the same file is still mapped there.  If @ref is not NULL, the word is that of
 * @ref: change it only if @ref is not gone, and number the change.
 */
static int word_change(struct mm_struct *mm, unsigned long addr, const struct inode *inode,
		       int change, struct ref_ctr *ref)
{
	struct vm_area_struct *vma;
	int ret = -ENOENT;

	mmap_read_lock(mm);
	vma = find_vma(mm, addr);
	if (vma && vma->vm_start <= addr && vma_has_counters(vma, inode, change < 0) &&
	    !(ref && READ_ONCE(ref->gone)))
		ret = u16_add(mm, addr, change);
	if (!ret && ref) {
		spin_lock(&ref->pmm->sites.lock);
		ref_ctr_number(ref->pmm, change > 0 ? &ref->since : &ref->gone);
		spin_unlock(&ref->pmm->sites.lock);
	}
	mmap_read_unlock(mm);
	return ret;
}

static struct ref_ctr *ref_ctr_find(struct probed_mm *pmm, const struct consumer *c,
				    unsigned long addr)
{
	struct ref_ctr *ref;

	lockdep_assert_held(&pmm->lock);
	list_for_each_entry(ref, &pmm->counters.live, in_pmm) {
		if (ref->consumer == c && ref->addr == addr && !READ_ONCE(ref->gone))
			return ref;
	}
	return NULL;
}

/* List a counter.  Return false if the consumer is being unregistered. */
static bool ref_ctr_link(struct ref_ctr *ref)
{
	struct consumer *c = ref->consumer;
	bool alive;

	spin_lock(&c->places.lock);
	alive = !c->places.dying;
	if (alive)
		list_add_tail(&ref->in_consumer, &c->places.ref_ctrs);
	spin_unlock(&c->places.lock);
	if (!alive)
		return false;
	consumer_get(c);
	spin_lock(&ref->pmm->sites.lock);
	list_add_tail(&ref->in_pmm, &ref->pmm->counters.live);
	spin_unlock(&ref->pmm->sites.lock);
	return true;
}

static void ref_ctr_unlink(struct ref_ctr *ref)
{
	struct consumer *c = ref->consumer;

	spin_lock(&c->places.lock);
	list_del(&ref->in_consumer);
	spin_unlock(&c->places.lock);
	spin_lock(&ref->pmm->sites.lock);
	list_del(&ref->in_pmm);
	spin_unlock(&ref->pmm->sites.lock);
	ref->consumer = NULL;
	consumer_put(c);
}

/**
 * ref_ctrs_free() - free the counters that are gone
 * @pmm: a probed mm that no fork is copying, or that has no other user
 *
 * Context: any in which memory can be freed; probed_mm::lock held, or no other user of @pmm.
 */
void ref_ctrs_free(struct probed_mm *pmm)
{
	struct ref_ctr *ref, *next;

	list_for_each_entry_safe(ref, next, &pmm->counters.gone, in_pmm) {
		list_del(&ref->in_pmm);
		kfree(ref);
	}
}

/* Free gone counters, unless a copy of the address space or a moved mapping may have them. */
static void ref_ctrs_prune(struct probed_mm *pmm)
{
	lockdep_assert_held(&pmm->lock);
	if (!list_empty(&pmm->counters.gone) && !atomic_read(&pmm->text.moving) &&
	    !pmm_is_forking(pmm))
		ref_ctrs_free(pmm);
}

static int ref_ctr_increment(struct probed_mm *pmm, struct consumer *c, const struct inode *inode,
			     unsigned long addr)
{
	struct ref_ctr *ref;
	int ret;

	if (ref_ctr_find(pmm, c, addr))
		return 0;
	ref = kmalloc(sizeof(*ref), GFP_KERNEL);
	if (!ref)
		return -ENOMEM;
	*ref = (struct ref_ctr) {
		.pmm = pmm, .consumer = c, .inode = inode, .addr = addr, .since = U64_MAX,
	};
	/* List the counter first, so that the mmu notifier finds it. */
	if (!ref_ctr_link(ref)) {
		kfree(ref);
		return 0;
	}
	ret = word_change(pmm->mm, addr, inode, 1, ref);
	if (ret) {
		ref_ctr_unlink(ref);
		kfree(ref);
	}
	return ret == -ENOENT ? 0 : ret;
}

static bool consumer_attached_in(struct consumer *c, const struct probed_mm *pmm)
{
	bool found = false;
	unsigned int i;

	spin_lock(&c->places.lock);
	for (i = 0; i < c->places.nr && !found; i++)
		found = place_site(c->places.list[i])->pmm == pmm;
	spin_unlock(&c->places.lock);
	return found;
}

/*
 * Unlink counters whose mappings are gone, so that they do not pile up: the counters of @only, or
 * of all consumers if it is NULL.
 */
static void unlink_gone(struct probed_mm *pmm, const struct consumer *only)
{
	struct ref_ctr *ref, *next;

	list_for_each_entry_safe(ref, next, &pmm->counters.live, in_pmm) {
		if ((only && ref->consumer != only) || !READ_ONCE(ref->gone) ||
		    READ_ONCE(ref->moves))
			continue;
		ref_ctr_unlink(ref);
		list_add_tail(&ref->in_pmm, &pmm->counters.gone);
	}
	ref_ctrs_prune(pmm);
}

/* Increment the counters of @c in all mappings of @inode.  Context: may sleep; pmm->lock held. */
static int apply(struct probed_mm *pmm, struct consumer *c, const struct inode *inode)
{
	unsigned long places[MAX_PLACES];
	unsigned int i, n = places_find(pmm->mm, inode, c->file.ref_ctr_offset, places);
	int err, ret = 0;

	for (i = 0; i < n; i++) {
		err = ref_ctr_increment(pmm, c, inode, places[i]);
		if (err)
			pr_notice_ratelimited("the reference counter at 0x%lx cannot be incremented: error %d\n",
					      places[i], err);
		ret = ret ?: err;
	}
	return ret;
}

/**
 * ref_ctrs_apply() - increment the counters of a consumer in an address space
 * @pmm: the probed mm, in use
 * @c: a consumer with a reference counter; if it is not attached in @pmm, nothing is done
 * @inode: the file that has the counter
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 * Return: 0; -EINVAL if the counter is at an odd address; -ENOMEM or another negative errno.
 */
int ref_ctrs_apply(struct probed_mm *pmm, struct consumer *c, const struct inode *inode)
{
	int ret = 0;

	mutex_lock(&pmm->lock);
	if (!pmm->life.dead && consumer_attached_in(c, pmm)) {
		unlink_gone(pmm, c);
		ret = apply(pmm, c, inode);
	}
	mutex_unlock(&pmm->lock);
	return ret;
}

/* Check whether @site, of a probe on one process, is still in the file with the counter. */
static bool in_counted_file(const struct site *site, const struct consumer *c)
{
	struct mm_struct *mm = site->pmm->mm;
	struct vm_area_struct *vma;
	bool is;

	mmap_read_lock(mm);
	vma = find_vma(mm, site->key.addr);
	is = vma && vma->vm_start <= site->key.addr && vma->vm_file &&
	     file_inode(vma->vm_file) == file_inode(c->file.counted);
	mmap_read_unlock(mm);
	return is;
}

/**
 * ref_ctrs_mapped() - increment counters in new mappings, for probes on one process
 * @mm: the address space, in use
 *
 * mapping_apply() does this for probes on files.  Errors are logged.
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 */
void ref_ctrs_mapped(struct mm_struct *mm)
{
	struct probed_mm *pmm = pmm_find(mm);
	struct attachment *at;
	struct consumer *c;
	struct site *site;

	if (!pmm)
		return;
	/* A registration in flight looks for the counters itself. */
	if (!READ_ONCE(pmm->attached.counters))
		goto put;
	mutex_lock(&pmm->lock);
	unlink_gone(pmm, NULL);
	for (site = pmm->life.dead ? NULL : pmm_first_site(pmm, 0); site;
	     site = pmm_next_site(site)) {
		if (site->state == SITE_LOST)
			continue;
		for_each_attached(c, site, at) {
			if (consumer_counts_in_process(c) && in_counted_file(site, c))
				apply(pmm, c, file_inode(c->file.counted));
		}
		cond_resched();
	}
	mutex_unlock(&pmm->lock);
put:
	pmm_put(pmm);
}

/**
 * ref_ctrs_drop() - decrement all counters that a consumer has incremented
 * @c: the consumer, after consumer_shut()
 *
 * Context: may sleep, in a thread without signals; takes probed_mm::lock and mmap
 * locks.
 */
void ref_ctrs_drop(struct consumer *c)
{
	struct ref_ctr *ref;
	struct probed_mm *pmm;
	bool in_use;

	for (;;) {
		/* A probed mm stays while it has counters. */
		spin_lock(&c->places.lock);
		ref = list_first_entry_or_null(&c->places.ref_ctrs, struct ref_ctr, in_consumer);
		pmm = ref ? ref->pmm : NULL;
		if (pmm)
			refcount_inc(&pmm->life.refs);
		spin_unlock(&c->places.lock);
		if (!pmm)
			break;

		in_use = mmget_not_zero(pmm->mm);
		mutex_lock(&pmm->lock);
		for (;;) {
			spin_lock(&c->places.lock);
			ref = list_first_entry_or_null(&c->places.ref_ctrs, struct ref_ctr,
						       in_consumer);
			/* A counter of another probed mm may be freed under that one's lock. */
			if (ref && ref->pmm != pmm)
				ref = NULL;
			spin_unlock(&c->places.lock);
			if (!ref)
				break;
			if (in_use)
				word_change(pmm->mm, ref->addr, ref->inode, -1, ref);
			ref_ctr_unlink(ref);
			list_add_tail(&ref->in_pmm, &pmm->counters.gone);
		}
		ref_ctrs_prune(pmm);
		mutex_unlock(&pmm->lock);
		if (in_use)
			mmput(pmm->mm);
		pmm_put(pmm);
	}
}

/**
 * ref_ctrs_detach() - unlink all counters of an address space that has ended
 * @pmm: its probed mm
 *
 * Context: may sleep; probed_mm::lock held.
 */
void ref_ctrs_detach(struct probed_mm *pmm)
{
	struct ref_ctr *ref, *next;

	lockdep_assert_held(&pmm->lock);
	list_for_each_entry_safe(ref, next, &pmm->counters.live, in_pmm) {
		ref_ctr_unlink(ref);
		list_add_tail(&ref->in_pmm, &pmm->counters.gone);
	}
	ref_ctrs_prune(pmm);
}

/**
 * ref_ctrs_lost() - mark the counters in a range that is being unmapped
 * @pmm: the probed mm
 * @start: first address of the range
 * @end: first address behind it
 * @from: first address of the range that the current task is moving by mremap()
 * @to: first address behind it; equal to @from if the task moves nothing
 *
 * Context: probed_mm::sites.lock held.
 * Return: whether mremap() is moving some of the counters.
 */
bool ref_ctrs_lost(struct probed_mm *pmm, unsigned long start, unsigned long end,
		   unsigned long from, unsigned long to)
{
	struct ref_ctr *ref;
	bool moves = false;

	lockdep_assert_held(&pmm->sites.lock);
	list_for_each_entry(ref, &pmm->counters.live, in_pmm) {
		if (ref->addr < start || ref->addr >= end || ref->gone)
			continue;
		/* Set this before @gone: unlink_gone() reads both without the lock. */
		if (ref->addr >= from && ref->addr < to) {
			WRITE_ONCE(ref->moves, true);
			moves = true;
		}
		ref_ctr_number(pmm, &ref->gone);
	}
	return moves;
}

static void list_moved(struct list_head *refs, unsigned long from, unsigned long to, long by)
{
	struct ref_ctr *ref;

	list_for_each_entry(ref, refs, in_pmm) {
		if (!READ_ONCE(ref->gone) || !ref->moves || ref->addr < from || ref->addr >= to)
			continue;
		word_change(ref->pmm->mm, ref->addr + by, ref->inode, -1, NULL);
		WRITE_ONCE(ref->moves, false);
	}
}

/**
 * ref_ctrs_moved() - decrement counters that mremap() has moved, at their new addresses
 * @pmm: the probed mm, in use
 * @from: first old address of the range
 * @to: first address behind it
 * @by: distance from the old to the new addresses; 0 if the range was not moved
 *
 * For consumers that are still attached, the caller then increments the counters as in any new
 * mapping.
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 */
void ref_ctrs_moved(struct probed_mm *pmm, unsigned long from, unsigned long to, long by)
{
	mutex_lock(&pmm->lock);
	list_moved(&pmm->counters.live, from, to, by);
	list_moved(&pmm->counters.gone, from, to, by);
	mutex_unlock(&pmm->lock);
}

/* Check whether a fork has copied the counter while it was incremented. */
static bool ref_ctr_copied(const struct ref_ctr *ref, const struct copy_mark *copied)
{
	u64 gone = READ_ONCE(ref->gone);

	return ref->since <= copied->ref_changes && (!gone || gone > copied->ref_changes);
}

/**
 * ref_ctrs_fork_restore() - decrement counters that a forked child has got incremented
 * @parent: probed mm of the parent
 * @mm: address space of the child, in use
 * @copied: state of the parent's address space at the time of the copy
 *
 * If the child gets a consumer, too, ref_ctrs_apply() increments the child's counter for it,
 * independently of this function.
 *
 * Context: may sleep; the parent's probed_mm::lock held; takes the child's mmap lock.
 */
void ref_ctrs_fork_restore(struct probed_mm *parent, struct mm_struct *mm,
			   const struct copy_mark *copied)
{
	struct ref_ctr *ref;

	lockdep_assert_held(&parent->lock);
	list_for_each_entry(ref, &parent->counters.live, in_pmm) {
		if (ref_ctr_copied(ref, copied))
			word_change(mm, ref->addr, ref->inode, -1, NULL);
	}
	list_for_each_entry(ref, &parent->counters.gone, in_pmm) {
		if (ref_ctr_copied(ref, copied))
			word_change(mm, ref->addr, ref->inode, -1, NULL);
	}
}
