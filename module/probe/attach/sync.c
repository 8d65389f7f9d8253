// SPDX-License-Identifier: GPL-2.0
/*
 * Sync: bring the consumer sets of sites in line with their attachments, and the text in line with
 * the consumer sets.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/mm.h>
#include <linux/slab.h>

#include "sync.h"
#include "arch.h"
#include "reclaim.h"
#include "ssol.h"
#include "core/attached.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/refusal.h"
#include "core/site.h"
#include "core/site_tree.h"
#include "jump/jump.h"
#include "jump/ring.h"
#include "text/breakpoint.h"
#include "text/give_back.h"
#include "text/owner.h"
#include "text/read.h"

/* Maximum number of breakpoints that are written in one series of edits. */
#define SYNC_BATCH	256U

/* Return the consumer set of a site, or NULL.  Context: probed_mm::lock held. */
struct consumer_set *site_set(struct site *site)
{
	return rcu_dereference_protected(site->set, lockdep_is_held(&site->pmm->lock));
}

/* Publish another consumer set; take over the reference to it.  Context: probed_mm::lock held. */
void site_publish(struct site *site, struct consumer_set *set)
{
	struct consumer_set *old = site_set(site);

	rcu_assign_pointer(site->set, set);
	consumer_set_retire(old);
}

/* Look up the site at @addr that traps find, or NULL.  Context: probed_mm::lock held. */
struct site *site_at(struct probed_mm *pmm, unsigned long addr)
{
	struct site *site = pmm_first_site(pmm, addr);

	return site && site->key.addr == addr ? site : NULL;
}

/**
 * struct live - the consumers of a site whose handlers are called
 * @nr: their number
 * @first: the first one
 * @last: the last one
 * @shared: they are in every process, so that sites of other processes have the same ones.  No hit
 *	takes a reference to the set: processors would contend for it
 */
struct live {
	unsigned int nr;
	struct consumer *first;
	struct consumer *last;
	bool shared;
};

static struct live site_live(const struct site *site)
{
	struct live live = { .shared = true };
	struct attachment *at;
	struct consumer *c;

	for_each_attached(c, site, at) {
		if (!READ_ONCE(c->run.live))
			continue;
		live.nr++;
		live.first = live.first ?: c;
		live.last = c;
		live.shared &= c->in_every_process && !c->run.sleeps;
	}
	return live;
}

/* Check whether a set has the consumers of a site whose handlers are called. */
static bool set_matches(const struct consumer_set *set, const struct site *site)
{
	struct attachment *at;
	unsigned int i = 0;
	struct consumer *c;

	for_each_attached(c, site, at) {
		if (READ_ONCE(c->run.live) && (i == set->nr || set->consumers[i++] != c))
			return false;
	}
	return i == set->nr;
}

/* Get the set of a site with several consumers: that of another process, or a new one. */
static struct consumer_set *set_get(const struct site *site, const struct live *live, gfp_t gfp)
{
	struct consumer_set *set = live->shared ? consumer_set_offered(live->last) : NULL;
	struct attachment *at;
	struct consumer *c;

	if (set && set_matches(set, site))
		return set;
	consumer_set_retire(set);
	/* No program pays for what others use, too. */
	set = consumer_set_alloc(live->nr, live->shared ? gfp & ~__GFP_ACCOUNT : gfp);
	if (!set)
		return NULL;
	for_each_attached(c, site, at) {
		/* Consumers may be enabled and disabled meanwhile: the sync for that is to come. */
		if (READ_ONCE(c->run.live) && set->nr < live->nr)
			consumer_set_append(set, c);
	}
	if (live->shared && set->nr)
		consumer_set_offer(live->last, set);
	return set;
}

/* Publish a consumer set that matches the attachments of a site. */
static int site_refresh(struct site *site, gfp_t gfp)
{
	const struct live live = site_live(site);
	struct consumer_set *set = NULL;

	if (live.nr == 1) {
		set = consumer_set_solo(live.first);
	} else if (live.nr) {
		set = set_get(site, &live, gfp);
		if (!set)
			return -ENOMEM;
		if (!set->nr) {
			consumer_set_put(set);
			set = NULL;
		}
	}
	site_publish(site, set);
	return 0;
}

/* Find the place in a file that must be mapped where the breakpoint is inserted. */
static const struct file_place *site_file(const struct site *site)
{
	static const struct file_place any;
	const struct consumer *c;
	struct attachment *at;

	for_each_attached(c, site, at) {
		if (attached_place(c, at)->inode)
			return attached_place(c, at);
	}
	return &any;
}

/* Fill in an edit for the breakpoint of a site.  Context: probed_mm::lock held. */
struct text_edit site_edit(struct site *site)
{
	const struct file_place *place;

