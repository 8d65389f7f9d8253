// SPDX-License-Identifier: GPL-2.0
/*
 * What a fork does to sites, consumers and reference counters.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/slab.h>

#include "fork.h"
#include "arch.h"
#include "attach.h"
#include "prepare.h"
#include "ref_ctr.h"
#include "ssol.h"
#include "sync.h"
#include "unwinder.h"
#include "base/compat.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "core/slots.h"
#include "core/ssol_area.h"
#include "core/task.h"
#include "text/breakpoint.h"
#include "text/owner.h"
#include "text/read.h"
#include "uret/calls.h"
#include "uret/calls_walk.h"

/*
 * Whether the kernel's uprobes, which have taken the parent's breakpoint for their own, may
 * have done so in the child: they may have come to the parent alone since the copy was made.
 */
static bool site_claimed(const struct site *site, struct mm_struct *child)
{
	return READ_ONCE(site->owner) == OWNER_OTHER_SECOND && compat_has_uprobes(child);
}

/* A site that the child has got by itself, with the breakpoint of its parent's in the text. */
static void site_is_parents(struct site *own, const struct site *site)
{
	u8 whose = READ_ONCE(site->owner);

	if (READ_ONCE(own->owner) == OWNER_OTHER_FIRST &&
	    (whose == OWNER_OURS ||
	     (whose == OWNER_OTHER_SECOND && !site_claimed(site, own->key.mm))))
		WRITE_ONCE(own->owner, OWNER_OURS);
	if (own->state == SITE_IDLE)
		WRITE_ONCE(own->state, SITE_INHERITED);
}

/**
 * pmm_copy_begins() - the current task is about to copy its address space
 * @parent: its image
 * @start: where the mapping begins that it copies now
 *
 * A fork write-protects what it copies, mapping by mapping in ascending order, with the mmap lock
 * held for writing from before the first: breakpoints and reference counters
 * neither come nor go until it is through, and those of removals that have been
 * numbered are out.
 *
 * Context: may sleep, but not wait for memory; the mmap lock held for writing.
 */
void pmm_copy_begins(struct probed_mm *parent, unsigned long start)
{
	struct utask *utask = utask_get_aside(current);
	bool first;

	if (!utask) {
		pr_warn_ratelimited("no memory: a child of process %d is not probed as its parent is, and its reference counters may be too high\n",
				    task_tgid_nr(current));
		return;
	}
	/* Pairs with site_prepare(). */
	utask->fork.mark.slots = smp_load_acquire(&parent->areas.slots_written);
	/* What mremap() moves may be where an idle site is. */
	utask->fork.mark.removals = atomic_read(&parent->text.moving) ?
				    0 : READ_ONCE(parent->sites.removals);
	/* A fork that has failed may have left something. */
	first = !utask->fork.mark.ref_changes || start <= utask->fork.copied_to;
	utask->fork.copied_to = start;
	WRITE_ONCE(utask->fork.mark.ref_changes, READ_ONCE(parent->counters.changes));
	if (!first || !calls_there(&parent->uret.calls))
		return;
	calls_discard(&utask->fork.calls);
	if (calls_copy(&parent->uret.calls, &utask->fork.calls))
		pr_warn_ratelimited("no memory: a child of process %d may die when it returns from probed calls\n",
				    task_tgid_nr(current));
}

/**
 * pmm_fork_begins() - the current task has copied its address space
 * @parent: its image, or NULL
 * @utask: its state, or NULL
 * @copied: what the address space was like then
 *
 * Context: any; the task reports its fork.  pmm_fork_ends() has to follow if there is
 * an image.
 */
void pmm_fork_begins(struct probed_mm *parent, struct utask *utask, struct copy_mark *copied)
{
	if (parent) {
		atomic_inc(&parent->life.forks);
		/* Before it is to be seen that the task copies no more: pmm_is_forking(). */
		smp_mb__after_atomic();
	}
	*copied = utask ? utask->fork.mark : (struct copy_mark) {};
	if (!utask)
		return;
	utask->fork.mark.removals = 0;
	utask->fork.mark.slots = 0;
	WRITE_ONCE(utask->fork.mark.ref_changes, 0);
}

