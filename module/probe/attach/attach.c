// SPDX-License-Identifier: GPL-2.0
/*
 * Attach consumers to the sites of a process, in batches, and detach them.
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
#include "attach_types.h"
#include "attachment.h"
#include "prepare.h"
#include "ref_ctr.h"
#include "slot_batch.h"
#include "sync.h"
#include "core/attached.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/refusal.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "jump/jump.h"
#include "jump/jump_text.h"
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
	/* The sync comes to this site, too: its mapping may have gone away and come back. */
	if (site_has(site, request->consumer))
		return 0;
	if (request->consumer->type == CONSUMER_RETURN && !pmm->uret.trampoline) {
		walk->known = false;
		ret = pmm_need_trampoline(pmm);
		if (ret)
			goto out;
	}
	ret = site_attach(site, request);
	request->made = !ret;
out:
	walk->no_memory = ret == -ENOMEM;
	return ret;
}

static void attach_undo(struct attach_request *request)
{
	if (site_has(request->site, request->consumer))
		site_detach(request->site, request->consumer);
}

#define NO_SLOT		"0x%lx cannot be probed: the SSOL area cannot be written, error %d"

/* Undo the requests for sites whose slots could not be written. */
static void slots_undo(struct probed_mm *pmm, struct attach_request *requests, unsigned int n,
		       int err)
{
	u32 written = pmm->areas.slots_written;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (requests[i].result || !requests[i].site ||
		    requests[i].site->slot_nr <= written)
			continue;
		if (requests[i].made)
			attach_undo(&requests[i]);
		requests[i].made = false;
		requests[i].result = err;
		/* The callers report missing memory.  A task that is being killed loses no hits. */
		if (err == -ENOMEM || err == -EINTR)
			continue;
		consumer_refused(requests[i].consumer, NO_SLOT, requests[i].addr, err);
		pr_notice_ratelimited(NO_SLOT "\n", requests[i].addr, err);
	}
	for (i = 0; i < n; i++) {
		if (requests[i].site && requests[i].site->slot_nr > written)
			requests[i].site->slot_nr = SLOT_NR_NONE;
	}
	/* Pairs with pmm_copy_begins(): the sites that are useless are marked. */
	smp_store_release(&pmm->areas.slots_written, pmm->areas.slots_made);
}

static int request_compare(const void *p, const void *q)
{
	const struct attach_request *a = p, *b = q;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Most requests come in order, and to check that is faster than to sort them. */
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

/* Prepare the private fields of requests, and sort them. */
static void requests_begin(struct attach_request *requests, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		requests[i].order = i;
		requests[i].made = false;
		requests[i].site = NULL;
		requests[i].result = -ENOMEM;
	}
	requests_sort(requests, n);
}

/* Check whether a request is done: hits reach its consumer, or need not reach it any more. */
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

/*
 * Undo the requests that are not done after a sync that has failed with @err.  Return the number of
 * @sites that have lost consumers.
 */
static unsigned int requests_undo(struct probed_mm *pmm, struct attach_request *requests,
				  unsigned int n, int err, struct site **sites)
{
	unsigned int i, nr = 0;

	for (i = 0; i < n; i++) {
		if (requests[i].result || request_done(pmm, &requests[i]))
			continue;
		requests[i].result = err;
		if (requests[i].made) {
			attach_undo(&requests[i]);
			sites[nr++] = requests[i].site;
		}
	}
	return nr;
}

/**
 * pmm_attach() - attach consumers to addresses of a process
 * @pmm: the probed mm; the caller keeps its address space in use
 * @requests: consumers and addresses; returned in another order, with the results
 * @n: number of @requests
 *
 * Each result is one of these: 0, also if the consumer was attached already; an error of
 * register_uprobe(); -ESHUTDOWN if the consumer is being unregistered or the address space has
 * ended.  The kernel log names the causes that a caller cannot know.
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 * Return: false if memory has run out, so that further attempts would fail, too; the results are
 * -ENOMEM then.  A result of -ENOMEM may also mean that there is no room for slots.
 */
