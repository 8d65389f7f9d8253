// SPDX-License-Identifier: GPL-2.0
/*
 * Decide whether a site can have a jump, and make it.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "jump_make.h"
#include "arch.h"
#include "cpu_counters.h"
#include "pad_area.h"
#include "ring.h"
#include "timing.h"
#include "base/hooks.h"
#include "core/attached.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/site_tree.h"
#include "target/target.h"
#include "text/mapped_file.h"
#include "text/read.h"

/* The largest number of jumps of a site: each has another work to do. */
#define JUMPS_MAX	8

static const char * const reasons[] = {
	[BARRED_PAGE] = "a jump would cross the end of a page",
	[BARRED_UNREADABLE] = "the text cannot be read",
	[BARRED_NEIGHBOUR] = "another place under the jump is probed, or was",
	[BARRED_SHADOW] = "the copy of its call would not match a shadow stack",
	[BARRED_CPU] = "the flags are in use, and this processor cannot save them",
	[BARRED_GO] = "stacks of Go are too small for what its pad would save",
	[BARRED_FILTER] = "a condition is on a register that the pad uses",
	[BARRED_CHANGES] = "its conditions have changed too often",
	[BARRED_ROOM] = "there is no room for a pad within reach",
	[BARRED_RECORDS] = "65,536 places of the process record without a trap, or did",
	[BARRED_COVERED] = "threads execute what the jump covers",
	[BARRED_RESUMED] = "signals or debuggers have made threads come back to it",
	[BARRED_LONG] = "its pad would be too long",
	[BARRED_FAULTED] = "its pad has met memory that the program cannot use",
};

/* Get the reason why a site must not have a jump; NULL if it may have one. */
const char *site_barred(const struct site *site)
{
	u8 why = READ_ONCE(site->barred);

	return why > BARRED_PUN ? pun_refusal_name(why - BARRED_PUN) : reasons[why];
}

/* Check whether a site has too many consumers for a pad that records. */
static bool is_crowded(const struct site *site)
{
	struct attachment *at;
	struct consumer *c;
	unsigned int n = 0;

	for_each_attached(c, site, at)
		n++;
	return n > RING_CONSUMERS;
}

/* Check whether a pad could record for each consumer of a site, if they were fewer. */
static bool all_record(const struct site *site)
{
	struct attachment *at;
	struct consumer *c;
	bool all = true;

	for_each_attached(c, site, at)
		all &= c->counts || c->rings;
	return all;
}

/**
 * site_awaits_fault() - check whether a consumer of a site reads memory, and no pad may do that yet
 * @site: the site
 *
 * Context: any; probed_mm::lock held.
 */
bool site_awaits_fault(const struct site *site)
{
	struct attachment *at;
	struct consumer *c;
	bool loads = false;

	for_each_attached(c, site, at)
		loads |= c->pads.nr_loads;
	return loads && !hook_faults_seen();
}

/**
 * site_trap_reason() - get the reason why the consumers of a site need a trap for each hit
 * @site: the site, for which site_pad_work() returns false
 *
 * Context: any; probed_mm::lock held.
 * Return: a clause.
 */
const char *site_trap_reason(const struct site *site)
{
	u8 why = site->ringless;

	if (why)
		return reasons[why];
	if (!arch_pads_record() || READ_ONCE(site->pmm->rings.clockless))
		return "a probe there needs the trap, as the program cannot read the clock";
	if (is_crowded(site) && all_record(site))
		return "more than four probes are there";
	if (site_awaits_fault(site))
		return "it reads memory, and the kernel has not been seen to report a fault yet";
	return "a probe there needs the trap, or their conditions differ";
}

/* Keep a site from having a jump.  Context: any. */
void site_bar(struct site *site, enum barred why)
{
	WRITE_ONCE(site->barred, why);
}

/* Drop what a maker holds.  Context: any. */
void jump_maker_end(struct jump_maker *maker)
{
	text_reader_end(&maker->text);
	if (maker->file)
		fput(maker->file);
	maker->file = NULL;
}

