// SPDX-License-Identifier: GPL-2.0
/*
 * Decide which sites get a jump, and when it must go.
 */
#include <linux/fs.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "jump.h"
#include "jump_text.h"
#include "arch.h"
#include "base/compat.h"
#include "core/consumer.h"
#include "core/pad_area.h"
#include "core/probed_mm.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "target/target.h"
#include "text/mapped_file.h"
#include "text/read.h"

static bool jump_enabled;
module_param_named(jump, jump_enabled, bool, 0644);
MODULE_PARM_DESC(jump, "count without traps where that is possible");

u8 jump_after = 64;
module_param(jump_after, byte, 0644);
MODULE_PARM_DESC(jump_after, "number of traps of a place before it may count without one");

/* How much text to look at, from a site on: whether the flags are of use, and what is covered. */
#define TEXT_SEEN	96U

/* Number of jumps that are written together. */
#define JUMP_BATCH	64U

/* After each removal of all jumps, wait twice as long before writing them again. */
#define REMOVALS_MAX_LOG	10U
#define WAIT_FIRST	(HZ / 50 ?: 1)

static bool site_counts_only(const struct site *site)
{
	const struct attachment *a;

	list_for_each_entry(a, &site->attachments, in_site) {
		if (!a->consumer->counts || !READ_ONCE(a->consumer->run.live))
			return false;
	}
	return !list_empty(&site->attachments);
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

	if (!READ_ONCE(jump_enabled) || READ_ONCE(site->barred))
		return;
	if (READ_ONCE(pmm->jumps.off) ||
	    time_before(jiffies, READ_ONCE(pmm->jumps.not_before))) {
		WRITE_ONCE(site->heat, 0);
		return;
	}
	if (!xchg(&site->listed, true) && llist_add(&site->heated, &pmm->jumps.hot))
		pmm_queue(pmm, &pmm->jumps.work);
}

static void bar(struct site *site, const char *why)
{
	WRITE_ONCE(site->barred, true);
	pr_debug("0x%lx keeps its breakpoint: %s\n", site->key.addr, why);
}

/**
 * jump_bar() - have the jump of a site erased, and not written again
 * @site: the site
 *
 * Context: any; a worker erases the jump.
 */
void jump_bar(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	bar(site, "threads execute what a jump would cover");
	if (!xchg(&site->listed, true) && llist_add(&site->heated, &pmm->jumps.hot))
		pmm_queue(pmm, &pmm->jumps.work);
}

/* Check whether a program that has generated code, or copied its own, may be executing it. */
static bool generates_code(struct mm_struct *mm)
{
	const struct vm_area_struct *vma;
	VMA_ITERATOR(vmi, mm, 0);
	bool does = false;

	mmap_read_lock(mm);
	for_each_vma(vmi, vma)
		does |= vma->vm_flags & VM_EXEC &&
			(vma->vm_flags & VM_WRITE || (!vma->vm_file && !vma->vm_ops));
	mmap_read_unlock(mm);
	return does;
}

/* Check whether the jumps of a program may be written. */
static bool jumps_allowed(struct probed_mm *pmm)
{
	return READ_ONCE(jump_enabled) && !pmm->jumps.off && pmm->mode == UINSN_MODE_64 &&
	       arch_pads_work(pmm->mm) && !compat_has_uprobes(pmm->mm) &&
	       !generates_code(pmm->mm);
}

/* Check whether a file is a program in Go, whose stacks are small. */
static bool is_go(struct probed_mm *pmm, unsigned long addr)
{
	struct uprobe place = {};
	struct target target;
	bool go = true;

	place.file = mapped_file(pmm->mm, addr, &place.offset);
	if (!place.file)
		return true;
	if (!target_open(&target, &place)) {
		go = target.go;
		target_close(&target);
	}
	fput(place.file);
	return go;
}

