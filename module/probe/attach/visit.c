// SPDX-License-Identifier: GPL-2.0
/*
 * Visits: go to all sites that consumers are attached to, one probed mm after the other.
 */
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "visit.h"
#include "attachment.h"
#include "ref_ctr.h"
#include "sync.h"
#include "core/attached.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_tree.h"
#include "jump/jump.h"

/* More attachments than this are detached in several rounds. */
#define VISIT_MANY	16384U

/**
 * struct stop - one attachment to visit
 * @next: the next one in the same probed mm
 * @site: its site
 * @consumer: its consumer
 */
struct stop {
	struct stop *next;
	struct site *site;
	struct consumer *consumer;
};

/**
 * struct visit - the attachments to visit in one probed mm
 * @pmm: the probed mm, with a reference
 * @stops: the attachments, in the order of the consumers
 * @end: link behind the last one
 */
struct visit {
	struct probed_mm *pmm;
	struct stop *stops;
	struct stop **end;
};

/**
 * struct visits - the attachments of some consumers, by probed mm
 * @list: one visit for each probed mm
 * @nr: number of visits
 * @stops: memory of the stops
 * @nr_stops: number of @stops
 * @room: number of @stops that there is memory for
 * @sites: memory for the sites of one visit
 */
struct visits {
	struct visit *list;
	unsigned int nr;
	struct stop *stops;
	unsigned int nr_stops;
	unsigned int room;
	struct site **sites;
};

/* Protects pmm_attached::visit.  Taken before consumer::places.lock. */
static DEFINE_MUTEX(visit_mutex);

static void visits_alloc(struct visits *visits, unsigned int room)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_NOFAIL;

	/* The sites of stops may lose their consumers meanwhile. */
	down_read(&sites_kept);
	*visits = (struct visits) { .room = room };
	visits->list = kvmalloc_array(room, sizeof(*visits->list), gfp);
	visits->stops = kvmalloc_array(room, sizeof(*visits->stops), gfp);
	visits->sites = kvmalloc_array(room, sizeof(*visits->sites), gfp);
}

static void visits_free(struct visits *visits)
{
	while (visits->nr)
		pmm_put(visits->list[--visits->nr].pmm);
	kvfree(visits->list);
	kvfree(visits->stops);
	kvfree(visits->sites);
	up_read(&sites_kept);
}

/* Plan a stop of a consumer at a site.  Context: visit_mutex and consumer::places.lock held. */
static void visits_add_stop(struct visits *visits, struct consumer *c, struct site *site)
{
	struct probed_mm *pmm = site->pmm;
	struct visit *visit = pmm->attached.visit;
	struct stop *stop = &visits->stops[visits->nr_stops++];

	if (!visit) {
		visit = &visits->list[visits->nr++];
		visit->pmm = pmm;
		visit->end = &visit->stops;
		pmm->attached.visit = visit;
		/* The probed mm stays while a consumer is attached to its sites. */
		refcount_inc(&pmm->life.refs);
	}
	stop->site = site;
	stop->consumer = c;
	*visit->end = stop;
	visit->end = &stop->next;
}

/*
 * Plan the attachments of a consumer: if there is no room for all of them, some with @detach, and
 * else none.  Return whether there is room.
 */
static bool visits_add_consumer(struct visits *visits, struct consumer *c, bool detach)
{
	unsigned int i;
	bool fits;

	spin_lock(&c->places.lock);
	fits = c->places.nr <= visits->room - visits->nr_stops;
	for (i = 0; i < c->places.nr; i++) {
		if ((!fits && !detach) || visits->nr_stops == visits->room)
			break;
		visits_add_stop(visits, c, place_site(c->places.list[i]));
	}
	spin_unlock(&c->places.lock);
	return fits;
}

/*
 * Plan visits to the attachments of the first consumers of @cs.  Return the number of consumers
 * with all their attachments: at least one, unless @detach is set.  Detaching goes on with the
 * others.  visits_free() must follow.
 */
static unsigned int visits_plan(struct visits *visits, struct consumer **cs, unsigned int n,
				bool detach)
{
	unsigned int room = 0, fit, i;

	for (i = 0; i < n && room < VISIT_MANY; i++)
		room += READ_ONCE(cs[i]->places.nr);
	n = i;
	if (detach)
		room = min(room, VISIT_MANY);
	for (;;) {
		visits_alloc(visits, max(room, 1U));
		mutex_lock(&visit_mutex);
		for (fit = 0; fit < n && visits_add_consumer(visits, cs[fit], detach); fit++)
			;
		for (i = 0; i < visits->nr; i++) {
			*visits->list[i].end = NULL;
			visits->list[i].pmm->attached.visit = NULL;
		}
		mutex_unlock(&visit_mutex);
		if (fit || detach)
			return fit;
		/* The first consumer has got more attachments meanwhile. */
		visits_free(visits);
		room = READ_ONCE(cs[0]->places.nr) + 16;
		n = 1;
	}
}

