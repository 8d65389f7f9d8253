// SPDX-License-Identifier: GPL-2.0
/*
 * Sites: analysing the text, giving it a slot, attaching consumers, and what a
 * fork does to all of it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "breakpoint.h"
#include "image.h"
#include "ssol_area.h"

/*
 * Whether text is that of a site, breakpoint included, although the mapping was
 * another one when the site was armed: the program has copied it, or a fork.
 */
static bool site_text_copied(const struct site *site, const u8 *text, int len)
{
	int want = ssol_len(&site->plan);

	return len >= want && text[0] == ARCH_BREAKPOINT &&
	       !memcmp(text + 1, site->plan.text + 1, want - 1);
}

/*
 * Reads and analyses the instruction at @addr.  The breakpoint of @site, where
 * not NULL, may cover its first byte, unless the program wrote over it.
 */
static int site_analyse(struct image *image, unsigned long addr, const struct consumer *c,
			struct site *site, struct ssol_plan *plan)
{
	u8 text[UINSN_MAX_LEN];
	enum ssol_refusal why = SSOL_OK;
	int len, ret;

	len = text_read(image->mm, addr, text, sizeof(text));
	if (len == -EINVAL)
		pr_notice("0x%lx cannot be probed: no private executable mapping is there\n", addr);
	else if (len < 0)
		pr_notice("0x%lx cannot be probed: the text cannot be read\n", addr);
	if (len < 0)
		return len;

	if (site && (site->state == SITE_ARMED ||
		     (site->state != SITE_IDLE && site_text_copied(site, text, len)))) {
		if (text[0] == ARCH_BREAKPOINT)
			text[0] = site->plan.text[0];
		else
			WRITE_ONCE(site->state, SITE_IDLE);
	} else if (text[0] == ARCH_BREAKPOINT) {
		pr_notice("0x%lx cannot be probed: a breakpoint that is not ours is there\n", addr);
		return -EEXIST;
	}

	ret = ssol_plan_insn(plan, text, len, image->mode, &why);
	if (ret == -EPERM) {
		pr_notice("0x%lx cannot be probed: %s (%*ph)\n", addr, ssol_refusal_name(why),
			  len, text);
		return ret;
	}
	if (ret) {
		pr_notice("0x%lx cannot be probed: no instruction is there (%*ph)\n", addr,
			  len, text);
		return -EILSEQ;
	}
	if (memcmp(c->expect, text, min_t(int, c->expect_len, ssol_len(plan)))) {
		pr_notice("0x%lx cannot be probed: other bytes (%*ph) than the caller expects (%*ph)\n",
			  addr, len, text, c->expect_len, c->expect);
		return -EILSEQ;
	}
	return 0;
}

static bool force_step;
module_param_named(single_step, force_step, bool, 0644);
MODULE_PARM_DESC(single_step,
		 "execute instructions out of line under the trap flag, for sites made from now on");

/*
 * Whether to step over an instruction although it need not be.  A system call
 * cannot be: it may fork, exec or block while the step is under way.
 */
static bool prefer_step(const struct ssol_plan *plan)
{
	switch (plan->insn.class) {
	case UINSN_SYSCALL:
	case UINSN_SYSENTER:
	case UINSN_INT:
		return false;
	default:
		return READ_ONCE(force_step);
	}
}

static long image_add_slot(struct image *image, const struct ssol_plan *plan,
			   unsigned long addr, bool *step)
{
	struct ssol_area *area;
	unsigned int i;
	long slot;

	*step = ssol_needs_step(plan) || prefer_step(plan);
	for (i = 0; i < image->nr_areas; i++) {
		if (!ssol_area_reaches(image->areas[i], addr))
			continue;
		slot = ssol_area_add_slot(image->areas[i], plan, addr, *step);
		if (slot != -ENOSPC && slot != -ERANGE)
			return slot;
	}
	if (image->nr_areas == IMAGE_MAX_AREAS)
		return -ENOMEM;
	area = ssol_area_create(image->mm, addr);
	if (IS_ERR(area))
		return PTR_ERR(area);
	image_add_area(image, area);
	slot = ssol_area_add_slot(area, plan, addr, *step);
	if (slot == -ERANGE) {
		/* Not even from the nearest room; a step borrows a register. */
		*step = true;
		slot = ssol_area_add_slot(area, plan, addr, true);
	}
	return slot;
}