bool pmm_attach(struct probed_mm *pmm, struct attach_request *requests, unsigned int n)
{
	struct site *one, **sites = n == 1 ? &one : kvmalloc_array(n, sizeof(*sites), GFP_KERNEL);
	struct site_walk walk = {
		.pmm = pmm,
		.text = { .mm = pmm->mm },
		.stock = { .wanted = n },
		.slots = { .pmm = pmm, .many = n > 1 },
	};
	struct mem_cgroup *payer, *others;
	unsigned int i, nr = 0;
	int ret;

	requests_begin(requests, n);
	if (!sites)
		return false;
	/* Charge the program for this memory, whichever task registers the probes. */
	payer = get_mem_cgroup_from_mm(pmm->mm);
	others = set_active_memcg(payer);
	site_table_prealloc(n);

	mutex_lock(&pmm->lock);
	/* If pmm_get() ran during an exec, the mode of the new code was not known yet. */
	if (RB_EMPTY_ROOT(&pmm->sites.tree) && !pmm->areas.nr)
		pmm->mode = arch_mm_mode(pmm->mm);
	/* Once for all, as each erasure takes interrupts on other processors. */
	if (n)
		jumps_erase_for_read(pmm, requests[0].addr, requests[n - 1].addr + UINSN_MAX_LEN);
	for (i = 0; i < n; i++) {
		requests[i].result = attach_one(&walk, &requests[i]);
		if (requests[i].site)
			sites[nr++] = requests[i].site;
		/* There is no memory for the other requests, either, and each attempt is slow. */
		if (walk.no_memory)
			break;
		cond_resched();
	}
	text_reader_end(&walk.text);
	site_stock_end(&walk.stock);
	ret = slots_end(&walk.slots);
	if (ret)
		slots_undo(pmm, requests, n, ret);
	walk.no_memory |= ret == -ENOMEM;
	ret = pmm_sync(pmm, sites, nr, true, false);
	nr = ret ? requests_undo(pmm, requests, n, ret, sites) : 0;
	if (nr)
		pmm_sync(pmm, sites, nr, true, true);
	mutex_unlock(&pmm->lock);
	set_active_memcg(others);
	mem_cgroup_put(payer);
	if (sites != &one)
		kvfree(sites);
	return !walk.no_memory;
}

/**
 * pmm_detach() - detach a consumer from all its sites in a probed mm
 * @pmm: the probed mm
 * @c: the consumer
 *
 * Context: may sleep, in a thread without signals; takes probed_mm::lock and the
 * mmap lock.
 */
void pmm_detach(struct probed_mm *pmm, struct consumer *c)
{
	bool in_use = mmget_not_zero(pmm->mm);
	struct site *site, *sites[16];
	unsigned int nr = 0;

	mutex_lock(&pmm->lock);
	for (site = pmm_first_site(pmm, 0); site; site = pmm_next_site(site)) {
		cond_resched();
		if (!site_has(site, c))
			continue;
		site_detach(site, c);
		sites[nr++] = site;
		if (nr < ARRAY_SIZE(sites))
			continue;
		pmm_sync(pmm, sites, nr, in_use, true);
		nr = 0;
	}
	if (nr)
		pmm_sync(pmm, sites, nr, in_use, true);
	mutex_unlock(&pmm->lock);
	if (in_use)
		mmput_async(pmm->mm);
}

/**
 * site_remove_breakpoint() - remove the breakpoint of a site that has consumers
 * @site: a site whose instruction a task of the process cannot execute out of line
 *
 * The next sync of the site inserts the breakpoint again.
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock; the address space
 * is the current task's.
 */