static int site_compare(const void *p, const void *q)
{
	const struct site *a = *(const struct site **)p, *b = *(const struct site **)q;

	return a->key.addr < b->key.addr ? -1 : a->key.addr > b->key.addr;
}

static void sites_sort(struct site **sites, unsigned int n)
{
	unsigned int i;

	for (i = 1; i < n; i++) {
		if (sites[i]->key.addr < sites[i - 1]->key.addr) {
			sort(sites, n, sizeof(*sites), site_compare, NULL);
			return;
		}
	}
}

/*
 * Sync the sites of a visit; with @detach, detach the consumers first.  An attachment may have gone
 * since the visit was planned: then whoever freed it has synced the site, or does so.  It may also
 * have moved to the site that has replaced its own.
 */
static int visit_pmm(const struct visit *visit, struct site **sites, bool detach)
{
	struct probed_mm *pmm = visit->pmm;
	bool in_use = mmget_not_zero(pmm->mm);
	const struct stop *stop;
	struct site *site;
	unsigned int n = 0;
	bool attached;
	int ret;

	mutex_lock(&pmm->lock);
	for (stop = visit->stops; stop; stop = stop->next) {
		site = stop->site;
		attached = site_has(site, stop->consumer);
		if (!attached && !detach) {
			site = site_at(pmm, site->key.addr);
			attached = site && site_has(site, stop->consumer);
		}
		if (!attached)
			continue;
		if (detach)
			site_detach(site, stop->consumer);
		sites[n++] = site;
	}
	sites_sort(sites, n);
	ret = pmm_sync(pmm, sites, n, in_use, detach);
	mutex_unlock(&pmm->lock);
	if (in_use)
		mmput_async(pmm->mm);
	return ret;
}

static int consumers_visit(struct consumer **cs, unsigned int n, bool detach)
{
	struct visits visits;
	unsigned int i, done;
	int err, ret = 0;

	for (; n; cs += done, n -= done) {
		done = visits_plan(&visits, cs, n, detach);
		for (i = 0; i < visits.nr; i++) {
			err = visit_pmm(&visits.list[i], visits.sites, detach);
			ret = ret ?: err;
			cond_resched();
		}
		visits_free(&visits);
	}
	return ret;
}

/**
 * consumers_detach() - detach consumers from all their sites
 * @cs: the consumers, after consumer_shut()
 * @n: number of @cs
 *
 * Context: may sleep, in a thread without signals; takes probed_mm::lock and mmap locks.
 */
void consumers_detach(struct consumer **cs, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		ref_ctrs_drop(cs[i]);
	consumers_visit(cs, n, true);
}

/**
 * consumer_sync() - sync all sites of a consumer that was enabled or disabled
 * @c: the consumer
 *
 * Context: may sleep, in a thread without signals; takes probed_mm::lock and mmap locks; @c is
 * claimed by the caller.
 * Return: 0 or the first error.
 */
int consumer_sync(struct consumer *c)
{
	return consumers_visit(&c, 1, false);
}

/* Get the number of a process, as the caller's pid namespace has it, or 0. */
static pid_t mm_pid(const struct mm_struct *mm)
{
	pid_t pid = 0;

#ifdef CONFIG_MEMCG
	struct task_struct *owner;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	pid = owner ? task_tgid_vnr(owner) : 0;
	rcu_read_unlock();
#endif
	return pid;
}

/**
 * consumer_places() - list where a consumer is attached
 * @c: the consumer
 * @places: array to be filled
 * @n: its size
 *
 * Context: may sleep; takes probed_mm::lock; @c is claimed by the caller.
 * Return: the number of places, of which the first @n are in @places.
 */
unsigned int consumer_places(struct consumer *c, struct uprobe_place *places, unsigned int n)
{
	const struct stop *stop;
	struct visits visits;
	unsigned int i, all = 0;
	pid_t pid;

	/* A caller that only asks for the number would wait for each probed_mm::lock. */
	if (!n)
		return READ_ONCE(c->places.nr);
	visits_plan(&visits, &c, 1, false);
	for (i = 0; i < visits.nr; i++) {
		struct probed_mm *pmm = visits.list[i].pmm;

		pid = mm_pid(pmm->mm);
		mutex_lock(&pmm->lock);
		for (stop = visits.list[i].stops; stop; stop = stop->next) {
			if (!site_has(stop->site, c) || all++ >= n)
				continue;
			places[all - 1] = (struct uprobe_place) {
				.pid = pid,
				.vaddr = stop->site->key.addr,
				.trap = jump_missing(stop->site),
			};
		}
		mutex_unlock(&pmm->lock);
		cond_resched();
	}
	visits_free(&visits);
	return all;
}