static struct site *site_alloc(struct image *image, unsigned long addr, enum site_kind kind)
{
	struct site *site = kzalloc(sizeof(*site), GFP_KERNEL);

	if (!site)
		return NULL;
	site->key.mm = image->mm;
	site->key.addr = addr;
	site->slot_key.mm = image->mm;
	site->kind = kind;
	site->state = SITE_IDLE;
	site->image = image;
	INIT_LIST_HEAD(&site->attachments);
	return site;
}

static void site_publish(struct site *site, struct consumer_set *set)
{
	struct consumer_set *old;

	old = rcu_dereference_protected(site->set, lockdep_is_held(&site->image->lock));
	rcu_assign_pointer(site->set, set);
	consumer_set_put(old);
}

static struct consumer_set *site_set(struct site *site)
{
	return rcu_dereference_protected(site->set, lockdep_is_held(&site->image->lock));
}

static void attachment_free(struct attachment *a)
{
	spin_lock(&a->consumer->lock);
	list_del(&a->in_consumer);
	spin_unlock(&a->consumer->lock);
	list_del(&a->in_site);
	consumer_put(a->consumer);
	kfree(a);
}

/* The mapping that a site was in has gone, and with it what was probed. */
static void site_abandon(struct site *site)
{
	struct attachment *a, *next;

	list_for_each_entry_safe(a, next, &site->attachments, in_site)
		attachment_free(a);
	site_publish(site, NULL);
	WRITE_ONCE(site->state, SITE_IDLE);
}

/*
 * The site at @addr with the instruction that is there now: an existing one,
 * or a new one.
 */
static struct site *site_prepare(struct image *image, unsigned long addr, struct consumer *c)
{
	struct ssol_plan plan;
	struct site *site;
	long slot;
	bool step;
	int ret;

	site = image_first_site(image, addr);
	if (site && site->key.addr != addr)
		site = NULL;
	if (image_area_at(image, addr)) {
		pr_notice("0x%lx cannot be probed: it lies in the SSOL area\n", addr);
		return ERR_PTR(-EINVAL);
	}

	ret = site_analyse(image, addr, c, site, &plan);
	if (ret)
		return ERR_PTR(ret);
	if (site && ssol_len(&plan) == ssol_len(&site->plan) &&
	    !memcmp(plan.text, site->plan.text, ssol_len(&plan)))
		return site;
	if (site && site->state == SITE_LOST)
		site_abandon(site);
	if (site && !list_empty(&site->attachments)) {
		pr_notice("0x%lx cannot be probed: its text changed under another probe\n", addr);
		return ERR_PTR(-EBUSY);
	}

	slot = image_add_slot(image, &plan, addr, &step);
	if (slot < 0) {
		if (slot == -ENOMEM)
			pr_notice("0x%lx cannot be probed: no room for the SSOL area within reach\n",
				  addr);
		return ERR_PTR(slot);
	}
	if (site)
		site_supersede(site);
	site = site_alloc(image, addr, SITE_PROBE);
	if (!site)
		return ERR_PTR(-ENOMEM);
	site->plan = plan;
	site->slot_key.addr = slot;
	site->step = step;
	ret = site_add(site);
	if (ret) {
		kfree(site);
		return ERR_PTR(ret);
	}
	return site;
}

static int image_need_trampoline(struct image *image)
{
	struct site *site;
	int ret;

	if (image->trampoline)
		return 0;
	site = site_alloc(image, ssol_area_trampoline(image->areas[0]), SITE_TRAMPOLINE);
	if (!site)
		return -ENOMEM;
	site->state = SITE_ARMED;
	ret = site_add(site);
	if (ret) {
		kfree(site);
		return ret;
	}
	WRITE_ONCE(image->trampoline, site->key.addr);
	return 0;
}

static int site_arm(struct site *site, const struct image_file *where)
{
	enum site_state was = site->state;
	int ret;

	if (was == SITE_ARMED)
		return 0;
	/* First, as the trap may come at once. */
	WRITE_ONCE(site->state, SITE_ARMED);
	ret = breakpoint_insert(site->image->mm, site->key.addr, site->plan.text[0],
				where ? where->inode : NULL, where ? where->offset : 0);
	if (ret == -EEXIST && (was == SITE_INHERITED || was == SITE_LOST))
		ret = 0;
	if (ret)
		WRITE_ONCE(site->state, was);
	return ret;
}

