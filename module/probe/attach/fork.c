// SPDX-License-Identifier: GPL-2.0
/*
 * Fork: the sites, consumers and reference counters of the child.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/slab.h>

#include "fork.h"
#include "arch.h"
#include "attach.h"
#include "attach_types.h"
#include "prepare.h"
#include "ref_ctr.h"
#include "ssol.h"
#include "sync.h"
#include "unwinder.h"
#include "base/compat.h"
#include "core/attached.h"
#include "core/consumer.h"
#include "core/plan.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "core/slots.h"
#include "core/ssol_area.h"
#include "core/task.h"
#include "text/breakpoint.h"
#include "text/give_back.h"
#include "text/owner.h"
#include "text/read.h"
#include "uret/calls.h"
#include "uret/calls_walk.h"

/*
 * Check whether the kernel's uprobes may have taken the breakpoint in the child for their own.
 * They have taken that of the parent, but perhaps only after the copy was made.
 */
static bool site_claimed(const struct site *site, struct mm_struct *child)
{
	return READ_ONCE(site->owner) == OWNER_OTHER_SECOND && compat_has_uprobes(child);
}

/* Handle a site that the child has already, with the breakpoint of its parent in the text. */
static void site_is_parents(struct site *own, const struct site *site)
{
	u8 owner = READ_ONCE(site->owner);

	if (READ_ONCE(own->owner) == OWNER_OTHER_FIRST &&
	    (owner == OWNER_OURS ||
	     (owner == OWNER_OTHER_SECOND && !site_claimed(site, own->key.mm))))
		WRITE_ONCE(own->owner, OWNER_OURS);
	if (own->state == SITE_IDLE)
		WRITE_ONCE(own->state, SITE_INHERITED);
}

/**
 * pmm_copy_begins() - note the state of an address space that the current task is about to copy
 * @parent: its probed mm
 * @start: start of the mapping that the task copies next
 *
 * A fork write-protects the mappings that it copies, one by one in ascending order.  It holds the
 * mmap lock for writing from before the first mapping until the end of the copy.  Meanwhile no
 * breakpoint is inserted or removed, and no reference counter changes.  If a removal has a number
 * by now, its breakpoint is not in the text any more.
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
	/* Pairs with slots_flush(). */
	utask->fork.mark.slots = smp_load_acquire(&parent->areas.slots_written);
	/* mremap() may move a breakpoint to the address of an idle site. */
	utask->fork.mark.removals = atomic_read(&parent->text.moving) ?
				    0 : READ_ONCE(parent->sites.removals);
	/* A failed fork may have left its mark: then the addresses start again. */
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
 * pmm_fork_begins() - take the state that pmm_copy_begins() has noted, after the copy
 * @parent: probed mm of the current task, or NULL
 * @utask: its utask, or NULL
 * @copied: set to the state of the address space at the time of the copy
 *
 * Context: any; the task reports its fork.  pmm_fork_ends() must follow if @parent is not NULL.
 */
