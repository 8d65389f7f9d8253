// SPDX-License-Identifier: GPL-2.0
/*
 * What a fork does to sites, consumers and reference counters.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/slab.h>

#include "breakpoint.h"
#include "image.h"
#include "ref_ctr.h"
#include "settle.h"
#include "site_table.h"
#include "ssol_area.h"
#include "unwinder.h"

/* A site that the child has got by itself, with the breakpoint of its parent's in the text. */
static void site_is_parents(struct site *own, const struct site *site)
{
	if (READ_ONCE(own->foreign) == FOREIGN_FIRST && READ_ONCE(site->foreign) == FOREIGN_NONE)
		WRITE_ONCE(own->foreign, FOREIGN_NONE);
	if (own->state == SITE_IDLE)
		WRITE_ONCE(own->state, SITE_INHERITED);
}

/**
 * image_copy_begins() - the current task is about to copy its address space
 * @parent: its image
 *
 * A fork write-protects what it copies, mapping by mapping, with the mmap lock
 * held for writing from before the first: breakpoints neither come nor go until
 * it is through, and those of removals that have been numbered are out.  The
 * number is kept with the task's, in one word, as other threads fork as well and
 * may overwrite it; then the child is given more than it needs.
 *
 * Writing a page of a shared file back looks the same, also on a task's way from
 * copying to the event of its fork.  Hence the first of a task's calls counts.
 *
 * Context: any.
 */
void image_copy_begins(struct image *parent)
{
	u32 task = task_pid_nr(current);

	if (READ_ONCE(parent->copied) >> 32 != task)
		WRITE_ONCE(parent->copied, (u64)task << 32 | READ_ONCE(parent->removals));
}

/**
 * image_copied() - when the current task has copied its address space
 * @parent: its image
 *
 * Context: any; the task reports its fork.
 * Return: image::removals when it began to or earlier, or 0 when that is not known.
 */
u32 image_copied(struct image *parent)
{
	u64 copied = READ_ONCE(parent->copied);

	if (copied >> 32 != (u32)task_pid_nr(current))
		return 0;
	/* Another thread may be copying already. */
	cmpxchg(&parent->copied, copied, 0);
	return copied;
}

/* Whether no breakpoint was there when the address space was copied. */
static bool site_was_idle(const struct site *site, u32 copied)
{
	u32 since;

	if (!copied || READ_ONCE(site->state) != SITE_IDLE)
		return false;
	since = READ_ONCE(site->idle_since);
	return since <= copied && since != REMOVALS_MAX;
}

/* Whether the task that forks may be in the slot, and so the child. */
static bool site_forks(const struct site *site)
{
	return site->plan.insn.class == UINSN_SYSCALL || site->plan.insn.class == UINSN_SYSENTER ||
	       site->plan.insn.class == UINSN_INT;
}

/**
 * image_inherit() - give a forked child what its parent has
 * @child: image of the child, whose address space is a copy of the parent's
 * @parent: image of the parent
 * @copied: as image_copied() has told
 *
 * The areas that the address space was copied with serve the child as well,
 * with their slots.  The sites are known to the child from here on, as
 * inherited; image_disinherit() ends that state for those that get no consumer.
 *
 * The parent may have got further areas and sites since the copy was made.
 * They are left out: no breakpoint was written before its area was mapped.
 *
 * The child may have got consumers already, from a registration that met it before
 * this: its areas and sites stay, but breakpoints that were taken for somebody
 * else's are the parent's.
 *
 * Context: may sleep; takes both images' locks, parent's first.  The child
 * does not run user code yet.
 * Return: 0 or -ENOMEM, where the child knows only some of the sites.
 */