static void site_disarm(struct site *site)
{
	int ret;

	if (site->state != SITE_ARMED && site->state != SITE_LOST)
		return;
	ret = breakpoint_remove(site->image->mm, site->key.addr, site->plan.text,
				ssol_len(&site->plan));
	if (ret && ret != -ENOENT) {
		pr_warn("the breakpoint at 0x%lx stays in the text: error %d\n",
			site->key.addr, ret);
		return;
	}
	WRITE_ONCE(site->state, SITE_IDLE);
}

/**
 * image_attach() - probe an address for a consumer
 * @image: the address space; the caller keeps it in use
 * @addr: address of the instruction
 * @c: the consumer
 * @where: the file that has to be mapped there, or NULL
 *
 * Context: may sleep; takes image::lock and the mmap lock.
 * Return: 0, also when @c is attached there already; the errors of
 * register_uprobe(); -ESHUTDOWN when @c is being unregistered.  The kernel log
 * says what a caller cannot know.
 */
int image_attach(struct image *image, unsigned long addr, struct consumer *c,
		 const struct image_file *where)
{
	struct consumer_set *set, *old;
	struct attachment *a, *other;
	struct site *site;
	int ret;

	a = kmalloc(sizeof(*a), GFP_KERNEL);
	if (!a)
		return -ENOMEM;

	mutex_lock(&image->lock);
	site = site_prepare(image, addr, c);
	if (IS_ERR(site)) {
		ret = PTR_ERR(site);
		goto free;
	}
	list_for_each_entry(other, &site->attachments, in_site) {
		/* Armed again: the mapping may have gone and come back. */
		if (other->consumer == c) {
			ret = site_arm(site, where);
			goto free;
		}
	}
	if (c->type == CONSUMER_RETURN) {
		ret = image_need_trampoline(image);
		if (ret)
			goto free;
	}
	old = site_set(site);
	set = consumer_set_add(old, c);
	if (!set) {
		ret = -ENOMEM;
		goto free;
	}

	a->consumer = c;
	a->site = site;
	spin_lock(&c->lock);
	if (c->dying || image->dead) {
		spin_unlock(&c->lock);
		consumer_set_put(set);
		ret = -ESHUTDOWN;
		goto free;
	}
	list_add_tail(&a->in_consumer, &c->attachments);
	spin_unlock(&c->lock);
	consumer_get(c);
	list_add_tail(&a->in_site, &site->attachments);

	if (old)
		refcount_inc(&old->refs);
	site_publish(site, set);
	ret = site_arm(site, where);
	if (ret) {
		pr_notice("0x%lx cannot be probed: writing the breakpoint failed, error %d\n",
			  addr, ret);
		site_publish(site, old);
		attachment_free(a);
	} else {
		consumer_set_put(old);
	}
	mutex_unlock(&image->lock);
	return ret;

free:
	mutex_unlock(&image->lock);
	kfree(a);
	return ret;
}

static void image_detach(struct attachment *a, bool in_use)
{
	struct site *site = a->site;

	lockdep_assert_held(&site->image->lock);
	site_publish(site, consumer_set_del(site_set(site), a->consumer));
	attachment_free(a);
	if (in_use && list_empty(&site->attachments))
		site_disarm(site);
}

static struct attachment *consumer_first_attachment(struct consumer *c)
{
	lockdep_assert_held(&c->lock);
	return list_first_entry_or_null(&c->attachments, struct attachment, in_consumer);
}

/**
 * image_detach_consumer() - take a consumer away from all its sites
 * @c: a retired consumer
 *
 * Context: may sleep; takes image::lock and mmap locks.
 */
void image_detach_consumer(struct consumer *c)
{
	struct attachment *a;
	struct image *image;
	bool in_use;

	for (;;) {
		/* An image stays while anything is attached to its sites. */
		spin_lock(&c->lock);
		a = consumer_first_attachment(c);
		image = a ? a->site->image : NULL;
		if (image)
			refcount_inc(&image->refs);
		spin_unlock(&c->lock);
		if (!image)
			break;

		in_use = mmget_not_zero(image->mm);
		mutex_lock(&image->lock);
		for (;;) {
			spin_lock(&c->lock);
			a = consumer_first_attachment(c);
			spin_unlock(&c->lock);
			if (!a || a->site->image != image)
				break;
			image_detach(a, in_use);
		}
		mutex_unlock(&image->lock);
		if (in_use)
			mmput(image->mm);
		image_put(image);
	}
}