/* Undo our breakpoints in text that was read.  Return false if a site is under the jump. */
static bool text_clean(struct probed_mm *pmm, struct site *site, u8 *text, unsigned int len)
{
	unsigned long addr = site->key.addr;
	struct site *other;

	for (other = site; other && other->key.addr < addr + len; other = pmm_next_site(other)) {
		u8 *byte = text + (other->key.addr - addr);

		if (other != site && other->key.addr < addr + PUN_LEN)
			return false;
		if (*byte == ARCH_BREAKPOINT && other->kind == SITE_PROBE)
			*byte = other->plan.text[0];
	}
	jumps_show_text(pmm, addr, text, len);
	return true;
}

/* Decide whether a site can have a jump; if not, say why.  Fill in @pad. */
static const char *pad_decide(struct probed_mm *pmm, struct site *site, struct pad *pad)
{
	unsigned long addr = site->key.addr;
	struct text_reader reader = { .mm = pmm->mm };
	unsigned int len = min_t(unsigned int, TEXT_SEEN, PAGE_SIZE - offset_in_page(addr));
	enum pun_refusal why;
	u8 text[TEXT_SEEN];
	int got;

	if (len < PUN_LEN)
		return "the jump would cross the end of a page";
	got = text_reader_read(&reader, addr, text, len);
	text_reader_end(&reader);
	if (got != (int)len)
		return "the text cannot be read";
	if (!text_clean(pmm, site, text, len))
		return "another place under the jump was probed";
	why = pun_decide(&pad->pun, text, len);
	if (why)
		return pun_refusal_name(why);
	if (pad->pun.calls && arch_stacks_fixable())
		return "its call would not match a shadow stack";
	pad->addr = addr;
	pad->saves = pad_saves(text, len);
	if (pad->saves && (!arch_pads_save() || is_go(pmm, addr)))
		return "the pad would need the stack";
	return NULL;
}

/* Make the jump of a site, once.  Return NULL, with the site barred, if it cannot have one. */
static struct jump *jump_make(struct probed_mm *pmm, struct site *site)
{
	struct jump *jump = site->jump;
	const char *why;
	int ret;

	if (jump)
		return jump;
	jump = kzalloc(sizeof(*jump), SSOL_GFP);
	if (!jump)
		return NULL;
	jump->site = site;
	INIT_LIST_HEAD(&jump->in_pmm);
	why = pad_decide(pmm, site, &jump->pad);
	if (!why) {
		ret = pad_place(pmm, jump);
		if (!ret) {
			/* Traps find it from now on, complete. */
			smp_store_release(&site->jump, jump);
			return jump;
		}
		why = ret == -ENOMEM ? NULL : "no pad is within reach";
	}
	if (why)
		bar(site, why);
	kfree(jump);
	return NULL;
}

