// SPDX-License-Identifier: GPL-2.0
/*
 * Attach a consumer to a site, and detach it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/slab.h>

#include "attachment.h"
#include "attach_types.h"
#include "ssol.h"
#include "sync.h"
#include "core/attached.h"
#include "core/consumer.h"
#include "core/counts.h"
#include "core/refusal.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "jump/timing.h"

/* Check whether the instruction of @plan is the one that a consumer was registered for. */
bool consumer_expects(const struct consumer *c, const struct ssol_plan *plan)
{
	return !memcmp(c->insn.expect, plan->text,
		       min_t(int, c->insn.expect_len, ssol_len(plan)));
}

/* Check whether a consumer is attached to a site.  Context: probed_mm::lock held. */
bool site_has(const struct site *site, const struct consumer *c)
{
	const struct consumer *other;
	struct attachment *at;

	for_each_attached(other, site, at) {
		if (other == c)
			return true;
	}
	return false;
}

static struct attachment *attachment_alloc(const struct consumer *c)
{
	const gfp_t gfp = GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	struct attachment_at *at;

	if (!c->file.varies)
		return kmalloc(sizeof(struct attachment), gfp);
	at = kmalloc(sizeof(*at), gfp);
	return at ? &at->a : NULL;
}

static void attachment_release(const struct consumer *c, struct attachment *a)
{
	if (c->file.varies)
		kfree(container_of(a, struct attachment_at, a));
	else
		kfree(a);
}

/*
 * The first list that a consumer allocates has room for so many sites.  The list doubles, and is
 * copied under a spinlock: half a megabyte for 65,536 places.
 */
#define PLACES_MANY	16U

static void place_set_index(unsigned long place, u32 index)
{
	if (place & ATTACHED_LIST)
		((struct attachment *)(place - ATTACHED_LIST))->index = index;
	else
		((struct site *)place)->index = index;
}

static void places_free(struct consumer *c, unsigned long *list)
{
	if (list != c->places.few)
		kvfree(list);
}

/* Give memory back, if a consumer has left most of its places and the kernel has other memory. */
static void places_shrink(struct consumer *c)
{
	unsigned int room = READ_ONCE(c->places.room) / 4;
	unsigned long *list;

	/* A consumer that is being unregistered gives back all of it soon. */
	if (room < PLACES_MANY || READ_ONCE(c->places.nr) > room / 2 || READ_ONCE(c->places.dying))
		return;
	list = kvmalloc_array(room, sizeof(*list), GFP_KERNEL | __GFP_NORETRY | __GFP_NOWARN);
	if (!list)
		return;
	spin_lock(&c->places.lock);
	if (c->places.nr <= room && c->places.room > room) {
		memcpy(list, c->places.list, c->places.nr * sizeof(*list));
		swap(list, c->places.list);
		c->places.room = room;
	}
	spin_unlock(&c->places.lock);
	places_free(c, list);
}

/*
 * Add a place to the list of a consumer if there is room, in *@list if that has more room than the
 * list of the consumer: then *@list becomes the old one.  Return 0, -EAGAIN or -ESHUTDOWN.
 */
static int place_try(struct consumer *c, const struct probed_mm *pmm, unsigned long place,
		     unsigned long **list, unsigned int room)
{
	int ret = 0;

	spin_lock(&c->places.lock);
	if (room > c->places.room) {
		memcpy(*list, c->places.list, c->places.nr * sizeof(**list));
		swap(*list, c->places.list);
		c->places.room = room;
	}
	if (c->places.dying || pmm->life.dead) {
		ret = -ESHUTDOWN;
	} else if (c->places.nr == c->places.room) {
		ret = -EAGAIN;
	} else {
		place_set_index(place, c->places.nr);
		c->places.list[c->places.nr++] = place;
	}
	spin_unlock(&c->places.lock);
	return ret;
}

