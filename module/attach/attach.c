// SPDX-License-Identifier: GPL-2.0
/*
 * Bringing consumers and sites together, in batches: attaching, detaching,
 * enabling and disabling all change attachments, and settle the sites.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "attach.h"
#include "arch.h"
#include "attachment.h"
#include "prepare.h"
#include "ref_ctr.h"
#include "sync.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "target/target.h"
#include "text/breakpoint.h"
#include "text/owner.h"
#include "text/read.h"

static int attach_one(struct site_walk *walk, struct attach_request *request)
{
	struct probed_mm *pmm = walk->pmm;
	struct site *site;
	int ret;

	site = site_prepare(walk, request);
	if (IS_ERR(site))
		return PTR_ERR(site);
	request->site = site;
	/* Settled again, too: the mapping may have gone and come back. */
	if (site_attachment(site, request->consumer))
		return 0;
	if (request->consumer->type == CONSUMER_RETURN && !pmm->uret.trampoline) {
		walk->known = false;
		ret = pmm_need_trampoline(pmm);
		if (ret)
			goto out;
	}
	ret = attachment_make(pmm, site, request);
	request->made = !ret;
out:
	walk->no_memory = ret == -ENOMEM;
	return ret;
}

static void attach_undo(struct attach_request *request)
{
	struct attachment *a = site_attachment(request->site, request->consumer);

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

/* Most come in order; telling takes less than sorting. */
static void requests_sort(struct attach_request *requests, unsigned int n)
{
	unsigned int i;

	for (i = 1; i < n; i++) {
		if (requests[i].addr < requests[i - 1].addr) {
			sort(requests, n, sizeof(*requests), request_compare, NULL);
			return;
		}
	}
}

/* Whether nothing is left to do for a request: hits reach its consumer, or need not any more. */
static bool request_done(struct probed_mm *pmm, const struct attach_request *request)
{
	const struct consumer_set *set;
	struct site *site = request->site;
	unsigned int i;

	if (!READ_ONCE(request->consumer->run.live) || pmm->life.dead)
		return true;
	set = site->state == SITE_ARMED ? site_set(site) : NULL;
	for (i = 0; set && i < set->nr; i++) {
		if (set->consumers[i] == request->consumer)
			return true;
	}
	return false;
}

/**
 * pmm_attach() - probe addresses for consumers
 * @pmm: the address space; the caller keeps it in use
 * @requests: who and where; comes back in another order, with the results
 * @n: how many
 *
 * A result is 0, also where the consumer is attached already; one of the errors
 * of register_uprobe(); or -ESHUTDOWN when the consumer is being unregistered.
 * The kernel log says what a caller cannot know.
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 * Return: false when memory has run out, which further attempts would not change; the results
 * are -ENOMEM then, which they also are where there is no room for slots.
 */
bool pmm_attach(struct probed_mm *pmm, struct attach_request *requests, unsigned int n)
{
	struct site **sites = kvmalloc_array(n, sizeof(*sites), GFP_KERNEL);
	struct site_walk walk = {
		.pmm = pmm,
		.text = { .mm = pmm->mm },
		.stock = { .wanted = n },
	};
	struct mem_cgroup *payer, *others;
	unsigned int i, nr = 0;
	int ret;

	for (i = 0; i < n; i++) {
		requests[i].order = i;
		requests[i].made = false;
		requests[i].result = -ENOMEM;
	}
	if (!sites)
		return false;
	/* A program pays for what its mappings take, whoever registers. */
	payer = get_mem_cgroup_from_mm(pmm->mm);
	others = set_active_memcg(payer);
	requests_sort(requests, n);
	site_table_prealloc(n);

	mutex_lock(&pmm->lock);
	/* In the middle of an exec it was not known yet what the code would be. */
	if (RB_EMPTY_ROOT(&pmm->sites.tree) && !pmm->areas.nr)
		pmm->mode = arch_mm_mode(pmm->mm);
	for (i = 0; i < n; i++) {
		requests[i].result = attach_one(&walk, &requests[i]);
		if (!requests[i].result)
			sites[nr++] = requests[i].site;
		/* Nor for the others, and to try takes long. */
		if (walk.no_memory)
			break;
		cond_resched();
	}
	text_reader_end(&walk.text);
	site_stock_end(&walk.stock);
	ret = pmm_sync(pmm, sites, nr, true, false);
	nr = 0;
	for (i = 0; ret && i < n; i++) {
		if (requests[i].result || request_done(pmm, &requests[i]))
			continue;
		requests[i].result = ret;
		if (requests[i].made) {
			attach_undo(&requests[i]);
			sites[nr++] = requests[i].site;
		}
	}
	if (nr)
		pmm_sync(pmm, sites, nr, true, true);
	mutex_unlock(&pmm->lock);
	set_active_memcg(others);
	mem_cgroup_put(payer);
	kvfree(sites);
	return !walk.no_memory;
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

/* An image that a consumer is attached to and that this round has not visited. */
static struct probed_mm *consumer_next_image(struct consumer *c, unsigned int round)
{
	struct probed_mm *pmm = NULL;
	struct attachment *a;

	spin_lock(&c->places.lock);
	list_for_each_entry(a, &c->places.attachments, in_consumer) {
		if (a->round != round) {
			/* It stays while anything is attached to its sites. */
			pmm = a->site->pmm;
			refcount_inc(&pmm->life.refs);
			break;
		}
	}
	spin_unlock(&c->places.lock);
	return pmm;
}

/*
 * Lists where @c is attached in @pmm in @sites, as far as they are less than
 * @room; returns how often.
 */
static unsigned int consumer_list(struct consumer *c, const struct probed_mm *pmm,
				  unsigned int round, struct site **sites, unsigned int room)
{
	struct attachment *a;
	unsigned int n = 0;

	spin_lock(&c->places.lock);
	list_for_each_entry(a, &c->places.attachments, in_consumer) {
		if (a->site->pmm != pmm)
			continue;
		if (n < room) {
			a->round = round;
			sites[n] = a->site;
		}
		n++;
	}
	spin_unlock(&c->places.lock);
	return n;
}

static int pmm_visit(struct probed_mm *pmm, struct consumer **cs, unsigned int n,
		     unsigned int round, bool detach)
{
	bool in_use = mmget_not_zero(pmm->mm);
	unsigned int i, j, from, more, room = n, nr;
	struct site **sites = NULL;
	int ret;

	mutex_lock(&pmm->lock);
	/* Most consumers are at one place of an image. */
	for (;;) {
		sites = kvmalloc_array(room, sizeof(*sites), GFP_KERNEL | __GFP_NOFAIL);
		nr = 0;
		for (i = 0; i < n; i++)
			nr += consumer_list(cs[i], pmm, round, sites + min(nr, room),
					    room - min(nr, room));
		if (nr <= room)
			break;
		kvfree(sites);
		room = nr;
	}
	for (i = 0, from = 0; detach && i < n; i++, from += more) {
		more = consumer_list(cs[i], pmm, round, NULL, 0);
		for (j = from; j < from + more; j++)
			attachment_free(site_attachment(sites[j], cs[i]));
	}
	sites_sort(sites, nr);
	ret = pmm_sync(pmm, sites, nr, in_use, detach);
	mutex_unlock(&pmm->lock);
	kvfree(sites);
	if (in_use)
		mmput_async(pmm->mm);
	return ret;
}

static int consumers_visit(struct consumer **cs, unsigned int n, bool detach)
{
	static atomic_t rounds = ATOMIC_INIT(0);
	unsigned int round = atomic_inc_return(&rounds) ?: atomic_inc_return(&rounds);
	struct probed_mm *pmm;
	unsigned int i = 0;
	int err, ret = 0;

	while (i < n) {
		pmm = consumer_next_image(cs[i], round);
		if (!pmm) {
			i++;
			continue;
		}
		err = pmm_visit(pmm, cs + i, n - i, round, detach);
		ret = ret ?: err;
		pmm_put(pmm);
		cond_resched();
	}
	return ret;
}

/**
 * consumers_detach() - take consumers away from all their sites
 * @cs: the consumers, retired
 * @n: how many
 *
 * Context: may sleep, in a thread without signals; takes probed_mm::lock and mmap
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
 * consumer_sync() - follow a consumer's having been enabled or disabled
 * @c: the consumer
 *
 * Context: may sleep, in a thread without signals; takes probed_mm::lock and mmap
 * locks; @c is claimed by the caller.
 * Return: 0 or the first error.
 */
int consumer_sync(struct consumer *c)
{
	return consumers_visit(&c, 1, false);
}

/**
 * pmm_detach() - take a consumer away from all its sites in an image
 * @pmm: the address space
 * @c: the consumer
 *
 * Context: may sleep, in a thread without signals; takes probed_mm::lock and the
 * mmap lock.
 */
void pmm_detach(struct probed_mm *pmm, struct consumer *c)
{
	pmm_visit(pmm, &c, 1, 0, true);
}

/**
 * site_remove_breakpoint() - take a breakpoint out although it is wanted
 * @site: a site that a task of its process cannot execute out of line
 *
 * It comes back when the site is settled the next time.
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock; the address space
 * is the current task's.
 */
void site_remove_breakpoint(struct site *site)
{
	struct text_edit edit;

	mutex_lock(&site->pmm->lock);
	edit = site_edit(site);
	breakpoints_remove(site->pmm->mm, &edit, 1);
	if (text_edit_gone(edit.result))
		site_set_idle(site);
	/* What is left is the kernel's, which takes it for its own. */
	cmpxchg(&site->owner, OWNER_OTHER_SECOND, OWNER_OTHER_FIRST);
	mutex_unlock(&site->pmm->lock);
	pr_notice_ratelimited("0x%lx in process %d is probed no more: %s\n", site->key.addr,
			      task_tgid_nr(current),
			      arch_code_mode(task_pt_regs(current)) == (int)site->pmm->mode ?
			      "its call would not match the shadow stack" :
			      "it is executed as code of another mode");
}

/**
 * pmm_moved() - text has been moved by mremap()
 * @pmm: the address space, in use
 * @start: first address that it was at
 * @end: the first address behind
 * @by: what is to be added for the new ones; 0 when it has stayed, after all
 *
 * The breakpoints have moved along, those included whose probes were taken away
 * meanwhile.  They go, unless there are probes at the new place already; the files
 * that are probed are then to be looked for as in any new mapping.
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 */
void pmm_moved(struct probed_mm *pmm, unsigned long start, unsigned long end, long by)
{
	static const u8 armed = SITE_ARMED;
	struct site *site, *there;
	struct text_edit edit;
	bool moved;

	mutex_lock(&pmm->lock);
	for (site = pmm_first_site(pmm, start); site && site->key.addr < end;
	     site = pmm_next_site(site)) {
		moved = site->moves;
		site->moves = false;
		if (site->kind != SITE_PROBE || !by)
			continue;
		there = site_at(pmm, site->key.addr + by);
		if (there && there->state == SITE_ARMED)
			continue;
		edit = site_edit(site);
		edit.addr += by;
		/* The program may have patched what was there then. */
		edit.state = moved ? &armed : NULL;
		breakpoints_remove(pmm->mm, &edit, 1);
		if (there && there->state == SITE_INHERITED)
			site_set_idle(there);
	}
	mutex_unlock(&pmm->lock);
}

static bool pmm_remove_breakpoints(struct probed_mm *pmm, void *unused)
{
	struct site *site;

	if (!mmget_not_zero(pmm->mm))
		return true;
	mutex_lock(&pmm->lock);
	for (site = pmm_first_site(pmm, 0); site; site = pmm_next_site(site)) {
		if (site->kind == SITE_PROBE && site->state != SITE_IDLE)
			pmm_sync(pmm, &site, 1, true, true);
	}
	mutex_unlock(&pmm->lock);
	mmput_async(pmm->mm);
	return true;
}

/**
 * pmm_remove_breakpoints_all() - take out breakpoints that could not be taken out at unregistration
 *
 * Context: may sleep, in a thread without signals; no consumer is registered.  Takes
 * probed_mm::lock and the mmap locks.
 */
void pmm_remove_breakpoints_all(void)
{
	pmm_for_each(pmm_remove_breakpoints, NULL);
}

/**
 * pmm_detach_all() - take all consumers away from an image
 * @pmm: an image that is dead
 *
 * Those that were registered for this process alone end with it.
 *
 * Context: may sleep; takes probed_mm::lock.
 */
void pmm_detach_all(struct probed_mm *pmm)
{
	struct consumer *c, *next;
	struct site *site;
	bool last;

	mutex_lock(&pmm->lock);
	ref_ctrs_detach(pmm);
	for (site = pmm_first_site(pmm, 0); site; site = pmm_next_site(site)) {
		struct attachment *a, *b;

		list_for_each_entry_safe(a, b, &site->attachments, in_site)
			attachment_free(a);
		site_publish(site, NULL);
	}
	list_for_each_entry_safe(c, next, &pmm->attached.bound, bound.node) {
		list_del_init(&c->bound.node);
		spin_lock(&c->places.lock);
		c->bound.orphaned = true;
		last = list_empty(&c->places.attachments);
		spin_unlock(&c->places.lock);
		if (last)
			consumer_end_later(c);
	}
	mutex_unlock(&pmm->lock);
}

/**
 * consumers_bind_mm() - have consumers end with a process
 * @cs: the consumers, being registered; NULL for none
 * @n: how many
 * @home: image of the process; the caller has a reference
 *
 * Context: may sleep; @cs are claimed by the caller, takes probed_mm::lock.
 * Return: 0 or -ESRCH.
 */
int consumers_bind_mm(struct consumer **cs, unsigned int n, struct probed_mm *home)
{
	unsigned int i;
	int ret = -ESRCH;

	mutex_lock(&home->lock);
	if (!READ_ONCE(home->life.dead)) {
		for (i = 0; i < n; i++) {
			list_add_tail(&cs[i]->bound.node, &home->attached.bound);
			cs[i]->bound.target_mm = home;
		}
		refcount_add(n, &home->life.refs);
		ret = 0;
	}
	mutex_unlock(&home->lock);
	return ret;
}

/**
 * consumer_unbind_mm() - undo consumers_bind_mm()
 * @c: the consumer; nothing is done when it probes a file
 *
 * Context: may sleep; @c is claimed by the caller, takes probed_mm::lock.
 */
void consumer_unbind_mm(struct consumer *c)
{
	struct probed_mm *home = c->bound.target_mm;

	if (!home)
		return;
	mutex_lock(&home->lock);
	list_del_init(&c->bound.node);
	mutex_unlock(&home->lock);
	c->bound.target_mm = NULL;
	pmm_put(home);
}