/* Check whether a file is a program in Go, whose stacks are small. */
static bool is_go(struct jump_maker *maker, unsigned long addr)
{
	struct uprobe place = {};
	struct target target;

	place.file = mapped_file(maker->pmm->mm, addr, &place.offset);
	if (!place.file)
		return true;
	/* To open the file takes longer than all the rest, and the next site is in the same one. */
	if (maker->file && file_inode(maker->file) == file_inode(place.file)) {
		fput(place.file);
		return maker->go;
	}
	if (maker->file)
		fput(maker->file);
	maker->file = place.file;
	maker->go = true;
	if (!target_open(&target, &place)) {
		maker->go = target_is_go(&target);
		target_close(&target);
	}
	return maker->go;
}

/* Check whether a site is within the instruction of the one before it: behind a LOCK prefix. */
static bool within_another(struct site *site)
{
	const struct site *before = pmm_prev_site(site);

	return before && before->kind == SITE_PROBE &&
	       before->key.addr + ssol_len(before->plan) > site->key.addr;
}

/**
 * jump_text_clean() - undo breakpoints and jumps of ours in text that was read
 * @site: the site where the text begins
 * @text: the text
 * @len: its length
 *
 * Context: probed_mm::lock held, and the mmap lock from the reading on: no jump is half erased.
 * Return: false if another site is where a jump would be, or shares the instruction.
 */
bool jump_text_clean(struct site *site, u8 *text, unsigned int len)
{
	unsigned long addr = site->key.addr;
	const struct jump *jump;
	struct site *other;

	for (other = site; other && other->key.addr < addr + len; other = pmm_next_site(other)) {
		unsigned int at = other->key.addr - addr;

		if (other != site && at < PUN_LEN)
			return false;
		jump = site_jump(other);
		if (jump)
			memcpy(text + at, jump->pad.pun.text, min(PUN_LEN, len - at));
		else if (text[at] == ARCH_BREAKPOINT && other->kind == SITE_PROBE)
			text[at] = other->plan->text[0];
	}
	return !within_another(site);
}

/* Get a number that differs for almost any two texts.  Context: any. */
u64 jump_text_hash(const u8 *text, unsigned int len)
{
	u64 hash = len, word = 0;
	unsigned int n;

	for (; len; text += n, len -= n) {
		n = min_t(unsigned int, len, sizeof(word));
		if (n == sizeof(word))
			memcpy(&word, text, sizeof(word));
		else
			memcpy(&word, text, n);
		hash = (rol64(hash, 23) ^ word) * GOLDEN_RATIO_64;
	}
	return hash;
}

/* Decide whether a site can have a jump.  @jump says what it does; fill in the rest of its pad. */
static enum barred jump_decide(struct jump_maker *maker, struct jump *jump, const u8 *text,
			       unsigned int len)
{
	struct pad *pad = &jump->pad;
	enum pun_refusal why = pun_decide(&pad->pun, text, len);

	if (why)
		return BARRED_PUN + why;
	if (pad->pun.calls && arch_stacks_fixable())
		return BARRED_SHADOW;
	pad->addr = jump->site->key.addr;
	pad->saves = pad_saves(pad, text, len);
	if (pad->saves && !arch_pads_save())
		return BARRED_CPU;
	if (pad_uses_stack(pad) && is_go(maker, pad->addr))
		return BARRED_GO;
	if (!pad_fits(pad))
		return BARRED_LONG;
	return pad_filter_fits(pad) ? BARRED_NOT : BARRED_FILTER;
}

/* Read the text at a site, without breakpoints and jumps of ours. */
static enum barred text_get(struct jump_maker *maker, struct site *site, u8 *text,
			    unsigned int len)
{
	unsigned long addr = site->key.addr;
	bool clean;

	if (len < PUN_LEN)
		return BARRED_PAGE;
	if (text_reader_read(&maker->text, addr, text, len) != (int)len)
		return BARRED_UNREADABLE;
	/* The reader has the page now, and no jump is being erased while the lock is held. */
	mmap_read_lock(maker->pmm->mm);
	text_reader_read(&maker->text, addr, text, len);
	clean = jump_text_clean(site, text, len);
	mmap_read_unlock(maker->pmm->mm);
	return clean ? BARRED_NOT : BARRED_NEIGHBOUR;
}

