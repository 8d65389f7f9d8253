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
