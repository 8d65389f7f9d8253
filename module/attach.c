// SPDX-License-Identifier: GPL-2.0
/*
 * Bringing consumers and sites together, in batches: attaching, detaching,
 * enabling and disabling all change attachments, and settle the sites.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "breakpoint.h"
#include "image.h"
#include "ref_ctr.h"
#include "settle.h"

static struct attachment *site_attachment(struct site *site, const struct consumer *c)
{
	struct attachment *a;

	list_for_each_entry(a, &site->attachments, in_site) {
		if (a->consumer == c)
			return a;
	}
	return NULL;
}

static int attachment_make(struct image *image, struct site *site,
			   const struct attach_request *request)
{
	struct consumer *c = request->consumer;
	struct attachment *a = kmalloc(sizeof(*a), GFP_KERNEL);

	if (!a)
		return -ENOMEM;
	a->consumer = c;
	a->site = site;
	a->where = request->where;
	a->round = 0;
	spin_lock(&c->lock);
	if (c->dying || image->dead) {
		spin_unlock(&c->lock);
		kfree(a);
		return -ESHUTDOWN;
	}
	list_add_tail(&a->in_consumer, &c->attachments);
	spin_unlock(&c->lock);
	consumer_get(c);
	list_add_tail(&a->in_site, &site->attachments);
	image->nr_heirs += c->inherits;
	image->nr_returns += c->type == CONSUMER_RETURN;
	return 0;
}

static void attachment_free(struct attachment *a)
{
	struct consumer *c = a->consumer;
	bool last;

	spin_lock(&c->lock);
	list_del(&a->in_consumer);
	last = c->homeless && list_empty(&c->attachments);
	spin_unlock(&c->lock);
	a->site->image->nr_heirs -= c->inherits;
	a->site->image->nr_returns -= c->type == CONSUMER_RETURN;
	list_del(&a->in_site);
	kfree(a);
	if (last)
		consumer_end_later(c);
	consumer_put(c);
}

/**
 * site_abandon() - the mapping that a site was in has gone
 * @site: the site; what was probed there is no more
 *
 * Context: may sleep; image::lock held.
 */
void site_abandon(struct site *site)
{
	struct attachment *a, *next;

	lockdep_assert_held(&site->image->lock);
	list_for_each_entry_safe(a, next, &site->attachments, in_site)
		attachment_free(a);
	site_publish(site, NULL);
	WRITE_ONCE(site->state, SITE_IDLE);
}

static int attach_one(struct image *image, struct attach_request *request)
{
	struct site *site = site_prepare(image, request->addr, request->consumer);
	int ret;

	if (IS_ERR(site))
		return PTR_ERR(site);
	/* Settled again, too: the mapping may have gone and come back. */
	if (site_attachment(site, request->consumer))
		return 0;
	if (request->consumer->type == CONSUMER_RETURN) {
		ret = image_need_trampoline(image);
		if (ret)
			return ret;
	}
	ret = attachment_make(image, site, request);
	request->made = !ret;
	return ret;
}

static void attach_undo(struct image *image, struct attach_request *request)
{
	struct site *site = site_at(image, request->addr);
	struct attachment *a = site ? site_attachment(site, request->consumer) : NULL;

	if (a)
		attachment_free(a);
}