/**
 * image_disarm() - take out breakpoints that could not be taken out before
 * @image: an image without consumers
 *
 * Context: may sleep; takes image::lock and the mmap lock.
 */
void image_disarm(struct image *image)
{
	struct site *site;

	if (!mmget_not_zero(image->mm))
		return;
	mutex_lock(&image->lock);
	for (site = image_first_site(image, 0); site; site = image_next_site(site)) {
		if (site->kind == SITE_PROBE)
			site_disarm(site);
	}
	mutex_unlock(&image->lock);
	mmput_async(image->mm);
}

/**
 * image_detach_consumers() - take all consumers away from an image
 * @image: an image that is dead
 *
 * Context: may sleep; takes image::lock.
 */
void image_detach_consumers(struct image *image)
{
	struct attachment *a, *next;
	struct site *site;

	mutex_lock(&image->lock);
	for (site = image_first_site(image, 0); site; site = image_next_site(site)) {
		list_for_each_entry_safe(a, next, &site->attachments, in_site)
			image_detach(a, false);
	}
	mutex_unlock(&image->lock);
}

/**
 * image_inherit() - give a forked child what its parent has
 * @child: image of the child, whose address space is a copy of the parent's
 * @parent: image of the parent
 *
 * The areas that the address space was copied with serve the child as well,
 * with their slots.  The sites are known to the child from here on, as
 * inherited; image_disinherit() ends that state for those that get no consumer.
 *
 * The parent may have got further areas and sites since the copy was made.
 * They are left out: no breakpoint was written before its area was mapped.
 *
 * Context: may sleep; takes both images' locks, parent's first.  The child
 * does not run user code yet.
 * Return: 0 or -ENOMEM, where the child knows only some of the sites.
 */
int image_inherit(struct image *child, struct image *parent)
{
	struct site *site, *copy;
	unsigned int i;
	int ret = 0;

	mutex_lock(&parent->lock);
	mutex_lock_nested(&child->lock, SINGLE_DEPTH_NESTING);
	if (child->nr_areas)
		goto unlock;
	for (i = 0; i < parent->nr_areas; i++) {
		if (ssol_area_mapped(parent->areas[i], child->mm))
			image_add_area(child, ssol_area_get(parent->areas[i]));
	}
	if (child->nr_areas && image_area_at(child, parent->trampoline) == child->areas[0])
		ret = image_need_trampoline(child);

	for (site = image_first_site(parent, 0); site && !ret; site = image_next_site(site)) {
		if (site->kind != SITE_PROBE || !image_area_at(child, site->slot_key.addr))
			continue;
		copy = site_alloc(child, site->key.addr, SITE_PROBE);
		if (!copy) {
			ret = -ENOMEM;
			break;
		}
		copy->plan = site->plan;
		copy->slot_key.addr = site->slot_key.addr;
		copy->step = site->step;
		copy->state = SITE_INHERITED;
		ret = site_add(copy);
		if (ret)
			kfree(copy);
	}
unlock:
	mutex_unlock(&child->lock);
	mutex_unlock(&parent->lock);
	return ret;
}

/**
 * image_disinherit() - take out of a child's text what its parent had in there
 * @parent: image of the parent
 * @mm: the child's address space, in use
 *
 * Sites at which the child is being probed itself stay as they are.
 *
 * Context: may sleep; takes image::lock and the child's mmap lock.
 */
void image_disinherit(struct image *parent, struct mm_struct *mm)
{
	struct image *child = image_find(mm);
	struct site *site, *own;

	mutex_lock(&parent->lock);
	if (child)
		mutex_lock_nested(&child->lock, SINGLE_DEPTH_NESTING);
	for (site = image_first_site(parent, 0); site; site = image_next_site(site)) {
		if (site->kind != SITE_PROBE)
			continue;
		rcu_read_lock();
		own = site_find(mm, site->key.addr);
		rcu_read_unlock();
		if (own && own->state == SITE_ARMED)
			continue;
		breakpoint_remove(mm, site->key.addr, site->plan.text, ssol_len(&site->plan));
		if (own)
			WRITE_ONCE(own->state, SITE_IDLE);
	}
	if (child)
		mutex_unlock(&child->lock);
	mutex_unlock(&parent->lock);
	if (child)
		image_put(child);
}
