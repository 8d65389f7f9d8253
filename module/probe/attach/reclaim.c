// SPDX-License-Identifier: GPL-2.0
/*
 * Reclaim: free the sites and slots that processes have left over from probes.
 *
 * When the last consumer of a site goes, its breakpoint is removed, and the site stays: a trap may
 * be in flight, and a thread may be in the slot.  If no other probe comes, passes that follow each
 * other by some seconds take the site away:
 *
 *   1  It is settled: what its removal has overtaken is over when the next pass begins.
 *   2  No task refers to it: nothing finds it any more, and its slot gets another site.
 *   3  Still no task refers to it: it is freed.
 *
 * Before 2 and 3, a pass notes the sites that tasks refer to: those of the slots at which threads
 * have entered the kernel, and those that utasks name.  A note is only compared, as a utask may
 * name a site that has been freed.  An honest thread cannot come to the slot of a site that is
 * settled.  A program may send a thread there, so that a utask names the site after 2.
 *
 * A pass waits for no program.  It leaves to the next pass what another has locked.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/sort.h>
#include <linux/workqueue.h>

#include "reclaim.h"
#include "arch.h"
#include "ssol.h"
#include "base/compat.h"
#include "core/fork_mark.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_tree.h"
#include "core/slots.h"
#include "core/ssol_area.h"
#include "core/task.h"
#include "jump/jump.h"
#include "text/owner.h"

/* The time between passes: a client that removes many probes may soon insert others. */
#define PASS_DELAY	(5 * HZ)

/* After this number of passes without a result, the next one follows the next removal. */
#define PASSES_MAX	8U

/* The number of sites that are taken from a process in one hold of its locks. */
#define SITES_MAX	16384U

/**
 * struct notes - sites that tasks refer to; only to be compared
 * @sites: the sites
 * @nr: number of them
 * @room: number that there is memory for
 */
struct notes {
	const struct site **sites;
	unsigned int nr;
	unsigned int room;
};

/**
 * struct pass - the state of the passes
 * @notes: the sites that are in use; empty between passes
 * @taken: the sites that nothing finds any more, linked by site::older
 * @vain: how many passes have had no result
 * @again: another pass must follow
 */
struct pass {
	struct notes notes;
	struct site *taken;
	unsigned int vain;
	bool again;
};

/* Only the work uses it. */
static struct pass pass;

static void reclaim_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(reclaim, reclaim_work);

/**
 * reclaim_later() - have the sites that are of no more use freed in some seconds
 *
 * Context: any.
 */
void reclaim_later(void)
{
	pmm_queue_delayed(&reclaim, PASS_DELAY);
}

/* Stop, before pmm_exit().  Context: may sleep; no breakpoint is removed any more. */
void reclaim_exit(void)
{
	cancel_delayed_work_sync(&reclaim);
	/* No thread comes to these any more. */
	synchronize_rcu();
	sites_free(pass.taken);
}

/* Note a site, or count it if there is no room. */
static void note(const struct site *site)
{
	struct notes *notes = &pass.notes;

	if (!site)
		return;
	if (notes->nr < notes->room)
		notes->sites[notes->nr] = site;
	notes->nr++;
}

/* Note the site in whose slot a thread has entered the kernel. */
static void note_slot(struct task_struct *thread)
{
	struct probed_mm *pmm;

	/* A thread whose address space is there has a stack. */
	task_lock(thread);
	pmm = thread->mm && !(thread->flags & PF_KTHREAD) ? pmm_lookup(thread->mm) : NULL;
	if (pmm)
		note(site_of_slot(pmm, READ_ONCE(task_pt_regs(thread)->ip)));
	task_unlock(thread);
}

static void note_utask(struct utask *utask, void *unused)
{
	unsigned int i;

	note(READ_ONCE(utask->hit.site));
	note(READ_ONCE(utask->step.site));
	note(READ_ONCE(utask->signals.delayed));
	note(READ_ONCE(utask->signals.unwound));
	for (i = 0; i < ARRAY_SIZE(utask->signals.resumptions); i++)
		note(READ_ONCE(utask->signals.resumptions[i].site));
	note(READ_ONCE(utask->passed_on.site));
	note(READ_ONCE(utask->passed_on.reported));
	note(READ_ONCE(utask->asking.site));
}