/* Check whether pads of a process may record, at a site. */
static bool may_record(const struct site *site)
{
	return !site->ringless && arch_pads_record() &&
	       !READ_ONCE(site->pmm->rings.clockless) && !is_crowded(site);
}

/* Check whether pads of a process may have a histogram, at a site. */
static bool may_add(const struct site *site)
{
	return !site->addless && (!site->ringless || site->ringless == BARRED_RECORDS);
}

/* Check whether pads of a process may time calls, at a site. */
static bool may_time(const struct site *site)
{
	return may_add(site) && arch_pads_record() && !READ_ONCE(site->pmm->rings.clockless);
}

/* Check whether processors are to have their own counters at a site. */
static bool counts_apart(const struct site *site)
{
	const struct jump *jump;
	bool wanted = false;

	for (jump = site->jumps; jump; jump = jump->older) {
		if (jump->apart == APART_REFUSED)
			return false;
		wanted |= jump->apart == APART_WANTED;
	}
	return wanted;
}

/* Have processors share the counters of a site from now on. */
static void refuse_apart(struct site *site)
{
	struct jump *jump;

	for (jump = site->jumps; jump; jump = jump->older)
		jump->apart = APART_REFUSED;
}

/**
 * struct demand - what the consumers of a site ask of its pad
 * @nr: their number
 * @counting: how many only count
 * @ringing: how many have a ring handler
 * @timing: how many have a timer
 * @mixed: some load other bytes from memory than others
 * @first: the first one
 */
struct demand {
	unsigned int nr;
	unsigned int counting;
	unsigned int ringing;
	unsigned int timing;
	bool mixed;
	const struct consumer *first;
};

/* Add what a consumer loads from memory. */
static void loads_add(struct pad_work *work, struct demand *demand, const struct consumer *c)
{
	unsigned int nr = c->pads.nr_loads;

	if (!nr)
		return;
	demand->mixed |= work->nr_loads &&
			 (work->nr_loads != nr ||
			  memcmp(work->loads, c->pads.loads, nr * sizeof(*work->loads)));
	work->nr_loads = nr;
	work->loads = c->pads.loads;
}

static void demand_add(struct demand *demand, const struct consumer *c)
{
	demand->first = demand->first ?: c;
	demand->nr++;
	demand->counting += c->counts;
	demand->ringing += c->rings;
	demand->timing += c->timing != TIMING_NOT;
}

/* Choose what a pad does for consumers with the same conditions. */
static void work_choose(struct pad_work *work, const struct site *site,
			const struct demand *demand)
{
	if (demand->counting == demand->nr)
		work->does = PAD_COUNT;
	else if (demand->nr == 1 && demand->first->pads.histogram.value.size && may_add(site) &&
		 !(demand->first->keyed && site->keyless) &&
		 (!demand->first->pads.histogram.nr_loads || hook_faults_seen()))
		work->does = PAD_ADD;
	else if (demand->nr == 1 && demand->first->timing && !work->filter.nr && may_time(site))
		work->does = demand->first->timing == TIMING_BEGIN ? PAD_BEGIN : PAD_END;
	/* A call that is in the table must not end in a ring: its time would be unknown. */
	else if (!demand->timing && demand->counting + demand->ringing == demand->nr &&
		 hweight32(work->reads) <= PAD_VALUES && may_record(site) &&
		 (!work->nr_loads || (!demand->mixed && hook_faults_seen())))
		work->does = PAD_RECORD;
	else
		work->does = PAD_TO_TRAP;
	work->apart = (work->does == PAD_COUNT || work->does == PAD_ADD || work->does == PAD_END) &&
		      !demand->first->keyed && counts_apart(site);
	if (work->does != PAD_RECORD) {
		work->reads = 0;
		work->nr_loads = 0;
	}
	if (work->does == PAD_ADD) {
		work->histogram = demand->first->pads.histogram;
		work->nr_loads = work->histogram.nr_loads;
	}
	if (work->does != PAD_BEGIN && work->does != PAD_END)
		return;
	work->from_entry = demand->first->pads.from_entry;
	work->below = demand->first->pads.below;
}

