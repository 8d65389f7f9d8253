// SPDX-License-Identifier: GPL-2.0
/*
 * Attachments: which consumers a site has, and which it has no more.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "attachment.h"
#include "attach.h"
#include "sync.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "text/mapped_file.h"

/**
 * site_attachment() - a consumer at a site
 * @site: the site
 * @c: the consumer
 *
 * Context: probed_mm::lock held.
 * Return: the attachment, or NULL when it is not attached there.
 */
struct attachment *site_attachment(struct site *site, const struct consumer *c)
{
	struct attachment *a;

	list_for_each_entry(a, &site->attachments, in_site) {
		if (a->consumer == c)
			return a;
	}
	return NULL;
}

/* Where site::attachments has room for one more; probed_mm::lock held. */
static struct attachment *attachment_alloc(struct site *site)
{
	return site->first.consumer ? kmalloc(sizeof(site->first),
					      GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL) :
				      &site->first;
}

static void attachment_release(struct site *site, struct attachment *a)
{
	if (a == &site->first)
		a->consumer = NULL;
	else
		kfree(a);
}

/**
 * attachment_make() - attach a consumer to a site
 * @pmm: the address space
 * @site: the site, to which it is not attached
 * @request: who, and the file that has to be mapped there
 *
 * Context: may sleep; probed_mm::lock held.
 * Return: 0, -ENOMEM, or -ESHUTDOWN when one of the two is going.
 */
int attachment_make(struct probed_mm *pmm, struct site *site,
		    const struct attach_request *request)
{
	struct attachment *a = attachment_alloc(site);
	struct consumer *c = request->consumer;

	if (!a)
		return -ENOMEM;
	spin_lock(&c->places.lock);
	if (c->places.dying || pmm->life.dead) {
		spin_unlock(&c->places.lock);
		attachment_release(site, a);
		return -ESHUTDOWN;
	}
	a->consumer = c;
	a->site = site;
	a->where = request->where;
	a->round = 0;
	list_add_tail(&a->in_consumer, &c->places.attachments);
	spin_unlock(&c->places.lock);
	consumer_get(c);
	list_add_tail(&a->in_site, &site->attachments);
	pmm->attached.heirs += c->inherits;
	pmm->attached.returns += c->type == CONSUMER_RETURN;
	pmm->attached.counters += consumer_counts_in_process(c);
	return 0;
}

/**
 * attachment_free() - take a consumer away from a site
 * @a: where it is attached
 *
 * The site's set is not changed.
 *
 * Context: probed_mm::lock held.
 */
void attachment_free(struct attachment *a)
{
	struct consumer *c = a->consumer;
	struct probed_mm *pmm = a->site->pmm;
	bool last;

	list_del(&a->in_site);
	spin_lock(&c->places.lock);
	list_del(&a->in_consumer);
	last = c->bound.orphaned && list_empty(&c->places.attachments);
	spin_unlock(&c->places.lock);
	pmm->attached.heirs -= c->inherits;
	pmm->attached.returns -= c->type == CONSUMER_RETURN;
	pmm->attached.counters -= consumer_counts_in_process(c);
	attachment_release(a->site, a);
	if (last)
		consumer_end_later(c);
	consumer_put(c);
}

/**
 * site_detach_all() - the mapping that a site was in has gone
 * @site: the site; what was probed there is no more
 *
 * Context: may sleep; probed_mm::lock held.
 */
void site_detach_all(struct site *site)
{
	struct attachment *a, *next;

	lockdep_assert_held(&site->pmm->lock);
	list_for_each_entry_safe(a, next, &site->attachments, in_site)
		attachment_free(a);
	site_publish(site, NULL);
	site_set_idle(site);
}

static bool same_place(const struct file_place *a, const struct file_place *b)
{
	return a->inode == b->inode && a->offset == b->offset;
}

/* Whether that place in a file is what is mapped at an address. */
static bool mapped_there(struct mm_struct *mm, unsigned long addr, const struct file_place *where)
{
	struct file *file;
	loff_t pos;
	bool same;

	file = mapped_file(mm, addr, &pos);
	if (!file)
		return false;
	same = file_inode(file) == where->inode && pos == where->offset;
	fput(file);
	return same;
}

/**
 * site_detach_stale() - detach what was probed at a place in a mapping that has gone
 * @pmm: the address space, in use
 * @request: who probes it, and where
 *
 * What was probed there in a mapping that has gone is probed there no more: the breakpoint
 * would be written for a file that is not mapped.  Whoever probes this one as well finds it.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 */
void site_detach_stale(struct probed_mm *pmm, const struct attach_request *request)
{
	struct attachment *a, *next;
	bool stale = false;
	struct site *site;

	lockdep_assert_held(&pmm->lock);
	site = request->where.inode ? site_at(pmm, request->addr) : NULL;
	if (!site || READ_ONCE(site->state) == SITE_ARMED)
		return;
	list_for_each_entry(a, &site->attachments, in_site)
		stale |= a->where.inode && !same_place(&a->where, &request->where);
	if (!stale || !mapped_there(pmm->mm, request->addr, &request->where))
		return;
	list_for_each_entry_safe(a, next, &site->attachments, in_site) {
		if (!a->where.inode || same_place(&a->where, &request->where))
			continue;
		if (a->consumer == request->consumer)
			a->where = request->where;
		else
			attachment_free(a);
	}
	/* Until the site is settled, which makes another one. */
	site_publish(site, NULL);
}
