// SPDX-License-Identifier: GPL-2.0
/*
 * Decide which sites get a jump, and when it must go.
 */
#include <linux/hash.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "jump.h"
#include "arch.h"
#include "contention.h"
#include "jump_make.h"
#include "jump_text.h"
#include "pad_area.h"
#include "ring.h"
#include "base/compat.h"
#include "base/hooks.h"
#include "core/attached.h"
#include "core/consumer.h"
#include "core/counts.h"
#include "base/hooks.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"

static bool jump_enabled = true;

static int jump_set(const char *text, const struct kernel_param *kp)
{
	bool allowed;
	int ret = kstrtobool(text ?: "1", &allowed);

	if (!ret)
		jumps_allow(allowed);
	return ret;
}

static const struct kernel_param_ops jump_ops = {
	.set = jump_set,
	.get = param_get_bool,
};

module_param_cb(jump, &jump_ops, &jump_enabled, 0644);
MODULE_PARM_DESC(jump, "handle hits without traps where that is possible (default: yes)");

u8 jump_after = 64;
module_param(jump_after, byte, 0644);
MODULE_PARM_DESC(jump_after, "number of traps of a place before it may do without them");

/* After each removal of all jumps, wait twice as long before writing them again. */
#define REMOVALS_MAX_LOG	10U
#define WAIT_FIRST	(HZ / 50 ?: 1)

/*
 * Each of the first FAILURES_MAX failures doubles the number of traps before the next try.  After
 * them, these traps are counted in one of FAILURES_TICKS ticks.
 */
#define FAILURES_MAX	7U
#define FAILURES_TICKS	32

/* A site that waits for a first fault is tried again after it was hot so often. */
#define FAULT_PASSES	8

/* Note that the jump of a site could not be written, for a reason that may pass. */
static void jump_failed(struct site *site)
{
	if (site->failures < FAILURES_MAX)
		site->failures++;
	WRITE_ONCE(site->passes, 1U << site->failures);
}

/* Check whether a site is to be listed later, if it is hit often again. */
static bool jump_later(struct site *site)
{
	const struct probed_mm *pmm = site->pmm;
	u8 passes = READ_ONCE(site->passes);

	if (!READ_ONCE(jump_enabled) || READ_ONCE(pmm->jumps.off) ||
	    time_before(jiffies, READ_ONCE(pmm->jumps.not_before)))
		return true;
	/* A debugger's breakpoint in a register does not know of the copies in a pad. */
	if (current->ptrace)
		return true;
	if (passes && (site->failures < FAILURES_MAX || !(jiffies % FAILURES_TICKS)))
		WRITE_ONCE(site->passes, passes - 1);
	return passes;
}

/*
 * List a site that has been hit often.  A list without an end would need a link in each site: if
 * there is no room, the worker looks at all sites.  A site may be listed twice.
 */
static void hot_add(struct probed_mm *pmm, struct site *site)
{
	unsigned int i, at = hash_ptr(site, ilog2(JUMPS_HOT));

	for (i = 0; i < JUMPS_HOT_TRIES; i++, at = (at + 1) % JUMPS_HOT) {
		if (!READ_ONCE(pmm->jumps.hot[at]) && !cmpxchg(&pmm->jumps.hot[at], NULL, site))
			return;
	}
	WRITE_ONCE(pmm->jumps.more_hot, true);
}

/**
 * jump_hot() - list a site that has been hit often
 * @site: the site
 *
 * Context: the trap.
 */
void jump_hot(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	if (READ_ONCE(site->barred))
		return;
	if (jump_later(site)) {
		WRITE_ONCE(site->heat, 0);
		return;
	}
	/* If it has a jump, the trap is that of its pad. */
	if (site_jump(site))
		return;
	hot_add(pmm, site);
	pmm_queue(pmm, &pmm->jumps.work);
}

/**
 * jump_hidden_text() - check whether a mapping may have code that the program has written
 * @vma: the mapping
 *
 * The program may have generated it, or copied its own.
 *
 * Context: the mmap lock held.
 */