	lockdep_assert_held(&site->pmm->lock);
	place = site_file(site);
	return (struct text_edit) {
		.addr = site->key.addr,
		.text = site->plan->text,
		.len = ssol_len(site->plan),
		.fixed = ssol_fixed_len(site->plan),
		.inode = place->inode,
		.offset = place->offset,
		.site = site,
		.owner = &site->owner,
		.state = &site->state,
	};
}

/**
 * struct syncing - a site whose breakpoint is about to be inserted or removed
 * @site: the site
 * @was: its state before
 * @owner: its site::owner before
 */
struct syncing {
	struct site *site;
	enum site_state was;
	u8 owner;
};

/**
 * struct sync_batch - breakpoints to insert, or to remove
 * @removing: they are to be removed
 * @nr: number of @edits
 * @room: number of @edits that there is memory for
 * @edits: the edits
 * @sites: the sites of @edits
 * @one_edit: memory for one edit
 * @one_site: likewise
 */
struct sync_batch {
	bool removing;
	unsigned int nr;
	unsigned int room;
	struct text_edit *edits;
	struct syncing *sites;
	struct text_edit one_edit;
	struct syncing one_site;
};

static int batch_alloc(struct sync_batch *batch, unsigned int n, gfp_t gfp)
{
	batch->removing = false;
	batch->nr = 0;
	batch->room = min(n, SYNC_BATCH);
	batch->edits = &batch->one_edit;
	batch->sites = &batch->one_site;
	if (n == 1)
		return 0;
	batch->edits = kvmalloc_array(batch->room, sizeof(*batch->edits), gfp);
	batch->sites = kvmalloc_array(batch->room, sizeof(*batch->sites), gfp);
	if (batch->edits && batch->sites)
		return 0;
	batch->room = 0;
	return -ENOMEM;
}

static void batch_free(struct sync_batch *batch)
{
	if (batch->edits == &batch->one_edit)
		return;
	kvfree(batch->edits);
	kvfree(batch->sites);
}

/*
 * Check the owner of a breakpoint that is in the text at a site that had none of ours.  Return 0
 * if the site may share the breakpoint with another owner; -EEXIST if it belongs to the program
 * itself; -EINTR or -ENOMEM if that cannot be found out.
 */
static int shared_now(const struct syncing *s)
{
	struct site *site = s->site;
	struct text_reader reader = { .mm = site->pmm->mm };
	int len = ssol_len(site->plan);
	u8 text[UINSN_MAX_LEN];
	int got, ret = -EEXIST;

	/* The analysis of the text has seen this breakpoint already. */
	if (s->owner != OWNER_OURS)
		return 0;
	got = text_reader_read(&reader, site->key.addr, text, len);
	if (got == -EINTR || got == -ENOMEM)
		ret = got;
	else if (got == len && text[0] == ARCH_BREAKPOINT)
		ret = owner_text(site->pmm->mm, site->key.addr, text, len);
	text_reader_end(&reader);
	/*
	 * The other owner may have removed its breakpoint.  Then the breakpoint in the text is ours
	 * (access_write()), or ours is about to be inserted.
	 */
	if (ret && cmpxchg(&site->owner, OWNER_OTHER_FIRST, OWNER_OURS) != OWNER_OTHER_FIRST)
		ret = 0;
	return ret;
}

/* Check whether all consumers of a site probe files, in every process that maps them. */
static bool of_files(const struct site *site)
{
	const struct consumer *c;
	struct attachment *at;

	for_each_attached(c, site, at) {
		if (!c->in_every_process)
			return false;
	}
	return true;
}

/* Log why a breakpoint could not be inserted, and keep it for the clients. */
static void report_refused(const struct site *site, const char *why)
{
	unsigned long addr = site->key.addr;
	struct attachment *at;
	struct consumer *c;

	pr_notice_ratelimited("0x%lx cannot be probed: %s\n", addr, why);
	for_each_attached(c, site, at)
		consumer_refused(c, "0x%lx cannot be probed: %s", addr, why);
}