void pmm_fork_begins(struct probed_mm *parent, struct utask *utask, struct copy_mark *copied)
{
	if (parent) {
		atomic_inc(&parent->life.forks);
		/* Count the fork before pmm_is_forking() can see the mark cleared. */
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
 * pmm_fork_ends() - end pmm_fork_begins(): the child has been handled, or will not be
 * @parent: probed mm of the parent
 *
 * Context: any.
 */
void pmm_fork_ends(struct probed_mm *parent)
{
	pmm_fork_put(parent);
}

/* Check whether a site had no breakpoint when the address space was copied. */
static bool site_was_idle(const struct site *site, const struct copy_mark *copied)
{
	u32 since;

	if (!copied->removals || READ_ONCE(site->state) != SITE_IDLE)
		return false;
	since = READ_ONCE(site->idle_since);
	return since <= copied->removals && since != REMOVALS_MAX;
}

/* Check whether the child has a copy of the slot of a parent's site. */
static bool slot_copied(const struct probed_mm *child, const struct site *site,
			const struct copy_mark *copied)
{
	const struct ssol_area *area = pmm_area_at(child, site_slot(site));

	return area && area->inherited && site->slot_nr <= copied->slots;
}

/*
 * Give the child the areas that were copied with it.  If the parent has added an area since then,
 * the child may have its own area or another mapping at that address.
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

/* Check whether the child has a copy of the parent's trampoline, and does not use it yet. */
static bool trampoline_copied(const struct probed_mm *child, const struct probed_mm *parent)
{
	const struct ssol_area *area = pmm_area_at(child, parent->uret.trampoline);

	return parent->uret.trampoline && child->uret.trampoline != parent->uret.trampoline &&
	       area && area->inherited;
}

/* Make the site of a child from that of its parent; it has yet to be added. */
static struct site *site_copy(struct probed_mm *child, const struct site *site,
			      struct site_stock *stock)
{
	struct site *copy = site_alloc(child, site->key.addr, SITE_PROBE, stock);

	if (!copy)
		return NULL;
	copy->plan = plan_get(site->plan);
	copy->slot = site->slot;
	copy->slot_nr = ++child->areas.slots_made;
	WRITE_ONCE(child->areas.slots_written, copy->slot_nr);
	copy->step = site->step;
	copy->owner = READ_ONCE(site->owner);
	/*
	 * When the kernel's uprobes remove their breakpoint from the parent, they remove it from
	 * the child as well.
	 */
	if (copy->owner == OWNER_OTHER_LEFT)
		copy->owner = OWNER_OTHER_FIRST;
	else if (copy->owner == OWNER_OTHER_SECOND)
		copy->owner = OWNER_OURS;
	copy->state = SITE_INHERITED;
	return copy;
}

/**
 * pmm_fork() - give a forked child copies of its parent's areas and sites
 * @child: probed mm of the child, whose address space is a copy of the parent's
 * @parent: probed mm of the parent
 * @copied: from pmm_fork_begins()
 *
 * The child has copies of the areas, and of the slots that were in them at the time of the copy.
 * Later slots belong to the parent or the child alone.  The sites of the child start in the state
 * %SITE_INHERITED.  pmm_fork_restore() ends this state for sites that get no consumer.
 *
 * The parent may have got further slots since the copy was made.  Skip their sites: the child has
 * no such breakpoint, because no breakpoint is written before its slot.
 *
 * The child may have consumers already, from a registration that has reached it before this
 * function.  Then its areas and sites stay.  But if the registration has found another owner's
 * breakpoint at a site, that breakpoint is the parent's.
 *
 * Context: may sleep; takes the locks of both probed mms, that of the parent first.  The child does
 * not run user code yet.
 * Return: 0, or -ENOMEM if the child knows only some of the sites.
 */
int pmm_fork(struct probed_mm *child, struct probed_mm *parent, const struct copy_mark *copied)
{
	struct site_stock stock = { .wanted = UINT_MAX };
	struct site *site, *copy, *next, *prev = NULL;
	int ret;

	mutex_lock(&parent->lock);
	mutex_lock_nested(&child->lock, SINGLE_DEPTH_NESTING);
	ret = areas_fork(child, parent);
	/* The child has not returned from any call yet: no call uses another trampoline. */
	if (!ret && trampoline_copied(child, parent))
		ret = pmm_use_trampoline(child, parent->uret.trampoline);

	next = pmm_first_site(child, 0);
	for (site = pmm_first_site(parent, 0); site && !ret; site = pmm_next_site(site)) {
		if (site->kind != SITE_PROBE || !slot_copied(child, site, copied) ||
		    /* In a system call, the task that forks may be in the slot, and its child. */
		    (site_was_idle(site, copied) && !ssol_is_syscall(site->plan)))
			continue;
		for (; next && next->key.addr < site->key.addr; next = pmm_next_site(next))
			prev = next;
		if (next && next->key.addr == site->key.addr) {
			site_is_parents(next, site);
			continue;
		}
		copy = site_copy(child, site, &stock);
		if (!copy) {
			ret = -ENOMEM;
			break;
		}
		ret = site_add_between(copy, prev, next);
		if (ret) {
			site_free(copy);
			break;
		}
		prev = copy;
		/* If the kernel's uprobes come to the child later, on_swbp() finds the site. */
		smp_mb();
		if (site_claimed(site, child->mm))
			cmpxchg(&copy->owner, OWNER_OURS, OWNER_OTHER_SECOND);
	}
	site_stock_end(&stock);
	mutex_unlock(&child->lock);
	mutex_unlock(&parent->lock);
	return ret;
}

/**
 * pmm_fork_consumers() - attach the parent's consumers to a forked child
 * @child: probed mm of the child, after pmm_fork()
 * @parent: probed mm of the parent
 *
 * Attach only consumers with consumer::inherits set.
 *
 * Context: may sleep; takes the locks of the probed mms one after the other.
 */
void pmm_fork_consumers(struct probed_mm *child, struct probed_mm *parent)
{
	struct attach_request *requests;
	unsigned int i, nr = 0;
	struct site *site;
	bool returns = false, reported = false;

	mutex_lock(&parent->lock);
	if (!parent->attached.heirs) {
		mutex_unlock(&parent->lock);
		return;
	}
	requests = kvcalloc(parent->attached.heirs, sizeof(*requests), GFP_KERNEL);
	for (site = pmm_first_site(parent, 0); site && requests; site = pmm_next_site(site)) {
		struct attachment *at;
		struct consumer *c;

		for_each_attached(c, site, at) {
			if (!c->inherits)
				continue;
			consumer_get(c);
			returns |= c->type == CONSUMER_RETURN;
			requests[nr].consumer = c;
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
		if (requests[i].result == -ENOMEM && !reported) {
			pr_warn_ratelimited("no memory: a child of a probed process is not probed, or not everywhere\n");
			reported = true;
		}
		if (!requests[i].result && requests[i].consumer->file.ref_ctr_offset)
			ref_ctrs_apply(child, requests[i].consumer,
				       file_inode(requests[i].consumer->file.counted));
		consumer_put(requests[i].consumer);
	}
	kvfree(requests);
}

/* Number of breakpoints that are removed in one series of edits, which is on the stack. */
#define RESTORE_BATCH	16

/* How often it is tried to remove a breakpoint while there is no memory, a tick in between. */
#define RESTORE_TRIES	20

/**
 * struct restore - removal of the parent's breakpoints from the text of a child
 * @child: probed mm of the child, or NULL
 * @mm: address space of the child
 * @given_back: end of the pages that were given back last
 * @kept: the page that was tried last
 * @removed: a breakpoint has been removed
 * @again: an earlier round has ended because the child had got a probed mm
 * @patching: remove breakpoints that have another operand, too
 * @patched: there are such breakpoints
 * @nr: number of @edits
 * @sites: the sites of the child at the addresses of @edits, or NULL
 * @edits: the breakpoints to remove
 */
struct restore {
	struct probed_mm *child;
	struct mm_struct *mm;
	unsigned long given_back;
	unsigned long kept;
	bool removed;
	bool again;
	bool patching;
	bool patched;
	unsigned int nr;
	struct site *sites[RESTORE_BATCH];
	struct text_edit edits[RESTORE_BATCH];
};

/* Check whether the child has got a probed mm since the removal began. */
static bool restore_met(const struct restore *r)
{
	bool met;

	if (r->child)
		return false;
	rcu_read_lock();
	met = pmm_lookup(r->mm);
	rcu_read_unlock();
	return met;
}

static void restored(struct restore *r, struct site *own, const struct text_edit *edit)
{
	r->removed |= !edit->result;
	r->patched |= edit->result == -EEXIST;
	if (!own && !text_edit_gone(edit->result))
		pr_warn_ratelimited("the breakpoint of its parent's at 0x%lx stays in process %d: error %d\n",
				    edit->addr, task_tgid_nr(current), edit->result);
	if (own && text_edit_gone(edit->result))
		site_set_idle(own);
	else if (own)
		WRITE_ONCE(own->state, SITE_LOST);
}

/* Handle the results of the breakpoints in the list.  Keep those for which there was no memory. */
static void restore_done(struct restore *r, bool again)
{
	unsigned int i, nr = r->nr;

	r->nr = 0;
	for (i = 0; i < nr; i++) {
		if (!again || r->edits[i].result != -ENOMEM || fatal_signal_pending(current)) {
			restored(r, r->sites[i], &r->edits[i]);
			continue;
		}
		r->sites[r->nr] = r->sites[i];
		r->edits[r->nr++] = r->edits[i];
	}
}

/*
 * Remove the breakpoints in the list, and empty the list.  Return 0; -EAGAIN if the child has got a
 * probed mm meanwhile.
 */
static int restore_write(struct restore *r)
{
	unsigned int tries = RESTORE_TRIES;

	while (r->nr) {
		if (restore_met(r))
			return -EAGAIN;
		breakpoints_remove(r->mm, r->edits, r->nr);
		/* A registration may have relied on what has just been removed. */
		if (restore_met(r)) {
			r->removed = true;
			return -EAGAIN;
		}
		restore_done(r, --tries);
		/* The child would die at a breakpoint that has no site. */
		if (r->nr)
			schedule_timeout_killable(1);
	}
	return 0;
}

/*
 * Have the breakpoint of a parent's site removed from the text of the child.  Return as
 * restore_write().  Context: probed_mm::lock of the parent held, and that of the child.
 */
static int restore_site(struct restore *r, const struct site *site)
{
	static const u8 armed = SITE_ARMED;
	struct text_edit edit = {
		.addr = site->key.addr,
		.text = site->plan->text,
		.len = ssol_len(site->plan),
		.fixed = ssol_fixed_len(site->plan),
		/* A site that is idle now, but was not at the time of the copy, was armed then. */
		.state = r->patching && READ_ONCE(site->state) != SITE_LOST ? &armed : NULL,
	};
	struct site *own = NULL;

	if (r->child) {
		rcu_read_lock();
		own = site_find(r->mm, site->key.addr);
		rcu_read_unlock();
	}
	/* The kernel's uprobes may have come to the child since the copy. */
	edit.owner = own && READ_ONCE(own->owner) == OWNER_OTHER_SECOND ? &own->owner :
									  &site->owner;
	if (own && own->state == SITE_ARMED) {
		site_is_parents(own, site);
		/* An earlier round has removed a breakpoint that a registration relies on. */
		if (r->again && READ_ONCE(own->owner) == OWNER_OURS)
			breakpoints_insert(r->mm, &edit, 1);
		return 0;
	}
	r->sites[r->nr] = own;
	r->edits[r->nr++] = edit;
	return r->nr == RESTORE_BATCH ? restore_write(r) : 0;
}

/*
 * Check whether the site that has replaced @old may have been armed at the time of the copy, too.
 * Its breakpoint could be taken for that of @old.
 */
static bool site_replaced_in(const struct site *old, const struct copy_mark *copied)
{
	const struct site *site;
	bool armed;

	rcu_read_lock();
	site = site_find(old->key.mm, old->key.addr);
	armed = site && site != old && !site_was_idle(site, copied) &&
		text_same(site->plan->text + 1, old->plan->text + 1,
			  min(ssol_len(site->plan), ssol_len(old->plan)) - 1);
	rcu_read_unlock();
	return armed;
}

/*
 * Give the page of a parent's site back, if the child has no sites, and its page nothing of its
 * own.  Return 1 if it is given back; 0 if not; -EAGAIN if the child has got a probed mm meanwhile.
 */
static int restore_page(struct restore *r, struct probed_mm *parent, const struct site *site)
{
	unsigned long page = site->key.addr & PAGE_MASK;

	/* Try a page only once. */
	if (r->child || r->patching || page == r->kept)
		return 0;
	r->kept = page;
	r->given_back = text_give_back(parent, r->mm, page);
	if (r->given_back == page)
		return 0;
	r->removed = true;
	return restore_met(r) ? -EAGAIN : 1;
}

/* Remove the breakpoints of the parent's sites that were armed at the time of the copy. */
static int restore_sites(struct restore *r, struct probed_mm *parent,
			 const struct copy_mark *copied)
{
	struct site *site = pmm_first_site(parent, 0);
	int ret = 0;

	while (site && ret >= 0) {
		ret = site->kind == SITE_PROBE && !site_was_idle(site, copied) ?
		      restore_page(r, parent, site) ?: restore_site(r, site) : 0;
		site = ret > 0 ? pmm_first_site(parent, r->given_back) : pmm_next_site(site);
	}
	return ret < 0 ? ret : restore_write(r);
}

static int restore_round(struct restore *r, struct probed_mm *parent,
			 const struct copy_mark *copied)
{
	struct site *site;
	int ret = restore_sites(r, parent, copied);
	bool patched = r->patched;

	/*
	 * If the text of a site has changed since the copy, the site may have been replaced: visit
	 * replaced sites, too.
	 */
	for (site = parent->sites.replaced; site && !ret; site = site->older) {
		if (!site_was_idle(site, copied) && !site_replaced_in(site, copied))
			ret = restore_site(r, site);
	}
	ret = ret ?: restore_write(r);
	/* Unpatched breakpoints are removed.  Now remove those with a patched operand. */
	r->patching = true;
	if (!ret && patched)
		ret = restore_sites(r, parent, copied);
	if (!ret)
		ref_ctrs_fork_restore(parent, r->mm, copied);
	return ret;
}

/**
 * pmm_fork_restore() - remove the parent's breakpoints from the text of a forked child
 * @parent: probed mm of the parent
 * @mm: address space of the child, in use
 * @copied: from pmm_fork_begins()
 *
 * Keep the breakpoints at sites that the child has armed itself.
 *
 * Context: may sleep; takes probed_mm::lock and the child's mmap lock.
 * Return: whether a breakpoint was there to be removed.
 */
bool pmm_fork_restore(struct probed_mm *parent, struct mm_struct *mm,
		      const struct copy_mark *copied)
{
	struct restore r = { .mm = mm };
	int ret;

	do {
		r.nr = 0;
		r.kept = 0;
		r.patched = false;
		r.patching = false;
		r.child = pmm_find(mm);
		mutex_lock(&parent->lock);
		if (r.child)
			mutex_lock_nested(&r.child->lock, SINGLE_DEPTH_NESTING);
		ret = restore_round(&r, parent, copied);
		if (r.child)
			mutex_unlock(&r.child->lock);
		mutex_unlock(&parent->lock);
		if (r.child)
			pmm_put(r.child);
		r.again = true;
		cond_resched();
	} while (ret);
	return r.removed;
}