static int request_compare(const void *p, const void *q)
{
	const struct attach_request *a = p, *b = q;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Whether the consumer of a request is called, or is not to be. */
static bool request_settled(struct image *image, const struct attach_request *request)
{
	const struct consumer_set *set;
	struct site *site;
	unsigned int i;

	if (!READ_ONCE(request->consumer->live) || image->dead)
		return true;
	site = site_at(image, request->addr);
	set = site && site->state == SITE_ARMED ? site_set(site) : NULL;
	for (i = 0; set && i < set->nr; i++) {
		if (set->consumers[i] == request->consumer)
			return true;
	}
	return false;
}

/**
 * image_attach() - probe addresses for consumers
 * @image: the address space; the caller keeps it in use
 * @requests: who and where; comes back in another order, with the results
 * @n: how many
 *
 * A result is 0, also where the consumer is attached already; one of the errors
 * of register_uprobe(); or -ESHUTDOWN when the consumer is being unregistered.
 * The kernel log says what a caller cannot know.
 *
 * Context: may sleep; takes image::lock and the mmap lock.
 */
void image_attach(struct image *image, struct attach_request *requests, unsigned int n)
{
	unsigned long *addrs = kvmalloc_array(n, sizeof(*addrs), GFP_KERNEL);
	unsigned int i, nr = 0;
	int ret;

	for (i = 0; i < n; i++) {
		requests[i].order = i;
		requests[i].made = false;
		requests[i].result = -ENOMEM;
	}
	if (!addrs)
		return;
	sort(requests, n, sizeof(*requests), request_compare, NULL);

	mutex_lock(&image->lock);
	for (i = 0; i < n; i++) {
		requests[i].result = attach_one(image, &requests[i]);
		if (!requests[i].result)
			addrs[nr++] = requests[i].addr;
		cond_resched();
	}
	ret = image_settle(image, addrs, nr, true, false);
	nr = 0;
	for (i = 0; ret && i < n; i++) {
		if (requests[i].result || request_settled(image, &requests[i]))
			continue;
		requests[i].result = ret;
		if (requests[i].made) {
			attach_undo(image, &requests[i]);
			addrs[nr++] = requests[i].addr;
		}
	}
	if (nr)
		image_settle(image, addrs, nr, true, true);
	mutex_unlock(&image->lock);
	kvfree(addrs);
}

static int addr_compare(const void *p, const void *q)
{
	unsigned long a = *(const unsigned long *)p, b = *(const unsigned long *)q;

	return a < b ? -1 : a > b;
}

/* An image that a consumer is attached to and that this round has not visited. */
static struct image *consumer_next_image(struct consumer *c, unsigned int round)
{
	struct image *image = NULL;
	struct attachment *a;

	spin_lock(&c->lock);
	list_for_each_entry(a, &c->attachments, in_consumer) {
		if (a->round != round) {
			/* It stays while anything is attached to its sites. */
			image = a->site->image;
			refcount_inc(&image->refs);
			break;
		}
	}
	spin_unlock(&c->lock);
	return image;
}

/* Lists where @c is attached in @image, where @addrs is not NULL; returns how often. */
static unsigned int consumer_list(struct consumer *c, const struct image *image,
				  unsigned int round, unsigned long *addrs)
{
	struct attachment *a;
	unsigned int n = 0;

	spin_lock(&c->lock);
	list_for_each_entry(a, &c->attachments, in_consumer) {
		if (a->site->image != image)
			continue;
		if (addrs) {
			a->round = round;
			addrs[n] = a->site->key.addr;
		}
		n++;
	}
	spin_unlock(&c->lock);
	return n;
}

static int image_visit(struct image *image, struct consumer **cs, unsigned int n,
		       unsigned int round, bool detach)
{
	bool in_use = mmget_not_zero(image->mm);
	unsigned int i, j, from, nr = 0;
	unsigned long *addrs;
	int ret;

	mutex_lock(&image->lock);
	for (i = 0; i < n; i++)
		nr += consumer_list(cs[i], image, round, NULL);
	addrs = kvmalloc_array(nr ?: 1, sizeof(*addrs), GFP_KERNEL | __GFP_NOFAIL);
	nr = 0;
	for (i = 0; i < n; i++) {
		from = nr;
		nr += consumer_list(cs[i], image, round, addrs + nr);
		for (j = from; detach && j < nr; j++) {
			struct site *site = site_at(image, addrs[j]);

			attachment_free(site_attachment(site, cs[i]));
		}
	}
	sort(addrs, nr, sizeof(*addrs), addr_compare, NULL);
	ret = image_settle(image, addrs, nr, in_use, detach);
	mutex_unlock(&image->lock);
	kvfree(addrs);
	if (in_use)
		mmput_async(image->mm);
	return ret;
}

static int consumers_visit(struct consumer **cs, unsigned int n, bool detach)
{
	static atomic_t rounds = ATOMIC_INIT(0);
	unsigned int round = atomic_inc_return(&rounds) ?: atomic_inc_return(&rounds);
	struct image *image;
	unsigned int i = 0;
	int err, ret = 0;

	while (i < n) {
		image = consumer_next_image(cs[i], round);
		if (!image) {
			i++;
			continue;
		}
		err = image_visit(image, cs + i, n - i, round, detach);
		ret = ret ?: err;
		image_put(image);
		cond_resched();
	}
	return ret;
}

/**
 * consumers_detach() - take consumers away from all their sites
 * @cs: the consumers, retired
 * @n: how many
 *
 * Context: may sleep, in a thread without signals; takes image::lock and mmap
 * locks.
 */
void consumers_detach(struct consumer **cs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		ref_ctrs_drop(cs[i]);
	consumers_visit(cs, n, true);
}

/**
 * consumer_resettle() - follow a consumer's having been enabled or disabled
 * @c: the consumer
 *
 * Context: may sleep, in a thread without signals; takes image::lock and mmap
 * locks; @c is claimed by the caller.
 * Return: 0 or the first error.
 */
int consumer_resettle(struct consumer *c)
{
	return consumers_visit(&c, 1, false);
}

/**
 * image_detach_one() - take a consumer away from all its sites in an image
 * @image: the address space
 * @c: the consumer
 *
 * Context: may sleep, in a thread without signals; takes image::lock and the
 * mmap lock.
 */
void image_detach_one(struct image *image, struct consumer *c)
{
	image_visit(image, &c, 1, 0, true);
}

/**
 * site_give_up() - take a breakpoint out although it is wanted
 * @site: a site that a task of its process cannot execute out of line
 *
 * It comes back when the site is settled the next time.
 *
 * Context: may sleep; takes image::lock and the mmap lock; the address space
 * is the current task's.
 */
void site_give_up(struct site *site)
{
	struct text_edit edit = site_edit(site);

	mutex_lock(&site->image->lock);
	breakpoints_remove(site->image->mm, &edit, 1);
	if (!edit.result || edit.result == -ENOENT)
		WRITE_ONCE(site->state, SITE_IDLE);
	mutex_unlock(&site->image->lock);
	pr_notice_ratelimited("0x%lx in process %d is probed no more: %s\n", site->key.addr,
			      task_tgid_nr(current),
			      arch_code_mode(task_pt_regs(current)) == (int)site->image->mode ?
			      "its call would not match the shadow stack" :
			      "it is executed as code of another mode");
}

/**
 * image_moved() - text has been moved by mremap()
 * @image: the address space, in use
 * @start: first address that was unmapped
 * @end: the first address behind
 * @by: what is to be added for the new ones
 *
 * The breakpoints have moved along, those included whose probes were taken away
 * meanwhile.  They go, unless there are probes at the new place already; the files
 * that are probed are then to be looked for as in any new mapping.
 *
 * Context: may sleep; takes image::lock and the mmap lock.
 */
void image_moved(struct image *image, unsigned long start, unsigned long end, long by)
{
	struct site *site, *there;
	struct text_edit edit;

	mutex_lock(&image->lock);
	for (site = image_first_site(image, start); site && site->key.addr < end;
	     site = image_next_site(site)) {
		if (site->kind != SITE_PROBE)
			continue;
		there = site_at(image, site->key.addr + by);
		if (there && there->state == SITE_ARMED)
			continue;
		edit = site_edit(site);
		edit.addr += by;
		breakpoints_remove(image->mm, &edit, 1);
		if (there && there->state == SITE_INHERITED)
			WRITE_ONCE(there->state, SITE_IDLE);
	}
	mutex_unlock(&image->lock);
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
	unsigned long addr;

	if (!mmget_not_zero(image->mm))
		return;
	mutex_lock(&image->lock);
	for (site = image_first_site(image, 0); site; site = image_next_site(site)) {
		addr = site->key.addr;
		if (site->kind == SITE_PROBE && site->state != SITE_IDLE)
			image_settle(image, &addr, 1, true, true);
	}
	mutex_unlock(&image->lock);
	mmput_async(image->mm);
}

/**
 * image_reap() - take all consumers away from an image
 * @image: an image that is dead
 *
 * Those that were registered for this process alone end with it.
 *
 * Context: may sleep; takes image::lock.
 */
void image_reap(struct image *image)
{
	struct consumer *c, *next;
	struct site *site;
	bool last;

	mutex_lock(&image->lock);
	ref_ctrs_forget(image);
	for (site = image_first_site(image, 0); site; site = image_next_site(site)) {
		struct attachment *a, *b;

		list_for_each_entry_safe(a, b, &site->attachments, in_site)
			attachment_free(a);
		site_publish(site, NULL);
	}
	list_for_each_entry_safe(c, next, &image->residents, in_home) {
		list_del_init(&c->in_home);
		spin_lock(&c->lock);
		c->homeless = true;
		last = list_empty(&c->attachments);
		spin_unlock(&c->lock);
		if (last)
			consumer_end_later(c);
	}
	mutex_unlock(&image->lock);
}

/**
 * consumer_settle_in() - have a consumer end with a process
 * @c: the consumer, being registered
 * @home: image of the process; the caller has a reference
 *
 * Context: may sleep; @c is claimed by the caller, takes image::lock.
 * Return: 0 or -ESRCH.
 */
int consumer_settle_in(struct consumer *c, struct image *home)
{
	int ret = -ESRCH;

	mutex_lock(&home->lock);
	if (!READ_ONCE(home->dead)) {
		list_add_tail(&c->in_home, &home->residents);
		refcount_inc(&home->refs);
		c->home = home;
		ret = 0;
	}
	mutex_unlock(&home->lock);
	return ret;
}

/**
 * consumer_leave_home() - undo consumer_settle_in()
 * @c: the consumer; nothing is done when it probes a file
 *
 * Context: may sleep; @c is claimed by the caller, takes image::lock.
 */
void consumer_leave_home(struct consumer *c)
{
	struct image *home = c->home;

	if (!home)
		return;
	mutex_lock(&home->lock);
	list_del_init(&c->in_home);
	mutex_unlock(&home->lock);
	c->home = NULL;
	image_put(home);
}
