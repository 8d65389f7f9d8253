// SPDX-License-Identifier: GPL-2.0
/*
 * Attach consumers to sites, and detach them, in batches.  Enabling and disabling a consumer go
 * through the same sync of its sites.
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
#include "sync.h"
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
		requests[i].site = NULL;
		requests[i].result = -ENOMEM;
	}
	if (!sites)
		return false;
	/* Charge the program for this memory, whichever task registers the probes. */
	payer = get_mem_cgroup_from_mm(pmm->mm);
	others = set_active_memcg(payer);
	requests_sort(requests, n);
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

/* Find a probed mm that @c is attached to and that this round has not visited; take a reference. */
static struct probed_mm *consumer_next_pmm(struct consumer *c, unsigned int round)
{
	struct probed_mm *pmm = NULL;
	struct attachment *a;

	spin_lock(&c->places.lock);
	list_for_each_entry(a, &c->places.attachments, in_consumer) {
		if (a->round != round) {
			/* The probed mm stays while a consumer is attached to its sites. */
			pmm = a->site->pmm;
			refcount_inc(&pmm->life.refs);
			break;
		}
	}
	spin_unlock(&c->places.lock);
	return pmm;
}

/*
 * List in @sites the sites of @pmm that @c is attached to, at most @room of them.  Return the
 * number of all such sites.
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
	/* Most consumers have one site in a probed mm, so room for @n sites is mostly enough. */
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

/* Get a number that no attachment has as its round. */
static unsigned int visit_round(void)
{
	static atomic_t rounds = ATOMIC_INIT(0);

	return atomic_inc_return(&rounds) ?: atomic_inc_return(&rounds);
}

static int consumers_visit(struct consumer **cs, unsigned int n, bool detach)
{
	unsigned int round = visit_round();
	struct probed_mm *pmm;
	unsigned int i = 0;
	int err, ret = 0;

	while (i < n) {
		pmm = consumer_next_pmm(cs[i], round);
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
	unsigned int round = visit_round(), all = 0;
	struct probed_mm *pmm;
	struct attachment *a;
	pid_t pid;

	while ((pmm = consumer_next_pmm(c, round))) {
		pid = mm_pid(pmm->mm);
		mutex_lock(&pmm->lock);
		spin_lock(&c->places.lock);
		list_for_each_entry(a, &c->places.attachments, in_consumer) {
			if (a->site->pmm != pmm)
				continue;
			a->round = round;
			if (all++ < n)
				places[all - 1] = (struct uprobe_place) {
					.pid = pid,
					.vaddr = a->site->key.addr,
					.trap = jump_missing(a->site),
				};
		}
		spin_unlock(&c->places.lock);
		mutex_unlock(&pmm->lock);
		pmm_put(pmm);
		cond_resched();
	}
	return all;
}

/**
 * consumers_detach() - detach consumers from all their sites
 * @cs: the consumers, after consumer_shut()
 * @n: number of @cs
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
 * consumer_sync() - sync all sites of a consumer that was enabled or disabled
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
 * pmm_detach() - detach a consumer from all its sites in a probed mm
 * @pmm: the probed mm
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
	const struct attachment *a;
	struct text_edit edit;

	mutex_lock(&site->pmm->lock);
	list_for_each_entry(a, &site->attachments, in_site)
		consumer_refused(a->consumer, "0x%lx is probed no more: %s", site->key.addr, why);
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