/* Let the consumers of a site count what its pad counts. */
static bool site_count_pads(struct site *site)
{
	struct attachment *a;

	list_for_each_entry(a, &site->attachments, in_site) {
		if (!a->pads)
			a->pads = consumer_count_pad(a->consumer, site->jump->word);
		if (!a->pads)
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

/* Write the jumps of sites that have been hit often. */
static void jumps_promote(struct probed_mm *pmm, struct llist_node *hot)
{
	bool allowed = jumps_allowed(pmm);
	struct jump *jumps[JUMP_BATCH], *jump;
	struct site *site, *next;
	unsigned int n = 0;

	llist_for_each_entry_safe(site, next, hot, heated) {
		WRITE_ONCE(site->listed, false);
		WRITE_ONCE(site->heat, 0);
		if (!allowed || site->barred || !site_counts_only(site) ||
		    READ_ONCE(site->fast_state) != SITE_ARMED || (site->jump && site->jump->on))
			continue;
		jump = jump_make(pmm, site);
		if (!jump || !site_count_pads(site))
			continue;
		jumps[n++] = jump;
		if (n == ARRAY_SIZE(jumps)) {
			jumps_write(pmm, jumps, n);
			n = 0;
		}
		cond_resched();
	}
	if (n)
		jumps_write(pmm, jumps, n);
	if (!allowed)
		WRITE_ONCE(pmm->jumps.not_before, jiffies + HZ);
}

static void jumps_work(struct work_struct *work)
{
	struct probed_mm *pmm = container_of(work, struct probed_mm, jumps.work);
	struct llist_node *hot = llist_del_all(&pmm->jumps.hot);
	struct mem_cgroup *payer, *others;

	if (!pmm->life.dead && mmget_not_zero(pmm->mm)) {
		/* Charge the program for this memory. */
		payer = get_mem_cgroup_from_mm(pmm->mm);
		others = set_active_memcg(payer);
		mutex_lock(&pmm->lock);
		jumps_promote(pmm, hot);
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

static bool is_in(const struct jump *jump, const void *data)
{
	const struct text_range *range = data;

	return jump->pad.addr < range->end && jump->pad.addr + PUN_LEN > range->start;
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
	/* The same may happen again and again, so wait longer each time. */
	WRITE_ONCE(pmm->jumps.not_before, jiffies + (WAIT_FIRST << pmm->jumps.removals));
	if (pmm->jumps.removals < REMOVALS_MAX_LOG)
		pmm->jumps.removals++;
}

/**
 * jumps_make_way() - erase the jumps in a range whose text is about to be read, or to get a site
 * @pmm: the probed mm, in use
 * @start: first address of the range
 * @end: first address behind it
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 */
void jumps_make_way(struct probed_mm *pmm, unsigned long start, unsigned long end)
{
	if (!pmm->jumps.nr || pmm->jumps.low >= end || pmm->jumps.high + PUN_LEN <= start)
		return;
	mmap_read_lock(pmm->mm);
	erase_range(pmm, start, end);
	mmap_read_unlock(pmm->mm);
}

static bool needs_trap(const struct jump *jump, const void *unused)
{
	return !site_counts_only(jump->site);
}

/**
 * jumps_end_counting() - erase the jumps of sites whose consumers do not all count any more
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
	struct attachment *a;
	unsigned int i;

	if (in_use)
		erase(pmm, needs_trap, NULL);
	for (i = 0; i < n; i++) {
		if (!sites[i]->jump)
			continue;
		list_for_each_entry(a, &sites[i]->attachments, in_site) {
			if (!a->pads || READ_ONCE(a->consumer->run.live))
				continue;
			consumer_end_pad(a->consumer, a->pads);
			a->pads = NULL;
		}
	}
}

/**
 * jumps_away() - erase the jumps in a range that is about to change or to be copied
 * @pmm: the probed mm, in use
 * @start: first address of the range
 * @end: first address behind it
 *
 * Context: may sleep, but does not allocate; the mmap lock held for writing by the current task.
 */
void jumps_away(struct probed_mm *pmm, unsigned long start, unsigned long end)
{
	if (pmm->jumps.nr)
		erase_range(pmm, start, end);
}

/**
 * jumps_away_for_good() - erase all jumps, as the kernel's uprobes come
 * @pmm: the probed mm, in use
 *
 * Context: as for jumps_away().
 */
void jumps_away_for_good(struct probed_mm *pmm)
{
	WRITE_ONCE(pmm->jumps.off, true);
	jumps_erase(pmm, is_any, NULL);
}

/**
 * jumps_show_text() - replace jumps by the original bytes in a copy of text
 * @pmm: the probed mm
 * @addr: address of the text
 * @text: the copy
 * @len: its length
 *
 * Context: any; an RCU read side, or probed_mm::lock held.
 */
void jumps_show_text(const struct probed_mm *pmm, unsigned long addr, u8 *text, size_t len)
{
	unsigned long at;
	unsigned int i;

	if (!READ_ONCE(pmm->jumps.nr_areas))
		return;
	rcu_read_lock();
	for (at = addr - (PUN_LEN - 1); at != addr + len; at++) {
		const struct site *site = site_find(pmm->mm, at);
		const struct jump *jump = site ? READ_ONCE(site->jump) : NULL;

		/* While the site is armed, the original text is there if the jump is not. */
		if (jump && READ_ONCE(site->state) != SITE_ARMED)
			jump = NULL;
		for (i = 0; jump && i < PUN_LEN; i++) {
			if (at + i - addr < len)
				text[at + i - addr] = jump->pad.pun.text[i];
		}
	}
	rcu_read_unlock();
}
