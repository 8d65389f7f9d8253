// SPDX-License-Identifier: GPL-2.0
/*
 * Reference counters: finding them, keeping the list, changing the words.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "ref_ctr.h"
#include "core/consumer.h"
#include "core/fork_mark.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_tree.h"
#include "core/task.h"
#include "text/mapped_file.h"
#include "text/user_word.h"

/*
 * Where one address space can have the same counter.  Any program can map its file as often
 * as it likes, and each place is looked for among all.
 */
#define MAX_PLACES	16

/* Data of its own that a process may change, or could when it was counted; with a file behind. */
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

/* Numbers a change.  Context: the mmap lock held, probed_mm::sites.lock, too. */
static void ref_ctr_number(struct probed_mm *pmm, u64 *number)
{
	WRITE_ONCE(pmm->counters.changes, pmm->counters.changes + 1);
	WRITE_ONCE(*number, pmm->counters.changes);
}

/*
 * Changes the word if what is mapped there still is what it was.  Where it is that of @ref,
 * that must not be gone, and the change is numbered.
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

/* Lists a counter; false when the consumer is being unregistered. */
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
 * ref_ctrs_free() - forget the counters that are gone
 * @pmm: an address space that is not being copied, or that nobody else uses
 *
 * Context: any in which memory can be freed; probed_mm::lock held, or nobody else using it.
 */
void ref_ctrs_free(struct probed_mm *pmm)
{
	struct ref_ctr *ref, *next;

	list_for_each_entry_safe(ref, next, &pmm->counters.gone, in_pmm) {
		list_del(&ref->in_pmm);
		kfree(ref);
	}
}

/* Forgets them unless they may be in copies of the address space, or at another place in it. */
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
	/* Listed first, so that an unmapping in between is noticed. */
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
	struct attachment *a;
	bool found = false;

	spin_lock(&c->places.lock);
	list_for_each_entry(a, &c->places.attachments, in_consumer) {
		if (a->site->pmm == pmm) {
			found = true;
			break;
		}
	}
	spin_unlock(&c->places.lock);
	return found;
}

/* Forgets those of a consumer, or of all, whose mappings have gone, so that they do not pile up. */
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

/* Increments its counters wherever @inode is mapped.  Context: may sleep; probed_mm::lock held. */
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
 * @pmm: the address space, in use
 * @c: a consumer with a reference counter; nothing is done where it is not
 *	attached
 * @inode: the file that has the counter
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 * Return: 0; -EINVAL when the counter does not lie at an even address; -ENOMEM
 * and its like.
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

/* Whether its attachment at @site, of a probe on one process, still is in the file it was in. */
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
 * ref_ctrs_mapped() - increment the counters of probes on one process that have been mapped
 * @mm: the address space, in use
 *
 * Those of probes on files are seen to by mapping_apply().  What cannot be incremented the
 * kernel log says.
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 */
void ref_ctrs_mapped(struct mm_struct *mm)
{
	struct probed_mm *pmm = pmm_find(mm);
	struct attachment *a;
	struct site *site;

	if (!pmm)
		return;
	/* A registration that is under way looks for itself. */
	if (!READ_ONCE(pmm->attached.counters))
		goto put;
	mutex_lock(&pmm->lock);
	unlink_gone(pmm, NULL);
	for (site = pmm->life.dead ? NULL : pmm_first_site(pmm, 0); site;
	     site = pmm_next_site(site)) {
		if (site->state == SITE_LOST)
			continue;
		list_for_each_entry(a, &site->attachments, in_site) {
			if (consumer_counts_in_process(a->consumer) &&
			    in_counted_file(site, a->consumer))
				apply(pmm, a->consumer, file_inode(a->consumer->file.counted));
		}
		cond_resched();
	}
	mutex_unlock(&pmm->lock);
put:
	pmm_put(pmm);
}

/**
 * ref_ctrs_drop() - decrement all counters that a consumer has incremented
 * @c: a retired consumer
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
		/* An image stays while it has counters. */
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
			/* One of another image may be freed any time under the lock of that. */
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
 * ref_ctrs_detach() - the address space is gone, and its counters
 * @pmm: the address space
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
 * ref_ctrs_lost() - addresses are being unmapped
 * @pmm: the address space
 * @start: the first address
 * @end: the first address behind
 * @from: the first address that the current task is moving by mremap()
 * @to: the first address behind; @from if it is not
 *
 * Context: probed_mm::sites.lock held.
 * Return: whether there are some that move.
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
		/* Before it is gone: unlink_gone() does not take the lock. */
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
 * ref_ctrs_moved() - decrement counters where mremap() has put them
 * @pmm: the address space, in use
 * @from: the first address that it was to move
 * @to: the first address behind
 * @by: what is to be added for the new ones; 0 when they have stayed, after all
 *
 * The consumers that still are attached are then to be counted as in any new mapping.
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

/* Whether a fork has copied the counter incremented. */
static bool ref_ctr_copied(const struct ref_ctr *ref, const struct copy_mark *copied)
{
	u64 gone = READ_ONCE(ref->gone);

	return ref->since <= copied->ref_changes && (!gone || gone > copied->ref_changes);
}

/**
 * ref_ctrs_fork_restore() - decrement what a forked child has got incremented
 * @parent: image of the parent
 * @mm: the child's address space, in use
 * @copied: what the parent's was like when it was copied
 *
 * For the consumers that the child has, too, its counters are incremented anew.
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