static int inserted(const struct syncing *s, int result)
{
	char why[64];

	/* The mapping went away, and other text is in its place. */
	if (result == -ESTALE && s->was == SITE_LOST) {
		WRITE_ONCE(s->site->state, SITE_LOST);
		return 0;
	}
	if (result == -ESTALE && s->was == SITE_IDLE) {
		site_set_idle(s->site);
		WRITE_ONCE(s->site->owner, OWNER_OURS);
		report_refused(s->site, "another instruction has come in its place");
		return -EEXIST;
	}
	if (result == -ESTALE)
		result = -EEXIST;
	if (result == -EEXIST)
		result = s->was == SITE_INHERITED || s->was == SITE_LOST ? 0 : shared_now(s);
	if (!result)
		return 0;
	/* It may have been hit: a later removal has another number. */
	if (s->was == SITE_IDLE)
		site_set_idle(s->site);
	else
		WRITE_ONCE(s->site->state, s->was);
	/* Log nothing: the task is being killed, or the callers report missing memory. */
	if (result == -EINTR || result == -ENOMEM)
		return result;
	/* Log nothing: the mapping is gone, as programs unload libraries. */
	if (result == -EINVAL && of_files(s->site))
		return result;
	snprintf(why, sizeof(why), "writing the breakpoint failed, error %d", result);
	report_refused(s->site, why);
	return result;
}

static void removed(const struct syncing *s, int result)
{
	if (result == -EEXIST && s->was == SITE_ARMED)
		pr_notice_ratelimited("a breakpoint at 0x%lx is left: another instruction has come around it\n",
				      s->site->key.addr);
	if (text_edit_gone(result)) {
		site_set_idle(s->site);
		WRITE_ONCE(s->site->owner, OWNER_OURS);
	} else {
		pr_warn("the breakpoint at 0x%lx stays in the text: error %d\n",
			s->site->key.addr, result);
	}
}

static int batch_write(struct probed_mm *pmm, struct sync_batch *batch)
{
	unsigned int i;
	int err, ret = 0;

	if (!batch->nr)
		return 0;
	WRITE_ONCE(pmm->text.editor, current);
	if (batch->removing)
		breakpoints_remove(pmm->mm, batch->edits, batch->nr);
	else
		breakpoints_insert(pmm->mm, batch->edits, batch->nr);
	for (i = 0; i < batch->nr; i++) {
		if (batch->removing) {
			removed(&batch->sites[i], batch->edits[i].result);
		} else {
			err = inserted(&batch->sites[i], batch->edits[i].result);
			ret = ret ?: err;
		}
	}
	if (batch->removing) {
		text_give_back_edited(pmm, batch->edits, batch->nr);
		reclaim_later();
	}
	WRITE_ONCE(pmm->text.editor, NULL);
	batch->nr = 0;
	return ret;
}

static int batch_add(struct probed_mm *pmm, struct sync_batch *batch, struct site *site)
{
	bool removing = !site_set(site);
	int ret = 0;

	if (removing ? site->state != SITE_ARMED && site->state != SITE_LOST :
	    site->state == SITE_ARMED)
		return 0;
	if (batch->nr == batch->room || batch->removing != removing)
		ret = batch_write(pmm, batch);
	batch->removing = removing;
	batch->edits[batch->nr] = site_edit(site);
	batch->edits[batch->nr].fresh = site->state == SITE_IDLE;
	batch->sites[batch->nr++] = (struct syncing) {
		.site = site, .was = site->state, .owner = READ_ONCE(site->owner),
	};
	/* Set the state before the write: the breakpoint may be in the text, and trap at once. */
	if (!removing && site->state != SITE_IDLE)
		WRITE_ONCE(site->state, SITE_ARMED);
	return ret;
}

/**
 * pmm_sync() - bring consumer sets and text in line with the attachments
 * @pmm: the probed mm
 * @sites: the sites, in ascending order of their addresses
 * @n: number of @sites
 * @in_use: the address space is in use; if it is not, only the consumer sets are changed
 * @must: wait for memory rather than fail
 *
 * If the sync of one site fails, go on with the others.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 * Return: 0 or the first error.
 */
int pmm_sync(struct probed_mm *pmm, struct site **sites, unsigned int n, bool in_use,
	     bool must)
{
	gfp_t gfp = must ? GFP_KERNEL | __GFP_NOFAIL : GFP_KERNEL | __GFP_RETRY_MAYFAIL;
	struct sync_batch batch;
	unsigned int i;
	int err, ret;

	lockdep_assert_held(&pmm->lock);
	jumps_end_counting(pmm, sites, n, in_use);
	/* Handle the hits in rings with the current consumers. */
	ring_flush(pmm);
	ret = batch_alloc(&batch, n, gfp);
	for (i = 0; batch.room && i < n; i++) {
		if (i && sites[i] == sites[i - 1])
			continue;
		/* With @must, charge no program: it might be killed for reaching its limit. */
		err = site_refresh(sites[i], must ? gfp : gfp | __GFP_ACCOUNT);
		if (!err && in_use)
			err = batch_add(pmm, &batch, sites[i]);
		ret = ret ?: err;
	}
	err = in_use ? batch_write(pmm, &batch) : 0;
	batch_free(&batch);
	return ret ?: err;
}