bool jump_hidden_text(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_EXEC &&
	       (vma->vm_flags & VM_WRITE || (!vma->vm_file && !vma->vm_ops));
}

/* Check whether a program that has generated code, or copied its own, may be executing it. */
static bool generates_code(struct probed_mm *pmm)
{
	const struct vm_area_struct *vma;
	VMA_ITERATOR(vmi, pmm->mm, 0);
	bool does = false;

	mmap_read_lock(pmm->mm);
	for_each_vma(vmi, vma)
		does |= jump_hidden_text(vma);
	WRITE_ONCE(pmm->jumps.hidden_text, does);
	mmap_read_unlock(pmm->mm);
	return does;
}

/* Protects maps_watched and maps_over. */
static DEFINE_MUTEX(jump_maps_mutex);
static bool maps_watched, maps_over;

/* Watch new mappings, from the first jump until the module is unloaded. */
static bool maps_watch(void)
{
	bool watched;

	mutex_lock(&jump_maps_mutex);
	if (!maps_watched && !maps_over)
		maps_watched = !hook_ops->watch_maps();
	/* The log says why. */
	maps_over |= !maps_watched;
	watched = maps_watched;
	mutex_unlock(&jump_maps_mutex);
	return watched;
}

/**
 * jumps_exit() - write no more jumps, and stop watching new mappings
 *
 * Context: may sleep; there is no jump.
 */
void jumps_exit(void)
{
	mutex_lock(&jump_maps_mutex);
	if (maps_watched)
		hook_ops->unwatch_maps();
	maps_watched = false;
	maps_over = true;
	mutex_unlock(&jump_maps_mutex);
}

static const char uprobes_there[] =
	"the kernel's uprobes are in this process, or were a moment ago";

/* Get the reason why no jumps of a program may be written, or NULL. */
static const char *jumps_refused(struct probed_mm *pmm)
{
	if (!READ_ONCE(jump_enabled))
		return "counting without traps is switched off";
	if (pmm->mode != UINSN_MODE_64)
		return "it is 32-bit code";
	if (pmm->jumps.off)
		return "memory for jumps could not be mapped into the process";
	if (READ_ONCE(pmm->pads.evicted))
		return "the process has mapped memory where pads were";
	if (!arch_pads_work(pmm->mm))
		return "the process uses protection keys";
	if (!maps_watch())
		return "new mappings cannot be watched";
	if (generates_code(pmm))
		return "the process has code that it has generated, or may have copied";
	/* Last, as the kernel is asked only for processes that could have jumps. */
	return compat_has_uprobes(pmm->mm) ? uprobes_there : NULL;
}

/**
 * jump_missing() - get the reason why the hits of a site trap
 * @site: the site
 *
 * Context: any; probed_mm::lock held.
 * Return: a clause; NULL if the site has a jump, and its pad need not trap.
 */
const char *jump_missing(const struct site *site)
{
	const struct probed_mm *pmm = site->pmm;
	const struct jump *jump = site_jump(site);
	struct pad_work work;

	if (jump)
		return pad_records(&jump->pad) ? ring_missing(pmm) : NULL;
	if (READ_ONCE(site->barred))
		return site_barred(site);
	if (!site_pad_work(site, &work))
		return site_trap_reason(site);
	if (!READ_ONCE(jump_enabled))
		return "counting without traps is switched off";
	if (compat_has_uprobes(pmm->mm))
		return uprobes_there;
	if (site->failures)
		return "its text was just being changed, or there was no memory";
	return pmm->jumps.refused ?: "it has not been hit often enough";
}

/* Let the consumers of a site count what the pad of a jump counts. */
static bool site_count_pads(const struct site *site, struct jump *jump)
{
	struct attachment *at;
	struct consumer *c;

	if (!jump->word && !jump->values)
		return true;
	for_each_attached(c, site, at) {
		if (!consumer_count_pad(c, jump))
			return false;
	}
	return true;
}