static int site_order(const void *p, const void *q)
{
	const struct site *a = *(const struct site **)p, *b = *(const struct site **)q;

	return a < b ? -1 : a > b;
}

/* Note all sites that are in use.  Return false if there is no memory for that. */
static bool notes_take(struct notes *notes)
{
	struct task_struct *process, *thread;

	do {
		notes->nr = 0;
		rcu_read_lock();
		for_each_process_thread(process, thread)
			note_slot(thread);
		rcu_read_unlock();
		utask_for_each(note_utask, NULL);
		if (notes->nr <= notes->room)
			break;
		kvfree(notes->sites);
		notes->room = notes->nr + notes->nr / 4 + 64;
		notes->sites = kvmalloc_array(notes->room, sizeof(*notes->sites),
					      GFP_KERNEL | __GFP_NOWARN);
	} while (notes->sites);
	if (!notes->sites && notes->nr)
		return false;
	sort(notes->sites, notes->nr, sizeof(*notes->sites), site_order, NULL);
	return true;
}

static void notes_free(struct notes *notes)
{
	kvfree(notes->sites);
	*notes = (struct notes) {};
}

static bool noted(const struct site *site)
{
	unsigned int low = 0, high = pass.notes.nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (pass.notes.sites[middle] == site)
			return true;
		if (pass.notes.sites[middle] < site)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

/*
 * Check whether a site is of no more use.  A system call of a slot may have forked a child that has
 * not run yet.
 */
static bool site_useless(const struct site *site)
{
	if (site->kind != SITE_PROBE || site->state != SITE_IDLE ||
	    READ_ONCE(site->owner) != OWNER_OURS || site->idle_since == REMOVALS_MAX ||
	    site->idle_since > site->pmm->sites.settled)
		return false;
	if (site->attached.word || rcu_access_pointer(site->set) || site->jumps || site->moves)
		return false;
	return !ssol_is_syscall(site->plan) && !noted(site);
}

/*
 * Check whether sites of a process may be of use in ways that they do not show.  A copy of probed
 * text has breakpoints, for which the site must be found when they are executed (copied.c).
 * Context: the mmap lock held for writing: no fork copies the address space.
 */
static bool may_reclaim(struct probed_mm *pmm)
{
	struct vm_area_struct *vma;
	VMA_ITERATOR(vmi, pmm->mm, 0);

	if (READ_ONCE(pmm->resumptions) || READ_ONCE(pmm->passed_on) || READ_ONCE(pmm->asks) ||
	    atomic_read(&pmm->text.moving))
		return false;
	for_each_vma(vmi, vma) {
		if (jump_hidden_text(vma))
			return false;
	}
	return !pmm_is_forking(pmm);
}

/* Free the lists of an area that have become empty. */
static void lists_free(struct ssol_area *area)
{
	const unsigned long size = SLOT_LIST * SSOL_SLOT_ALIGN;
	struct slot_list *list;
	unsigned int i;

	for (i = 0; i < SLOT_LISTS; i++) {
		list = rcu_dereference_protected(area->lists[i], true);
		if (!list || area_first_slot(area, i * size, (i + 1) * size) < (i + 1) * size)
			continue;
		RCU_INIT_POINTER(area->lists[i], NULL);
		compat_kfree_rcu(list);
	}
}

/*
 * Have the next slots of an area made from its start on, between those that were kept.  Drop the
 * pages without slots.  Context: the mmap lock held for writing.
 */
static void area_reuse(struct probed_mm *pmm, struct ssol_area *area)
{
	unsigned long used = area->has_kept ? SSOL_AREA_SIZE : PAGE_ALIGN(area->used);
	struct vm_area_struct *vma = find_vma(pmm->mm, area->base);
	bool there = ssol_area_there(pmm->mm, area->base);
	unsigned long from, next, end, at = 0;

	area->used = SSOL_SLOT_ALIGN;
	area->has_kept = area_first_slot(area, 0, SSOL_AREA_SIZE) < SSOL_AREA_SIZE;
	lists_free(area);
	for (from = 0; there && from < used; from = next + SSOL_SLOT_ALIGN) {
		next = area_first_slot(area, from, used);
		end = next & PAGE_MASK;
		if (end > at)
			compat_zap(vma, area->base + at, end - at);
		/* A slot may end on the next page. */
		at = PAGE_ALIGN(next + SSOL_SLOT_MAX);
	}
}

/* Take the sites of a process that are of no more use.  Return their number. */
static unsigned int sites_take(struct probed_mm *pmm)
{
	struct site *site, *next;
	unsigned int i, n = 0;

	for (i = 0; i < JUMPS_HOT; i++) {
		site = READ_ONCE(pmm->jumps.hot[i]);
		if (site && site->state == SITE_IDLE)
			cmpxchg(&pmm->jumps.hot[i], site, NULL);
	}
	for (site = pmm_first_site(pmm, 0); site; site = next) {
		next = pmm_next_site(site);
		cond_resched();
		if (n < SITES_MAX && site_useless(site)) {
			site_del(site);
			site->older = pass.taken;
			pass.taken = site;
			n++;
		} else if (site->slot_nr && site->slot_nr != SLOT_NR_NONE) {
			/* The numbers begin again, as no fork is in flight. */
			site->slot_nr = 1;
		}
	}
	return n;
}

/*
 * Take what a process has left over.  Return whether that may have been all.  Context:
 * probed_mm::lock and sites_kept held, and the mmap lock for writing.
 */
static bool reclaim_locked(struct probed_mm *pmm)
{
	unsigned int i, n;

	if (!may_reclaim(pmm))
		return false;
	n = sites_take(pmm);
	pmm->areas.slots_made = 1;
	/* Pairs with pmm_copy_begins(). */
	smp_store_release(&pmm->areas.slots_written, 1);
	for (i = 0; n && i < pmm->areas.nr; i++)
		area_reuse(pmm, pmm->areas.list[i]);
	if (n)
		pass.vain = 0;
	return n < SITES_MAX;
}

static bool reclaim_pmm(struct probed_mm *pmm, void *unused)
{
	bool done = false;

	if (READ_ONCE(pmm->life.dead) || !mmget_not_zero(pmm->mm))
		return true;
	if (mutex_trylock(&pmm->lock)) {
		if (down_write_trylock(&sites_kept)) {
			if (compat_mmap_write_trylock(pmm->mm)) {
				done = reclaim_locked(pmm);
				mmap_write_unlock(pmm->mm);
			}
			up_write(&sites_kept);
		}
		if (pmm->sites.settled != pmm->sites.removals) {
			pmm->sites.settled = pmm->sites.removals;
			pass.vain = 0;
			done = false;
		}
		mutex_unlock(&pmm->lock);
	}
	pass.again |= !done;
	mmput_async(pmm->mm);
	return true;
}

/* Free the sites that were taken by earlier passes, except those that tasks still name. */
static void free_taken(void)
{
	struct site *site, *next, *rest = NULL, *freed = NULL;

	for (site = pass.taken; site; site = next) {
		next = site->older;
		if (noted(site)) {
			site->older = rest;
			rest = site;
		} else {
			site->older = freed;
			freed = site;
		}
	}
	sites_free(freed);
	pass.taken = rest;
}

static void reclaim_work(struct work_struct *work)
{
	/* Traps of removed breakpoints end, and so does who has just found a site that is taken. */
	synchronize_rcu();
	/* Threads that are running save their registers. */
	kick_all_cpus_sync();
	pass.again = !notes_take(&pass.notes);
	/* Tasks that were moving noted text are done, and have set the flags of the process. */
	synchronize_rcu();
	if (!pass.again) {
		free_taken();
		pmm_for_each(reclaim_pmm, NULL);
	}
	notes_free(&pass.notes);
	if (!pass.again && !pass.taken)
		return;
	if (pass.vain++ < PASSES_MAX)
		reclaim_later();
	else
		pass.vain = 0;
}