void site_remove_breakpoint(struct site *site)
{
	const char *why = arch_code_mode(task_pt_regs(current)) == (int)site->pmm->mode ?
			  "its call would not match the shadow stack" :
			  "it is executed as code of another mode";
	struct attachment *at;
	struct text_edit edit;
	struct consumer *c;

	mutex_lock(&site->pmm->lock);
	for_each_attached(c, site, at)
		consumer_refused(c, "0x%lx is probed no more: %s", site->key.addr, why);
	jumps_erase_for_read(site->pmm, site->key.addr, site->key.addr + ssol_len(site->plan));
	edit = site_edit(site);
	breakpoints_remove(site->pmm->mm, &edit, 1);
	if (text_edit_gone(edit.result))
		site_set_idle(site);
	/*
	 * If the kernel's uprobes have claimed the breakpoint and it stays,
	 * it is theirs alone now.
	 */
	cmpxchg(&site->owner, OWNER_OTHER_SECOND, OWNER_OTHER_FIRST);
	mutex_unlock(&site->pmm->lock);
	pr_notice_ratelimited("0x%lx in process %d is probed no more: %s\n", site->key.addr,
			      task_tgid_nr(current), why);
}

/**
 * pmm_moved() - remove breakpoints from text that mremap() has moved
 * @pmm: the probed mm, in use
 * @start: first old address of the text
 * @end: first address behind it
 * @by: distance from the old to the new addresses; 0 if the text was not moved
 *
 * The breakpoints have moved with the text, also breakpoints whose consumers were detached
 * meanwhile.  Remove each one, unless a site at its new address is armed already.  The caller then
 * looks for probed files, as in any new mapping.
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
		/* If the site was armed at the move, the program may have patched the operand. */
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
 * pmm_remove_breakpoints_all() - remove breakpoints that an unregistration could not remove
 *
 * Context: may sleep, in a thread without signals; no consumer is registered.  Takes
 * probed_mm::lock and the mmap locks.
 */
void pmm_remove_breakpoints_all(void)
{
	pmm_for_each(pmm_remove_breakpoints, NULL);
}

/**
 * pmm_detach_all() - detach all consumers from a probed mm
 * @pmm: a probed mm whose address space has ended
 *
 * A consumer that is bound to this process ends with it.
 *
 * Context: may sleep; takes probed_mm::lock.
 */
void pmm_detach_all(struct probed_mm *pmm)
{
	struct consumer *c, *next;
	struct site *site;
	bool last;

	mutex_lock(&pmm->lock);
	jumps_drop(pmm);
	ref_ctrs_detach(pmm);
	for (site = pmm_first_site(pmm, 0); site; site = pmm_next_site(site))
		site_forget_consumers(site);
	list_for_each_entry_safe(c, next, &pmm->attached.bound, bound.node) {
		list_del_init(&c->bound.node);
		spin_lock(&c->places.lock);
		c->bound.orphaned = true;
		last = !c->places.nr;
		spin_unlock(&c->places.lock);
		if (last)
			consumer_end_later(c);
	}
	mutex_unlock(&pmm->lock);
}

/**
 * consumers_bind_mm() - bind consumers to a process, so that they end with it
 * @cs: the consumers, being registered; NULL if there are none
 * @n: number of @cs
 * @pmm: probed mm of the process; the caller has a reference
 *
 * Context: may sleep; @cs are claimed by the caller, takes probed_mm::lock.
 * Return: 0, or -ESRCH if the address space has ended.
 */
int consumers_bind_mm(struct consumer **cs, unsigned int n, struct probed_mm *pmm)
{
	unsigned int i;
	int ret = -ESRCH;

	mutex_lock(&pmm->lock);
	if (!READ_ONCE(pmm->life.dead)) {
		for (i = 0; i < n; i++) {
			list_add_tail(&cs[i]->bound.node, &pmm->attached.bound);
			cs[i]->bound.target_mm = pmm;
		}
		refcount_add(n, &pmm->life.refs);
		ret = 0;
	}
	mutex_unlock(&pmm->lock);
	return ret;
}

/**
 * consumer_unbind_mm() - undo consumers_bind_mm()
 * @c: the consumer; if it is not bound, as it probes a file, nothing is done
 *
 * Context: may sleep; @c is claimed by the caller, takes probed_mm::lock.
 */
void consumer_unbind_mm(struct consumer *c)
{
	struct probed_mm *pmm = c->bound.target_mm;

	if (!pmm)
		return;
	mutex_lock(&pmm->lock);
	list_del_init(&c->bound.node);
	mutex_unlock(&pmm->lock);
	c->bound.target_mm = NULL;
	pmm_put(pmm);
}