int image_inherit(struct image *child, struct image *parent, u32 copied)
{
	struct site *site, *own, *copy;
	unsigned int i;
	int ret = 0;

	mutex_lock(&parent->lock);
	mutex_lock_nested(&child->lock, SINGLE_DEPTH_NESTING);
	for (i = 0; i < parent->nr_areas && child->nr_areas < IMAGE_MAX_AREAS; i++) {
		if (image_area_at(child, parent->areas[i]->base) ||
		    !ssol_area_mapped(parent->areas[i], child->mm))
			continue;
		ret = image_add_area(child, ssol_area_get(parent->areas[i]));
		if (ret) {
			ssol_area_put(parent->areas[i]);
			break;
		}
	}
	/* It has not returned from anything yet: there are no calls through another one. */
	if (!ret && parent->trampoline && child->trampoline != parent->trampoline &&
	    image_area_at(child, parent->trampoline))
		ret = image_use_trampoline(child, parent->trampoline);

	for (site = image_first_site(parent, 0); site && !ret; site = image_next_site(site)) {
		if (site->kind != SITE_PROBE || !image_area_at(child, site->slot) ||
		    (site_was_idle(site, copied) && !site_forks(site)))
			continue;
		own = site_at(child, site->key.addr);
		if (own) {
			site_is_parents(own, site);
			continue;
		}
		copy = site_alloc(child, site->key.addr, SITE_PROBE);
		if (!copy) {
			ret = -ENOMEM;
			break;
		}
		copy->plan = site->plan;
		copy->slot = site->slot;
		copy->step = site->step;
		copy->foreign = READ_ONCE(site->foreign);
		copy->state = SITE_INHERITED;
		ret = site_add(copy);
		if (ret)
			site_free(copy);
	}
	if (!ret)
		ret = ref_ctrs_inherit(child, parent);
	mutex_unlock(&child->lock);
	mutex_unlock(&parent->lock);
	return ret;
}

/**
 * image_inherit_consumers() - probe a forked child like its parent
 * @child: image of the child, which has inherited the parent's sites
 * @parent: image of the parent
 *
 * Attaches those consumers of the parent that ask for it.
 *
 * Context: may sleep; takes the images' locks one after the other.
 */
void image_inherit_consumers(struct image *child, struct image *parent)
{
	struct attach_request *requests;
	unsigned int i, nr = 0;
	struct site *site;

	mutex_lock(&parent->lock);
	if (!parent->nr_heirs) {
		mutex_unlock(&parent->lock);
		return;
	}
	requests = kvcalloc(parent->nr_heirs, sizeof(*requests), GFP_KERNEL);
	for (site = image_first_site(parent, 0); site && requests; site = image_next_site(site)) {
		struct attachment *a;

		list_for_each_entry(a, &site->attachments, in_site) {
			if (!a->consumer->inherits)
				continue;
			consumer_get(a->consumer);
			requests[nr].consumer = a->consumer;
			requests[nr++].addr = site->key.addr;
		}
	}
	mutex_unlock(&parent->lock);
	if (!requests) {
		pr_warn("no memory: a child of a probed process is not probed\n");
		return;
	}
	unwinder_watch(child);
	image_attach(child, requests, nr);
	unwinder_watched(child);
	for (i = 0; i < nr; i++)
		consumer_put(requests[i].consumer);
	kvfree(requests);
}

/**
 * image_disinherit() - take out of a child's text what its parent had in there
 * @parent: image of the parent
 * @mm: the child's address space, in use
 * @copied: as image_copied() has told
 *
 * Sites at which the child is being probed itself stay as they are.
 *
 * Context: may sleep; takes image::lock and the child's mmap lock.
 */
void image_disinherit(struct image *parent, struct mm_struct *mm, u32 copied)
{
	struct image *child = image_find(mm);
	struct site *site, *own;
	struct text_edit edit;

	mutex_lock(&parent->lock);
	if (child)
		mutex_lock_nested(&child->lock, SINGLE_DEPTH_NESTING);
	for (site = image_first_site(parent, 0); site; site = image_next_site(site)) {
		if (site->kind != SITE_PROBE || site_was_idle(site, copied))
			continue;
		rcu_read_lock();
		own = site_find(mm, site->key.addr);
		rcu_read_unlock();
		if (own && own->state == SITE_ARMED)
			continue;
		edit = (struct text_edit) {
			.addr = site->key.addr,
			.text = site->plan.text,
			.len = ssol_len(&site->plan),
			.foreign = &site->foreign,
		};
		breakpoints_remove(mm, &edit, 1);
		if (own)
			site_set_idle(own);
	}
	ref_ctrs_disinherit(child, parent, mm);
	if (child)
		mutex_unlock(&child->lock);
	mutex_unlock(&parent->lock);
	if (child)
		image_put(child);
}