/* Erase jumps.  Context: probed_mm::lock held; takes the mmap lock. */
static void erase(struct probed_mm *pmm, bool (*leaves)(const struct jump *jump, const void *data),
		  const void *data)
{
	if (!pmm->jumps.nr)
		return;
	mmap_read_lock(pmm->mm);
	jumps_erase(pmm, leaves, data);
	mmap_read_unlock(pmm->mm);
}

static bool is_barred(const struct jump *jump, const void *unused)
{
	return READ_ONCE(jump->site->barred);
}

/**
 * jumps_erase_barred() - erase the jumps of sites that must not have one any more
 * @pmm: the probed mm, in use
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 */
void jumps_erase_barred(struct probed_mm *pmm)
{
	mutex_lock(&pmm->lock);
	erase(pmm, is_barred, NULL);
	mutex_unlock(&pmm->lock);
}

static void jumps_write_all(struct probed_mm *pmm, struct jump **jumps, unsigned int n)
{
	unsigned int i;

	jumps_write(pmm, jumps, n);
	for (i = 0; i < n; i++) {
		if (!READ_ONCE(jumps[i]->on))
			jump_failed(jumps[i]->site);
	}
}

static bool reads_clock(const struct jump *jump, const void *unused)
{
	return pad_records(&jump->pad) || pad_times(&jump->pad);
}

/**
 * jumps_end_recording() - erase the jumps whose pads read the clock
 * @pmm: the probed mm, in use
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 */
void jumps_end_recording(struct probed_mm *pmm)
{
	mutex_lock(&pmm->lock);
	erase(pmm, reads_clock, NULL);
	mutex_unlock(&pmm->lock);
}

/*
 * Have the next hit passed on, to find out whether the kernel's uprobes are gone from a process
 * (asking.c).  If the kernel knew a breakpoint of ours before, no further hit is risked.
 */
static void ask_for_uprobes(struct probed_mm *pmm)
{
	if (READ_ONCE(pmm->asked_in_vain))
		return;
	compat_recount_uprobes(pmm->mm);
	WRITE_ONCE(pmm->asks, true);
}

/**
 * struct promotion - jumps that are written together
 * @maker: makes them
 * @allowed: jumps may be written
 * @jumps: the jumps
 * @nr: number of @jumps
 */
struct promotion {
	struct jump_maker maker;
	bool allowed;
	struct jump *jumps[JUMPS_HOT];
	unsigned int nr;
};

/* Check whether a jump of a site is about to be written: a site may be listed twice. */
static bool promoted(const struct promotion *p, const struct site *site)
{
	unsigned int i;

	for (i = 0; i < p->nr; i++) {
		if (p->jumps[i]->site == site)
			return true;
	}
	return false;
}

/* Make the jump of a site that has been hit often. */
static void promote(struct promotion *p, struct site *site)
{
	struct pad_work work;
	struct jump *jump;

	bool works = site_pad_work(site, &work), awaits = !works && site_awaits_fault(site);

	/* If its consumers cannot do without traps, do not try again until they change. */
	WRITE_ONCE(site->heat, works || awaits ? 0 : U8_MAX);
	if (awaits) {
		WRITE_ONCE(site->passes, FAULT_PASSES);
		return;
	}
	if (!p->allowed || site->barred || site->heat ||
	    READ_ONCE(site->fast_state) != SITE_ARMED || site_jump(site) || promoted(p, site))
		return;
	jump = jump_make(&p->maker, site, &work);
	if (jump && site_count_pads(site, jump))
		p->jumps[p->nr++] = jump;
	else
		jump_failed(site);
	cond_resched();
}

/* Check whether a site has been hit often, and waits for a jump. */
static bool is_hot(const struct site *site)
{
	u8 heat = READ_ONCE(site->heat);

	return heat >= READ_ONCE(jump_after) && heat != U8_MAX && !READ_ONCE(site->barred) &&
	       !site_jump(site);
}

