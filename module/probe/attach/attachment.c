// SPDX-License-Identifier: GPL-2.0
/*
 * Attachments: create them, look them up, free them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/slab.h>

#include "attachment.h"
#include "attach_types.h"
#include "ssol.h"
#include "sync.h"
#include "core/consumer.h"
#include "core/counts.h"
#include "core/refusal.h"
#include "core/probed_mm.h"
#include "core/site.h"

/* Check whether the instruction of @plan is the one that a consumer was registered for. */
bool consumer_expects(const struct consumer *c, const struct ssol_plan *plan)
{
	return !memcmp(c->insn.expect, plan->text,
		       min_t(int, c->insn.expect_len, ssol_len(plan)));
}

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

	for (a = site->attached; a; a = a->next) {
		if (a->consumer == c)
			return a;
	}
	return NULL;
}

/*
 * Get memory for an attachment: site::first, if not in use and large enough.  Context:
 * probed_mm::lock held.
 */
static struct attachment *attachment_alloc(struct site *site, const struct consumer *c)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL;
	struct attachment_at *at;

	if (c->file.varies) {
		at = kmalloc(sizeof(*at), gfp);
		return at ? &at->a : NULL;
	}
	return site->first.consumer ? kmalloc(sizeof(site->first), gfp) : &site->first;
}

static void attachment_release(struct site *site, const struct consumer *c, struct attachment *a)
{
	if (a == &site->first)
		a->consumer = NULL;
	else if (c->file.varies)
		kfree(container_of(a, struct attachment_at, a));
	else
		kfree(a);
}

/* Find the link to an attachment in the list of its site, or its end for NULL. */
static struct attachment **attachment_link(struct site *site, const struct attachment *a)
{
	struct attachment **link = &site->attached;

	while (*link != a)
		link = &(*link)->next;
	return link;
}

/**
 * attachment_make() - attach a consumer to a site
 * @pmm: the probed mm
 * @site: the site; the consumer is not attached to it yet
 * @request: the consumer, and its place, if those of the consumer vary
 *
 * Context: may sleep; probed_mm::lock held.
 * Return: 0, -ENOMEM, or -ESHUTDOWN if the consumer is being unregistered or the address space
 * has ended.
 */
int attachment_make(struct probed_mm *pmm, struct site *site,
		    const struct attach_request *request)
{
	struct consumer *c = request->consumer;
	struct attachment *a = attachment_alloc(site, c);

	if (!a)
		return -ENOMEM;
	spin_lock(&c->places.lock);
	if (c->places.dying || pmm->life.dead) {
		spin_unlock(&c->places.lock);
		attachment_release(site, c, a);
		return -ESHUTDOWN;
	}
	a->consumer = c;
	a->site = site;
	a->next = NULL;
	if (c->file.varies)
		container_of(a, struct attachment_at, a)->place = request->place;
	list_add_tail(&a->in_consumer, &c->places.attachments);
	c->places.nr++;
	spin_unlock(&c->places.lock);
	consumer_get(c);
	*attachment_link(site, NULL) = a;
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

	*attachment_link(a->site, a) = a->next;
	spin_lock(&c->places.lock);
	list_del(&a->in_consumer);
	c->places.nr--;
	last = c->bound.orphaned && list_empty(&c->places.attachments);
	spin_unlock(&c->places.lock);
	consumer_end_pads(c, a->site);
	pmm->attached.heirs -= c->inherits;
	pmm->attached.returns -= c->type == CONSUMER_RETURN;
	pmm->attached.counters -= consumer_counts_in_process(c);
	attachment_release(a->site, c, a);
	if (last)
		consumer_end_later(c);
	consumer_put(c);
}

/**
 * site_detach_all() - detach all consumers from a site whose mapping is gone
 * @site: the site; its breakpoint is gone with the mapping, and its hits are in no ring any more
 *
 * Context: may sleep; probed_mm::lock held.
 */
void site_detach_all(struct site *site)
{
	lockdep_assert_held(&site->pmm->lock);
	while (site->attached)
		attachment_free(site->attached);
	site_publish(site, NULL);
	site_set_idle(site);
}

#define OTHER_BYTES	"0x%lx is probed no more: its text changed to other bytes than the caller expects"

/**
 * site_move_attachments() - attach the consumers of a site to the one that has replaced it
 * @from: the site, whose hits are in no ring any more
 * @to: the other site, without consumers
 *
 * A consumer that expects other bytes is detached.
 *
 * Context: may sleep; probed_mm::lock held.  The caller replaces the consumer set of @to.
 */
void site_move_attachments(struct site *from, struct site *to)
{
	struct attachment *a;

	lockdep_assert_held(&from->pmm->lock);
	while ((a = from->attached)) {
		const struct attach_request again = {
			.consumer = a->consumer,
			.place = *attachment_place(a),
		};

		if (!consumer_expects(a->consumer, to->plan)) {
			consumer_refused(a->consumer, OTHER_BYTES, to->key.addr);
			pr_notice_ratelimited(OTHER_BYTES "\n", to->key.addr);
		} else if (attachment_make(from->pmm, to, &again) == -ENOMEM) {
			consumer_missed(a->consumer);
		}
		attachment_free(a);
	}
}