/**
 * pmm_fork_ends() - a child has been looked after, or will not be
 * @parent: image of the parent
 *
 * Context: any.
 */
void pmm_fork_ends(struct probed_mm *parent)
{
	pmm_fork_put(parent);
}

/* Whether no breakpoint was there when the address space was copied. */
static bool site_was_idle(const struct site *site, const struct copy_mark *copied)
{
	u32 since;

	if (!copied->removals || READ_ONCE(site->state) != SITE_IDLE)
		return false;
	since = READ_ONCE(site->idle_since);
	return since <= copied->removals && since != REMOVALS_MAX;
}

/* Whether the task that forks may be in the slot, and so the child. */
static bool site_forks(const struct site *site)
{
	return site->plan.insn.class == UINSN_SYSCALL || site->plan.insn.class == UINSN_SYSENTER ||
	       site->plan.insn.class == UINSN_INT;
}

/* Whether the child has a copy of the slot of a parent's site. */
static bool slot_copied(const struct probed_mm *child, const struct site *site,
			const struct copy_mark *copied)
{
	const struct ssol_area *area = pmm_area_at(child, site->slot);

	return area && area->inherited && site->slot_nr <= copied->slots;
}

/*
 * Gives the child the areas that it was copied with. Where the parent has got one since, the child
 * may have got one of its own, or something else.
 */
static int areas_fork(struct probed_mm *child, const struct probed_mm *parent)
{
	struct ssol_area *area;
	unsigned int i;

	for (i = 0; i < parent->areas.nr && child->areas.nr < PMM_MAX_AREAS; i++) {
		if (pmm_area_at(child, parent->areas.list[i]->base))
			continue;
		area = ssol_area_copy(parent->areas.list[i], child->mm);
		if (IS_ERR(area))
			return PTR_ERR(area);
		if (area)
			pmm_add_area(child, area);
	}
	return 0;
}

/* Whether the child has a copy of the parent's trampoline, and uses no other one yet. */
static bool trampoline_copied(const struct probed_mm *child, const struct probed_mm *parent)
{
	const struct ssol_area *area = pmm_area_at(child, parent->uret.trampoline);

	return parent->uret.trampoline && child->uret.trampoline != parent->uret.trampoline &&
	       area && area->inherited;
}

/**
 * pmm_fork() - give a forked child what its parent has
 * @child: image of the child, whose address space is a copy of the parent's
 * @parent: image of the parent
 * @copied: as pmm_fork_begins() has told
 *
 * The child has copies of the areas, and of the slots that were in them when it was copied.
 * What either gets from then on is its own.  The sites are known to the child from here on, as
 * inherited; pmm_fork_restore() ends that state for those that get no consumer.
 *
 * The parent may have got further slots since the copy was made.  Their sites are left out: no
 * breakpoint was written before its slot.
 *
 * The child may have got consumers already, from a registration that met it before
 * this: its areas and sites stay, but breakpoints that were taken for somebody
 * else's are the parent's.
 *
 * Context: may sleep; takes both images' locks, parent's first.  The child
 * does not run user code yet.
 * Return: 0 or -ENOMEM, where the child knows only some of the sites.
 */