/* Make the jumps of sites for which the list had no room. */
static void promote_others(struct promotion *p)
{
	struct probed_mm *pmm = p->maker.pmm;
	struct site *site;

	/* Ordered before the loads of heat: a site that is missed sets this again. */
	if (!READ_ONCE(pmm->jumps.more_hot) || !xchg(&pmm->jumps.more_hot, false))
		return;
	for (site = pmm_first_site(pmm, 0); site; site = pmm_next_site(site)) {
		if (p->nr == JUMPS_HOT) {
			WRITE_ONCE(pmm->jumps.more_hot, true);
			pmm_queue(pmm, &pmm->jumps.work);
			return;
		}
		if (is_hot(site))
			promote(p, site);
		cond_resched();
	}
}

/* Write the jumps of sites that have been hit often. */
static void jumps_promote(struct probed_mm *pmm)
{
	struct promotion p = { .maker = { .pmm = pmm, .text = { .mm = pmm->mm } } };
	struct site *site;
	unsigned int i;

	pmm->jumps.refused = jumps_refused(pmm);
	p.allowed = !pmm->jumps.refused &&
		    !time_before(jiffies, READ_ONCE(pmm->jumps.not_before));
	if (p.allowed)
		contention_erase(pmm);
	for (i = 0; i < JUMPS_HOT; i++) {
		site = xchg(&pmm->jumps.hot[i], NULL);
		if (site)
			promote(&p, site);
	}
	promote_others(&p);
	jump_maker_end(&p.maker);
	if (p.nr) {
		jumps_write_all(pmm, p.jumps, p.nr);
		contention_watch(pmm);
	}
	if (pmm->jumps.refused)
		WRITE_ONCE(pmm->jumps.not_before, jiffies + HZ);
	if (pmm->jumps.refused == uprobes_there)
		ask_for_uprobes(pmm);
}

static void jumps_work(struct work_struct *work)
{
	struct probed_mm *pmm = container_of(work, struct probed_mm, jumps.work);
	struct mem_cgroup *payer, *others;

	if (!pmm->life.dead && mmget_not_zero(pmm->mm)) {
		/* Charge the program for this memory. */
		payer = get_mem_cgroup_from_mm(pmm->mm);
		others = set_active_memcg(payer);
		mutex_lock(&pmm->lock);
		ring_fill(pmm);
		jumps_promote(pmm);
		erase(pmm, is_barred, NULL);
		mutex_unlock(&pmm->lock);
		set_active_memcg(others);
		mem_cgroup_put(payer);
		mmput_async(pmm->mm);
	}
	pmm_put(pmm);
}

/**
 * jumps_init() - prepare a probed mm for jumps
 * @pmm: the probed mm
 */
void jumps_init(struct probed_mm *pmm)
{
	INIT_WORK(&pmm->jumps.work, jumps_work);
}

/**
 * struct text_range - a range of addresses
 * @start: its first address
 * @end: the first address behind it
 */
struct text_range {
	unsigned long start;
	unsigned long end;
};

/* A pad also executes the rest of the last instruction that its jump covers. */
static bool is_in(const struct jump *jump, const void *data)
{
	const struct text_range *range = data;

	return jump->pad.addr < range->end && jump->pad.addr + jump->pad.pun.len > range->start;
}

static bool is_any(const struct jump *jump, const void *unused)
{
	return true;
}

/* Erase the jumps in a range.  Context: as for jumps_erase(). */
static void erase_range(struct probed_mm *pmm, unsigned long start, unsigned long end)
{
	const struct text_range range = { start, end };
	unsigned int before = pmm->jumps.nr;

	jumps_erase(pmm, is_in, &range);
	if (pmm->jumps.nr == before)
		return;
	/* The same may happen many times: wait longer each time.  Begin again after a while. */
	if (time_after(jiffies, pmm->jumps.not_before + 2 * (WAIT_FIRST << REMOVALS_MAX_LOG)))
		pmm->jumps.removals = 0;
	WRITE_ONCE(pmm->jumps.not_before, jiffies + (WAIT_FIRST << pmm->jumps.removals));
	if (pmm->jumps.removals < REMOVALS_MAX_LOG)
		pmm->jumps.removals++;
}