/**
 * site_pad_work() - find out what a pad would do for the consumers of a site
 * @site: the site
 * @work: filled in
 *
 * Either all consumers only count.  Or the only one has a histogram, or times calls.  Or some have
 * ring handlers, the others only count, and these are %RING_CONSUMERS together at most.  Or all
 * have conditions.  If several have conditions, these are the same.
 *
 * Context: probed_mm::lock held.
 * Return: false if the consumers need a trap for each hit.
 */
bool site_pad_work(const struct site *site, struct pad_work *work)
{
	static const struct pad_filter none;
	const struct pad_filter *conditions;
	const struct filter *filter;
	struct demand demand = {};
	struct attachment *at;
	struct consumer *c;
	bool same = true;

	memset(work, 0, sizeof(*work));
	for_each_attached(c, site, at) {
		rcu_read_lock();
		filter = rcu_dereference(c->filter);
		conditions = filter ? &filter->pad : &none;
		if (!demand.nr)
			work->filter = *conditions;
		else
			same = pad_filter_same(&work->filter, conditions);
		rcu_read_unlock();
		work->reads |= c->pads.reads;
		loads_add(work, &demand, c);
		demand_add(&demand, c);
		if (!same || !READ_ONCE(c->run.live))
			return false;
	}
	if (!demand.nr)
		return false;
	work_choose(work, site, &demand);
	return work->does != PAD_TO_TRAP || work->filter.nr;
}

/* Check whether the pad of a jump does this work. */
bool jump_does(const struct jump *jump, const struct pad_work *work)
{
	const struct pad_histogram *a = &pad_action(&jump->pad)->histogram, *b = &work->histogram;

	if (!pad_does(&jump->pad, work->does))
		return false;
	if (work->does == PAD_ADD &&
	    !(pad_operand_same(&a->value, &b->value) && pad_operand_same(&a->key, &b->key)))
		return false;
	if (!jump_loads(jump, work->loads, work->nr_loads))
		return false;
	return jump->reads == work->reads &&
	       jump->from_entry == work->from_entry && jump->below == work->below &&
	       !!pad_cpu_mask(&jump->pad) == work->apart &&
	       pad_has_filter(&jump->pad, &work->filter);
}

/* Place the pad of a new jump.  Return 0 or a negative errno. */
static int jump_place(struct jump *jump)
{
	bool records = pad_records(&jump->pad), times = pad_times(&jump->pad);
	struct probed_mm *pmm = jump->site->pmm;
	int ret = pad_does(&jump->pad, PAD_COUNT) ? 0 : site_alloc_pad(jump);

	if (!ret && (pad_cpu_mask(&jump->pad) || pad_has_keys(&jump->pad)))
		ret = cpu_counters_take(pmm, jump);
	if (!ret && records)
		ret = ring_get(pmm);
	if (!ret && times)
		ret = timing_get(pmm);
	/* It may have been found out just now. */
	if (!ret && (records || times) && READ_ONCE(pmm->rings.clockless))
		ret = -ENOMEM;
	if (!ret && records)
		ret = ring_prepare_jump(pmm, jump);
	if (!ret && times)
		timing_prepare_jump(pmm, jump);
	/* Last: the area has the jump from then on. */
	ret = ret ?: pad_place(pmm, jump);
	if (ret) {
		if (jump->trap)
			site_free(jump->trap);
		return ret;
	}
	if (records)
		ring_add_jump(pmm, jump);
	if (jump->cpus && jump->values)
		cpu_counters_keep(pmm, jump);
	/* Traps find it from now on, complete. */
	smp_store_release(&jump->site->jumps, jump);
	if (jump->trap)
		site_add_pad(jump);
	return 0;
}

/* Check whether a pad shares more than a counter or a ring with the module. */
static bool work_shares(const struct pad_work *work)
{
	return work->does == PAD_ADD || work->does == PAD_BEGIN || work->does == PAD_END;
}