int pmm_fork(struct probed_mm *child, struct probed_mm *parent, const struct copy_mark *copied)
{
	struct site *site, *own, *copy;
	int ret;

	mutex_lock(&parent->lock);
	mutex_lock_nested(&child->lock, SINGLE_DEPTH_NESTING);
	ret = areas_fork(child, parent);
	/* It has not returned from anything yet: there are no calls through another one. */
	if (!ret && trampoline_copied(child, parent))
		ret = pmm_use_trampoline(child, parent->uret.trampoline);

	for (site = pmm_first_site(parent, 0); site && !ret; site = pmm_next_site(site)) {
		if (site->kind != SITE_PROBE || !slot_copied(child, site, copied) ||
		    (site_was_idle(site, copied) && !site_forks(site)))
			continue;
		own = site_at(child, site->key.addr);
		if (own) {
			site_is_parents(own, site);
			continue;
		}
		copy = site_alloc(child, site->key.addr, SITE_PROBE, NULL);
		if (!copy) {
			ret = -ENOMEM;
			break;
		}
		copy->plan = site->plan;
		copy->slot = site->slot;
		copy->slot_nr = child->areas.slots_written + 1;
		WRITE_ONCE(child->areas.slots_written, copy->slot_nr);
		copy->step = site->step;
		copy->owner = READ_ONCE(site->owner);
		/* Who takes the kernel's out of the parent does so in the child as well. */
		if (copy->owner == OWNER_OTHER_LEFT)
			copy->owner = OWNER_OTHER_FIRST;
		else if (copy->owner == OWNER_OTHER_SECOND)
			copy->owner = OWNER_OURS;
		copy->state = SITE_INHERITED;
		ret = site_add(copy);
		if (ret) {
			site_free(copy);
			break;
		}
		/* Whoever comes to the child from here on finds the site: on_swbp(). */
		smp_mb();
		if (site_claimed(site, child->mm))
			cmpxchg(&copy->owner, OWNER_OURS, OWNER_OTHER_SECOND);
	}
	mutex_unlock(&child->lock);
	mutex_unlock(&parent->lock);
	return ret;
}

/**
 * pmm_fork_consumers() - probe a forked child like its parent
 * @child: image of the child, which has inherited the parent's sites
 * @parent: image of the parent
 *
 * Attaches those consumers of the parent that ask for it.
 *
 * Context: may sleep; takes the images' locks one after the other.
 */
void pmm_fork_consumers(struct probed_mm *child, struct probed_mm *parent)
{
	struct attach_request *requests;
	unsigned int i, nr = 0;
	struct site *site;
	bool returns = false, told = false;

	mutex_lock(&parent->lock);
	if (!parent->attached.heirs) {
		mutex_unlock(&parent->lock);
		return;
	}
	requests = kvcalloc(parent->attached.heirs, sizeof(*requests), GFP_KERNEL);
	for (site = pmm_first_site(parent, 0); site && requests; site = pmm_next_site(site)) {
		struct attachment *a;

		list_for_each_entry(a, &site->attachments, in_site) {
			if (!a->consumer->inherits)
				continue;
			consumer_get(a->consumer);
			returns |= a->consumer->type == CONSUMER_RETURN;
			requests[nr].consumer = a->consumer;
			requests[nr].where = a->where;
			requests[nr++].addr = site->key.addr;
		}
	}
	mutex_unlock(&parent->lock);
	if (!requests) {
		pr_warn("no memory: a child of a probed process is not probed\n");
		return;
	}
	if (returns)
		unwinder_watch(child);
	pmm_attach(child, requests, nr);
	if (returns)
		unwinder_watched(child);
	for (i = 0; i < nr; i++) {
		if (requests[i].result == -ENOMEM && !told) {
			pr_warn_ratelimited("no memory: a child of a probed process is not probed, or not everywhere\n");
			told = true;
		}
		if (!requests[i].result && requests[i].consumer->file.ref_ctr_offset)
			ref_ctrs_apply(child, requests[i].consumer,
				       file_inode(requests[i].consumer->file.counted));
		consumer_put(requests[i].consumer);
	}
	kvfree(requests);
}

/*
 * Takes out what is at one site of the parent's, with @patched also with another operand;
 * @again after a round that came to -EAGAIN.
 * -EAGAIN when the child has got an image meanwhile; -EEXIST when something else
 * follows the breakpoint.  Context: probed_mm::lock of the parent held, and of @child.
 */