/**
 * jumps_erase_for_read() - erase the jumps in a range that is about to be read, or to get a site
 * @pmm: the probed mm, in use
 * @start: first address of the range
 * @end: first address behind it
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 */
void jumps_erase_for_read(struct probed_mm *pmm, unsigned long start, unsigned long end)
{
	if (!pmm->jumps.nr || pmm->jumps.low >= end || pmm->jumps.high <= start)
		return;
	mmap_read_lock(pmm->mm);
	erase_range(pmm, start, end);
	mmap_read_unlock(pmm->mm);
}

static bool needs_trap(const struct jump *jump, const void *unused)
{
	struct pad_work work;

	return !site_pad_work(jump->site, &work) || !jump_does(jump, &work);
}

/**
 * jumps_end_counting() - erase the jumps whose pads do not do what the consumers want any more
 * @pmm: the probed mm
 * @sites: the sites whose consumers have changed
 * @n: number of @sites
 * @in_use: the address space is in use; if it is not, no jump is erased
 *
 * Also add up what their pads have counted for consumers that are not live any more.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 */
void jumps_end_counting(struct probed_mm *pmm, struct site **sites, unsigned int n, bool in_use)
{
	struct attachment *at;
	struct consumer *c;
	struct jump *jump;
	bool any = false;
	unsigned int i;

	/* Mostly these sites have no jump, and there may be thousands of others. */
	for (i = 0; i < n && !any; i++) {
		jump = site_jump(sites[i]);
		any = jump && needs_trap(jump, NULL);
	}
	if (in_use && any)
		erase(pmm, needs_trap, NULL);
	for (i = 0; i < n; i++) {
		WRITE_ONCE(sites[i]->heat, 0);
		for_each_attached(c, sites[i], at) {
			if (!READ_ONCE(c->run.live))
				consumer_end_pads(c, sites[i]);
		}
	}
}

/**
 * jumps_erase_range() - erase the jumps in a range that is about to change or to be copied
 * @pmm: the probed mm, in use
 * @start: first address of the range
 * @end: first address behind it
 *
 * Context: may sleep, but does not allocate; the mmap lock held for writing by the current task.
 */
void jumps_erase_range(struct probed_mm *pmm, unsigned long start, unsigned long end)
{
	if (pmm->jumps.nr && pmm->jumps.low < end && pmm->jumps.high > start)
		erase_range(pmm, start, end);
}

/**
 * jumps_hide_text() - erase all jumps if the program may execute code that it has written
 * @pmm: the probed mm, in use
 *
 * The program may be about to copy text with jumps there.
 *
 * Context: may sleep; takes probed_mm::lock and the mmap lock.
 */
void jumps_hide_text(struct probed_mm *pmm)
{
	mutex_lock(&pmm->lock);
	if (pmm->jumps.nr && generates_code(pmm))
		erase(pmm, is_any, NULL);
	mutex_unlock(&pmm->lock);
}

static bool jumps_forbid(struct probed_mm *pmm, void *unused)
{
	if (!mmget_not_zero(pmm->mm))
		return true;
	mutex_lock(&pmm->lock);
	erase(pmm, is_any, NULL);
	mutex_unlock(&pmm->lock);
	mmput_async(pmm->mm);
	return true;
}

/**
 * jumps_allow() - allow or forbid jumps in all processes
 * @allowed: whether they are allowed
 *
 * If they are forbidden, all have been erased when this function returns.
 *
 * Context: may sleep; takes probed_mm::lock and mmap locks.
 */
void jumps_allow(bool allowed)
{
	WRITE_ONCE(jump_enabled, allowed);
	if (!allowed)
		pmm_for_each(jumps_forbid, NULL);
}

bool jumps_are_allowed(void)
{
	return READ_ONCE(jump_enabled);
}