/* Make a new jump of a site.  @text: the text there, without breakpoints and jumps of ours. */
static struct jump *jump_new(struct jump_maker *maker, struct site *site,
			     const struct pad_work *work, const u8 *text, unsigned int len)
{
	unsigned long reads = work->reads, reg;
	struct pad_step *action;
	struct pad_load *loads;
	struct jump *jump;
	enum barred why;
	bool pad_keyed;
	size_t size;
	int ret;

	size = struct_size(jump, pad.steps, work->filter.nr + 1);
	jump = kzalloc(size + work->nr_loads * sizeof(*work->loads), SSOL_GFP);
	if (!jump)
		return NULL;
	jump->site = site;
	jump->older = site->jumps;
	INIT_LIST_HEAD(&jump->in_pmm);
	pad_set_steps(&jump->pad, &work->filter, work->does);
	jump->reads = work->reads;
	jump->from_entry = work->from_entry;
	jump->below = work->below;
	action = &jump->pad.steps[work->filter.nr];
	if (work->does == PAD_ADD)
		action->histogram = work->histogram;
	/* The size of the pad depends on whether there is a mask.  The right one comes later. */
	if (work->apart)
		pad_set_cpus(&jump->pad, 0, 1);
	for_each_set_bit(reg, &reads, PAD_WORD + PAD_WORDS)
		action->recording.regs[action->recording.nr++] = reg;
	if (work->nr_loads) {
		loads = memcpy((void *)jump + size, work->loads,
			       work->nr_loads * sizeof(*work->loads));
		if (work->does == PAD_ADD)
			action->histogram.loads = loads;
		else
			action->recording.loads = loads;
	}
	if (work->does == PAD_RECORD)
		action->recording.nr_loads = work->nr_loads;
	jump->seen = jump_text_hash(text, len);
	why = jump_decide(maker, jump, text, len);
	ret = why ? 0 : jump_place(jump);
	if (!why && !ret)
		return jump;
	pad_keyed = pad_has_keys(&jump->pad);
	kfree(jump);
	if (work->apart) {
		refuse_apart(site);
		return NULL;
	}
	if (ret == -EMLINK)
		why = BARRED_RECORDS;
	/* The pad may neither record nor have a histogram for this reason, but may still trap. */
	if ((work->does == PAD_RECORD || work_shares(work)) &&
	    (why == BARRED_GO || why == BARRED_CPU || why == BARRED_FILTER ||
	     why == BARRED_LONG ||	     why == BARRED_RECORDS))
		site->ringless = why;
	else if (pad_keyed && ret && ret != -ENOMEM)
		site->keyless = true;
	/* There may be room for a pad without one. */
	else if (work_shares(work) && ret && ret != -ENOMEM)
		site->addless = true;
	else if (ret != -ENOMEM)
		site_bar(site, why ?: BARRED_ROOM);
	return NULL;
}

/**
 * jump_make() - make a jump of a site
 * @maker: makes several jumps; jump_maker_end() comes after the last one
 * @site: the site, without a jump in the text
 * @work: what its pad is to do
 *
 * If the site has had such a jump before, with the same text, it is used again.
 *
 * Context: may sleep; probed_mm::lock held, takes the mmap lock.
 * Return: the jump.  NULL if there is no memory, or, with the site barred, if it cannot have one.
 */
struct jump *jump_make(struct jump_maker *maker, struct site *site, const struct pad_work *work)
{
	unsigned int len = jump_text_len(site->key.addr), n = 0;
	struct jump *jump;
	enum barred why;
	u8 text[JUMP_TEXT];

	why = text_get(maker, site, text, len);
	for (jump = site->jumps; !why && jump; jump = jump->older, n++) {
		if (jump_does(jump, work) && jump->seen == jump_text_hash(text, len))
			return jump;
	}
	if (!why && n < JUMPS_MAX)
		return jump_new(maker, site, work, text, len);
	if (!why && work->apart) {
		refuse_apart(site);
		return NULL;
	}
	site_bar(site, why ?: BARRED_CHANGES);
	return NULL;
}