/* Add a place to the list of a consumer.  Return as site_attach(). */
static int place_add(struct consumer *c, const struct probed_mm *pmm, unsigned long place)
{
	int ret = place_try(c, pmm, place, NULL, 0);
	unsigned long *list;
	unsigned int room;

	while (ret == -EAGAIN) {
		room = max(PLACES_MANY, 2 * READ_ONCE(c->places.room));
		list = kvmalloc_array(room, sizeof(*list),
				      GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
		if (!list)
			return -ENOMEM;
		ret = place_try(c, pmm, place, &list, room);
		places_free(c, list);
	}
	return ret;
}

/* Let the only consumer of a site, which the site names, have an attachment. */
static int site_begin_list(struct site *site)
{
	struct consumer *c = (struct consumer *)site->attached.word;
	struct attachment *a = attachment_alloc(c);

	if (!a)
		return -ENOMEM;
	*a = (struct attachment) { .consumer = c, .site = site };
	spin_lock(&c->places.lock);
	a->index = site->index;
	c->places.list[a->index] = (unsigned long)a + ATTACHED_LIST;
	spin_unlock(&c->places.lock);
	site->attached.word = (unsigned long)a + ATTACHED_LIST;
	return 0;
}

/* Attach a consumer to a site that has others, or whose place varies.  Return as site_attach(). */
static int attach_to_list(struct site *site, const struct attach_request *request)
{
	struct consumer *c = request->consumer;
	struct attachment *a, *last;
	int ret = 0;

	if (site->attached.word && !attached_list(site))
		ret = site_begin_list(site);
	a = ret ? NULL : attachment_alloc(c);
	if (!a)
		return -ENOMEM;
	a->consumer = c;
	a->site = site;
	a->next = NULL;
	if (c->file.varies)
		container_of(a, struct attachment_at, a)->place = request->place;
	ret = place_add(c, site->pmm, (unsigned long)a + ATTACHED_LIST);
	if (ret) {
		attachment_release(c, a);
		return ret;
	}
	last = attached_list(site);
	while (last && last->next)
		last = last->next;
	if (last)
		last->next = a;
	else
		site->attached.word = (unsigned long)a + ATTACHED_LIST;
	return 0;
}

/* Check whether a consumer at a site times its calls. */
static bool is_timed(const struct site *site)
{
	struct attachment *at;
	struct consumer *c;
	bool timed = false;

	for_each_attached(c, site, at)
		timed |= c->timing == TIMING_BEGIN;
	return timed;
}

/**
 * site_attach() - attach a consumer to a site
 * @site: the site; the consumer is not attached to it yet
 * @request: the consumer, and its place, if those of the consumer vary
 *
 * Context: may sleep; probed_mm::lock held.
 * Return: 0, -ENOMEM, or -ESHUTDOWN if the consumer is being unregistered or the address space
 * has ended.
 */
int site_attach(struct site *site, const struct attach_request *request)
{
	struct consumer *c = request->consumer;
	struct probed_mm *pmm = site->pmm;
	int ret;

	if (c->timing == TIMING_BEGIN && !is_timed(site))
		timing_forget(site);
	if (site->attached.word || c->file.varies) {
		ret = attach_to_list(site, request);
	} else {
		ret = place_add(c, pmm, (unsigned long)site);
		site->attached.word = ret ? 0 : (unsigned long)c;
	}
	if (ret)
		return ret;
	consumer_get(c);
	pmm->attached.heirs += c->inherits;
	pmm->attached.returns += c->type == CONSUMER_RETURN;
	pmm->attached.counters += consumer_counts_in_process(c);
	return 0;
}

/* Take an attachment out of the list of its site. */
static void list_leave(struct site *site, struct attachment *a)
{
	struct attachment *before = attached_list(site);

	if (before == a) {
		site->attached.word = a->next ? (unsigned long)a->next + ATTACHED_LIST : 0;
		return;
	}
	while (before->next != a)
		before = before->next;
	before->next = a->next;
}

/* Remove a place from the list of a consumer: the last one takes its index. */
static void place_del(struct consumer *c, u32 index)
{
	unsigned long last;

	lockdep_assert_held(&c->places.lock);
	last = c->places.list[--c->places.nr];
	c->places.list[index] = last;
	place_set_index(last, index);
}

/**
 * site_detach() - detach a consumer from a site
 * @site: the site
 * @c: the consumer, attached there
 *
 * The consumer set of the site stays the same: the caller replaces the set.
 *
 * Context: probed_mm::lock held.
 */
void site_detach(struct site *site, struct consumer *c)
{
	struct attachment *a = attached_list(site);
	struct probed_mm *pmm = site->pmm;
	bool ends;

	while (a && a->consumer != c)
		a = a->next;
	if (a)
		list_leave(site, a);
	else
		site->attached.word = 0;
	spin_lock(&c->places.lock);
	place_del(c, a ? a->index : site->index);
	ends = c->bound.orphaned && !c->places.nr;
	spin_unlock(&c->places.lock);
	places_shrink(c);
	consumer_end_pads(c, site);
	pmm->attached.heirs -= c->inherits;
	pmm->attached.returns -= c->type == CONSUMER_RETURN;
	pmm->attached.counters -= consumer_counts_in_process(c);
	if (a)
		attachment_release(c, a);
	if (ends)
		consumer_end_later(c);
	consumer_put(c);
}

/* Detach all consumers from a site.  Context: may sleep; probed_mm::lock held. */
void site_forget_consumers(struct site *site)
{
	struct attachment *at;
	struct consumer *c;

	lockdep_assert_held(&site->pmm->lock);
	while ((c = attached_first(site, &at)))
		site_detach(site, c);
	site_publish(site, NULL);
}

/**
 * site_detach_all() - detach all consumers from a site whose mapping is gone
 * @site: the site; its breakpoint is gone with the mapping, and its hits are in no ring any more
 *
 * Context: may sleep; probed_mm::lock held.
 */
void site_detach_all(struct site *site)
{
	site_forget_consumers(site);
	site_set_idle(site);
}

#define OTHER_BYTES	"0x%lx is probed no more: its text changed to other bytes than the caller expects"

/* Let another site have the only consumer of a site, which takes no memory. */
static bool only_moved(struct site *from, struct site *to)
{
	struct consumer *c = (struct consumer *)from->attached.word;

	if (attached_list(from) || to->attached.word)
		return false;
	spin_lock(&c->places.lock);
	to->index = from->index;
	c->places.list[to->index] = (unsigned long)to;
	spin_unlock(&c->places.lock);
	to->attached = from->attached;
	from->attached.word = 0;
	consumer_end_pads(c, from);
	return true;
}

/**
 * site_move_consumers() - attach the consumers of a site to the one that has replaced it
 * @from: the site, whose hits are in no ring any more
 * @to: the other site, without consumers
 *
 * A consumer that expects other bytes is detached.
 *
 * Context: may sleep; probed_mm::lock held.  The caller replaces the consumer set of @to.
 */
void site_move_consumers(struct site *from, struct site *to)
{
	struct attachment *at;
	struct consumer *c;

	lockdep_assert_held(&from->pmm->lock);
	while ((c = attached_first(from, &at))) {
		const struct attach_request again = {
			.consumer = c,
			.place = *attached_place(c, at),
		};

		if (consumer_expects(c, to->plan) && only_moved(from, to))
			return;
		if (!consumer_expects(c, to->plan)) {
			consumer_refused(c, OTHER_BYTES, to->key.addr);
			pr_notice_ratelimited(OTHER_BYTES "\n", to->key.addr);
		} else if (site_attach(to, &again) == -ENOMEM) {
			consumer_missed(c);
		}
		site_detach(from, c);
	}
}