static int site_fork_restore(const struct site *site, struct probed_mm *child, struct mm_struct *mm,
			     bool patched, bool again)
{
	static const u8 armed = SITE_ARMED;
	struct text_edit edit = {
		.addr = site->key.addr,
		.text = site->plan.text,
		.len = ssol_len(&site->plan),
		.fixed = ssol_fixed_len(&site->plan),
		/* One that is idle now, and was not when it was copied, was armed. */
		.state = patched && READ_ONCE(site->state) != SITE_LOST ? &armed : NULL,
	};
	struct site *own;
	bool met;

	rcu_read_lock();
	own = site_find(mm, site->key.addr);
	rcu_read_unlock();
	if (own && !child)
		return -EAGAIN;
	/* The kernel's uprobes may have come to the child since. */
	edit.owner = own && READ_ONCE(own->owner) == OWNER_OTHER_SECOND ? &own->owner :
									  &site->owner;
	if (own && own->state == SITE_ARMED) {
		site_is_parents(own, site);
		/* An earlier round took out a breakpoint that a registration counts on. */
		if (again && READ_ONCE(own->owner) == OWNER_OURS)
			breakpoints_insert(mm, &edit, 1);
		return 0;
	}
	breakpoints_remove(mm, &edit, 1);
	if (!child && !edit.result) {
		rcu_read_lock();
		met = pmm_lookup(mm);
		rcu_read_unlock();
		if (met)
			return -EAGAIN;
	}
	if (!own && !text_edit_gone(edit.result))
		pr_warn_ratelimited("the breakpoint of its parent's at 0x%lx stays in process %d: error %d\n",
				    site->key.addr, task_tgid_nr(current), edit.result);
	if (own && text_edit_gone(edit.result))
		site_set_idle(own);
	else if (own)
		WRITE_ONCE(own->state, SITE_LOST);
	return edit.result == -EEXIST ? -EEXIST : 0;
}

/*
 * Whether the site that has come in the place of another may have been armed, too, and
 * its breakpoint be taken for the older one's.
 */
static bool site_replaced_in(const struct site *old, const struct copy_mark *copied)
{
	const struct site *site;
	bool armed;

	rcu_read_lock();
	site = site_find(old->key.mm, old->key.addr);
	armed = site && site != old && !site_was_idle(site, copied) &&
		text_same(site->plan.text + 1, old->plan.text + 1,
			  min(ssol_len(&site->plan), ssol_len(&old->plan)) - 1);
	rcu_read_unlock();
	return armed;
}

/**
 * pmm_fork_restore() - take out of a child's text what its parent had in there
 * @parent: image of the parent
 * @mm: the child's address space, in use
 * @copied: as pmm_fork_begins() has told
 *
 * Sites at which the child is being probed itself stay as they are.
 *
 * Context: may sleep; takes probed_mm::lock and the child's mmap lock.
 */
void pmm_fork_restore(struct probed_mm *parent, struct mm_struct *mm,
		      const struct copy_mark *copied)
{
	struct probed_mm *child;
	struct site *site;
	bool patched, again;
	int ret = 0;

	do {
		again = ret;
		ret = 0;
		patched = false;
		child = pmm_find(mm);
		mutex_lock(&parent->lock);
		if (child)
			mutex_lock_nested(&child->lock, SINGLE_DEPTH_NESTING);
		for (site = pmm_first_site(parent, 0); site && ret != -EAGAIN;
		     site = pmm_next_site(site)) {
			if (site->kind != SITE_PROBE || site_was_idle(site, copied))
				continue;
			ret = site_fork_restore(site, child, mm, false, again);
			patched |= ret == -EEXIST;
		}
		/* The text may have become another since it was copied. */
		for (site = parent->sites.replaced; site && ret != -EAGAIN; site = site->older) {
			if (!site_was_idle(site, copied) && !site_replaced_in(site, copied))
				ret = site_fork_restore(site, child, mm, false, again);
		}
		/* Breakpoints as they were written are out; now those that the program patched. */
		for (site = patched ? pmm_first_site(parent, 0) : NULL; site && ret != -EAGAIN;
		     site = pmm_next_site(site)) {
			if (site->kind == SITE_PROBE && !site_was_idle(site, copied))
				ret = site_fork_restore(site, child, mm, true, again);
		}
		if (ret != -EAGAIN)
			ref_ctrs_fork_restore(parent, mm, copied);
		if (child)
			mutex_unlock(&child->lock);
		mutex_unlock(&parent->lock);
		if (child)
			pmm_put(child);
		cond_resched();
	} while (ret == -EAGAIN);
}
