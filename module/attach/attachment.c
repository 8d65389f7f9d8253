// SPDX-License-Identifier: GPL-2.0
/*
 * Attachments: create them, look them up, free them.
 */
#include <linux/slab.h>

#include "attachment.h"
#include "attach.h"
#include "sync.h"
#include "core/consumer.h"
#include "core/counts.h"
#include "core/probed_mm.h"
#include "core/ring.h"
#include "core/site.h"

/**
 * site_attachment() - look up the attachment of a consumer at a site
 * @site: the site
 * @c: the consumer
 *
 * Context: probed_mm::lock held.
 * Return: the attachment, or NULL if @c is not attached to @site.
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

/* Get memory for an attachment: site::first, if not in use.  Context: probed_mm::lock held. */
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
 * @pmm: the probed mm
 * @site: the site; the consumer is not attached to it yet
 * @request: the consumer, and the place in a file that must be mapped at the site
 *
 * Context: may sleep; probed_mm::lock held.
 * Return: 0, -ENOMEM, or -ESHUTDOWN if the consumer is being unregistered or the address space
 * has ended.
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
	a->pads = NULL;
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
 * attachment_free() - detach a consumer from a site
 * @a: its attachment
 *
 * The consumer set of the site stays the same: the caller replaces the set.
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
	consumer_end_pads(c, &a->pads);
	pmm->attached.heirs -= c->inherits;
	pmm->attached.returns -= c->type == CONSUMER_RETURN;
	pmm->attached.counters -= consumer_counts_in_process(c);
	attachment_release(a->site, a);
	if (last)
		consumer_end_later(c);
	consumer_put(c);
}

/**
 * site_detach_all() - detach all consumers from a site whose mapping is gone
 * @site: the site; its breakpoint is gone with the mapping
 *
 * Context: may sleep; probed_mm::lock held.
 */
void site_detach_all(struct site *site)
{
	struct attachment *a, *next;

	/* What is in rings is for those who are attached now. */
	if (site->pmm->ring)
		rings_empty();
	lockdep_assert_held(&site->pmm->lock);
	list_for_each_entry_safe(a, next, &site->attachments, in_site)
		attachment_free(a);
	site_publish(site, NULL);
	site_set_idle(site);
}
