/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structures of probed mms: their sites and their SSOL areas.
 */
#ifndef _UPROBES_PMM_TYPES_H
#define _UPROBES_PMM_TYPES_H

#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>

#include "arch.h"
#include "calls_types.h"
#include "consumer_types.h"
#include "jump_types.h"

struct pad_area;
struct ring;
struct visit;

#define SSOL_AREA_SIZE		(256UL << 10)

/* Slots start at multiples of this, so that short ones share a cache line. */
#define SSOL_SLOT_ALIGN		16UL

/* The sites of slots are listed in pieces, as most processes have few slots. */
#define SLOT_LIST		128
#define SLOT_LISTS		(SSOL_AREA_SIZE / SSOL_SLOT_ALIGN / SLOT_LIST)

/**
 * struct slot_list - sites of the slots in one part of an area
 * @sites: the site whose slot begins there, or NULL
 */
struct slot_list {
	struct site __rcu *sites[SLOT_LIST];
};

/**
 * struct ssol_area - one area of one address space
 * @base: its address; constant
 * @used: bytes handed out, from the start of the area; under probed_mm::lock
 * @inherited: a fork has copied the area to this address space; constant
 * @has_kept: there may be slots behind @used, see area_skip_slots(); under probed_mm::lock
 * @lists: sites of its slots; a list is allocated under probed_mm::lock for its first entry, and
 *	read under RCU.  attach/reclaim.c removes those that have become empty
 *
 * An area belongs to one probed mm, and is freed with it.
 */
struct ssol_area {
	unsigned long base;
	unsigned long used;
	bool inherited;
	bool has_kept;
	struct slot_list __rcu *lists[SLOT_LISTS];
};

/**
 * enum site_kind - purpose of a site
 * @SITE_PROBE: a probed instruction
 * @SITE_TRAMPOLINE: the return trampoline
 * @SITE_PAD: the trap of a pad; only in the table, not in the tree
 */
enum site_kind {
	SITE_PROBE,
	SITE_TRAMPOLINE,
	SITE_PAD,
};

/**
 * enum site_state - whether the breakpoint is in the text
 * @SITE_IDLE: it is not; a trap that still arrives is late, or belongs to another owner
 * @SITE_LOST: it was in the text when the mapping went away
 * @SITE_ARMED: it is in the text, or is about to be inserted, or was removed a moment ago
 * @SITE_INHERITED: it may be in the text: a fork has copied the parent's, or mremap() has moved it
 * @SITE_REPLACED: it is in the text, and traps find another site, see site_replace()
 */
enum site_state {
	SITE_IDLE,
	SITE_LOST,
	SITE_ARMED,
	SITE_INHERITED,
	SITE_REPLACED,
};

/**
 * struct site_key - key by which a trap looks up a site
 * @mm: the address space
 * @addr: address of the breakpoint
 */
struct site_key {
	struct mm_struct *mm;
	unsigned long addr;
};

/* Slots of a probed mm are numbered from 1 on.  One number is special. */
#define SLOT_NR_BITS		21
#define SLOT_NR_NONE		((1U << SLOT_NR_BITS) - 1)

/**
 * struct site - one probed address of one probed mm
 * @next: links in the two tables of sites (site_table.h); read under RCU
 * @key: address space and address of the site
 * @set: its consumers, NULL if there are none; replaced under probed_mm::lock,
 *	read under RCU
 * @pmm: the probed mm; constant
 * @resume: address where the program continues if it does not step: the slot, or the address
 *	behind an instruction that does nothing; constant
 * @state: enum site_state; written under probed_mm::lock; under probed_mm::sites.lock when the
 *	mapping goes; by other_owner_gone() when the kernel's uprobes leave; read by the trap
 * @slow_path: a hit takes the slow path: the site is no probe, is in 32-bit code, is a call and
 *	this machine has user shadow stacks, or has @step set; constant
 * @step: the slot holds a plain copy that the task steps under TF; constant
 * @kind: enum site_kind; constant
 * @owner: enum breakpoint_owner: the other owner of the breakpoint, if any (foreign.c)
 * @fast_state: @state, the constants and @owner in one word; equal to %SITE_ARMED on the fast path
 * @moves: mremap() is moving the text with the breakpoint, and has not returned; set under
 *	probed_mm::sites.lock, cleared under probed_mm::lock
 * @heat: hits since the site was last considered for a jump, up to a limit; traps write it
 * @passes: how often it is to be hot before the next try to write a jump; traps write it, too
 * @barred: why the site must not have a jump (jump_make.h), or 0; never cleared
 * @plan: plan of the instruction, with its bytes, and a reference; &plan_none if the site is no
 *	probe; set before the site is added, then constant
 * @attached: its consumers, in the order of registration; under probed_mm::lock
 * @slot: address of the slot, less @key.addr: slots are within reach of a near jump; 0 if the site
 *	has none; set before the site is added, then constant
 * @index: where consumer::places.list has the site, if it names its only consumer; under
 *	consumer::places.lock
 * @jumps: its jumps, the newest first, linked by jump::older; at most one is in the text.  Added
 *	under probed_mm::lock, read without a lock, never removed
 * @idle_since: probed_mm::sites.removals when the state last became idle
 * @slot_nr: number of its slot in the probed mm, counted from 1; %SLOT_NR_NONE if the slot could
 *	not be written, so that the site is useless; under probed_mm::lock, as the next two
 * @failures: how often its jump could not be written, up to a limit
 * @ringless: why its pad cannot record (jump_make.h), or 0; never cleared
 * @addless: there was no room for a histogram; never cleared
 * @keyless: there was no room for histograms of keys; never cleared
 * @in_tree: node in probed_mm::sites.tree, by address; changed under probed_mm::sites.lock
 * @older: link in probed_mm::sites.replaced, if the site is not in the tree
 * @pad_of: the jump of a %SITE_PAD; constant
 *
 * The fields that a hit reads come first, in one cache line.  core/site_tree.c frees the jumps with
 * the site.  jump/jump_make.c writes @barred, @ringless, @addless, @keyless and @jumps;
 * jump/jump.c, jump/jump.h and jump/jump_text.c @heat, @passes and @failures.
 */
struct site {
	struct site __rcu *next[2];
	struct site_key key;
	struct consumer_set __rcu *set;
	struct probed_mm *pmm;
	unsigned long resume;
	union {
		struct {
			u8 state;
			u8 slow_path : 1;
			u8 step : 1;
			u8 kind : 2;
			u8 owner;
		};
		u32 fast_state;
	};
	bool moves;
	u8 heat;
	u8 passes;
	u8 barred;
	const struct ssol_plan *plan;
	struct attached attached;
	struct jump *jumps;
	s32 slot;
	u32 index;
	u32 idle_since;
	u32 slot_nr : SLOT_NR_BITS;
	u32 failures : 4;
	u32 ringless : 5;
	u32 addless : 1;
	u32 keyless : 1;
	union {
		struct rb_node in_tree;
		struct site *older;
		struct jump *pad_of;
	};
};

static_assert(offsetof(struct site, plan) == 64);
static_assert(sizeof(struct site) == 128);

#define SITE_STOCK		16

/**
 * struct site_stock - memory for sites that are about to be made
 * @wanted: number of sites that may still be made
 * @n: number of objects in stock
 * @sites: the objects
 */
struct site_stock {
	unsigned int wanted;
	unsigned int n;
	void *sites[SITE_STOCK];
};

#define PMM_MAX_AREAS		64
#define PMM_MAX_PAD_AREAS	32

static_assert(PMM_MAX_AREAS * (SSOL_AREA_SIZE / SSOL_SLOT_ALIGN) < SLOT_NR_NONE);

/**
 * enum watched - progress of probing the unwinders of an address space
 * @WATCH_NONE: unwinders are not probed
 * @WATCH_WANTED: there is a return probe, or will be; no call has been followed yet
 * @WATCH_SOUGHT: a task of the program looks for unwinders, and so does a task that maps code
 * @WATCH_DONE: all unwinders that were found are probed
 */
enum watched {
	WATCH_NONE,
	WATCH_WANTED,
	WATCH_SOUGHT,
	WATCH_DONE,
};

/**
 * struct pmm_uret - part of a probed mm: its return probes
 * @trampoline: address of the return trampoline, 0 if there is none yet
 * @calls: calls of return-probed functions
 * @words: words that are known to be return addresses
 *
 * attach/prepare.c sets the trampoline, uret/ the rest.
 */
struct pmm_uret {
	unsigned long trampoline;
	struct calls calls;
	struct return_words words;
};

/**
 * struct pmm_unwinders - part of a probed mm: the probes on the functions that walk its stacks
 * @watched: progress of inserting them (unwinder.h)
 * @lock: read-locked from unwinder_watch() until the return probes or calls exist
 *	(unwinder_watched()), and while unwinders are looked up; write-locked to remove the probes
 *	on them (unwinder.c).  Taken before probed_mm::lock
 *
 * attach/unwinder.c writes it.
 */
struct pmm_unwinders {
	enum watched watched;
	struct rw_semaphore lock;
};

/**
 * struct pmm_sites - part of a probed mm: its sites
 * @lock: protects the shape of @tree, and changes of reference counters
 * @tree: sites by address; read under probed_mm::lock or @lock
 * @replaced: sites whose text has changed, linked by site::older; under probed_mm::lock.  They
 *	have no attachments, but a registration in flight may use some of them.  In the end, all
 *	sites are here until they are freed with the probed mm
 * @removals: counts removals of breakpoints, starting at 1; under probed_mm::lock
 * @settled: @removals when the last pass of attach/reclaim.c came; under probed_mm::lock
 *
 * core/site_tree.c writes it; site_set_idle() counts the removals; attach/reclaim.c has @settled.
 */
struct pmm_sites {
	spinlock_t lock;
	struct rb_root tree;
	struct site *replaced;
	u32 removals;
	u32 settled;
};

/**
 * struct pmm_areas - part of a probed mm: its SSOL areas
 * @list: the areas; added under probed_mm::lock, read without a lock
 * @nr: number of areas
 * @slots_made: number of the last slot that was made; under probed_mm::lock
 * @slots_written: slots up to this number are written; changed under probed_mm::lock
 * @nothing_nearer: a slot in the nearest possible area could not reach the operand of an
 *	instruction, so further such instructions are stepped; under probed_mm::lock, never cleared
 *
 * core/slots.c writes the list, attach/slot_batch.c @nothing_nearer.  attach/prepare.c and
 * attach/fork.c number the slots; attach/slot_batch.c, attach/attach.c and attach/fork.c set
 * @slots_written.  attach/reclaim.c begins the numbers again.
 */
struct pmm_areas {
	struct ssol_area *list[PMM_MAX_AREAS];
	unsigned int nr;
	u32 slots_made;
	u32 slots_written;
	bool nothing_nearer;
};

/**
 * struct pmm_attached - part of a probed mm: the attachments; under probed_mm::lock
 * @bound: consumers registered for this process alone
 * @heirs: number of attachments that forked children get, too
 * @returns: number of attachments of return probes
 * @counters: number of attachments of probes on this process with a reference counter
 * @visit: used while visits are planned; under the lock of attach/visit.c
 *
 * attach/attach.c writes the list, attach/attachment.c the numbers, attach/visit.c @visit.
 */
struct pmm_attached {
	struct list_head bound;
	unsigned int heirs;
	unsigned int returns;
	unsigned int counters;
	struct visit *visit;
};

/**
 * struct pmm_counters - part of a probed mm: reference counters
 * @live: incremented counters; listed under probed_mm::lock and probed_mm::sites.lock
 * @gone: counters that are decremented or unmapped, but that forks in flight may have copied;
 *	under probed_mm::lock.  Freed when one more counter ends while no fork is in flight, or
 *	with the probed mm
 * @changes: counts changes and unmappings of counters, starting at 1; changes under
 *	probed_mm::sites.lock, with the mmap lock held, so that a fork copies all of a change or
 *	nothing
 *
 * attach/ref_ctr.c writes it; core/probed_mm.c initializes it.
 */
struct pmm_counters {
	struct list_head live;
	struct list_head gone;
	u64 changes;
};

/**
 * struct pmm_text - part of a probed mm: copies, moves and changes of its text
 * @moving: number of tasks in mremap() of text that had breakpoints, which may be at any address
 *	meanwhile
 * @copied_by: distance between probed text and the copy of it that was found last (copied.c); any
 *	thread writes it
 * @unsure: the instruction at a breakpoint, or the breakpoint, may have changed since that was
 *	inserted: the text is writable or was, its page was dropped, or a debugger has written.
 *	Set by any thread, never cleared
 * @editor: the task that is writing breakpoints, and drops pages that equal the file again; or
 *	NULL.  Written under probed_mm::lock, read by any thread to compare it with itself
 *
 * events/map_events.c writes @moving, trap/copied.c @copied_by, attach/sync.c @editor.
 * events/mmu.c, events/foreign.c and text/breakpoint.c set @unsure.
 */
struct pmm_text {
	atomic_t moving;
	unsigned long copied_by;
	bool unsure;
	const struct task_struct *editor;
};

/* Number of sites that are considered for a jump together, and of places that are tried for one. */
#define JUMPS_HOT		64
#define JUMPS_HOT_TRIES		4

/**
 * struct pmm_jumps - part of a probed mm: jumps in the text (jump_types.h)
 * @on: the jumps in the text; see jump::in_pmm
 * @nr: number of them, which any thread may read
 * @low: no text that a jump has replaced, or that its pad executes instead, is lower
 * @high: it all ends before or at this address
 * @off: no jump may be written any more, as its pad could not be mapped; never cleared
 * @hidden_text: a mapping may have code that the program has written; see jump_hidden_text().  Set
 *	with the mmap lock held for writing; cleared under probed_mm::lock, with the mmap lock held
 * @refused: why no jump could be written when that was last tried, or NULL; under probed_mm::lock
 * @removals: how often all jumps had to be removed, up to a limit
 * @not_before: the earliest time at which a jump may be written, in jiffies
 * @hot: sites that may get a jump, anywhere in the array; traps add them
 * @more_hot: there were more sites than @hot has room for
 * @work: writes and removes jumps; holds a reference while it is queued
 *
 * jump/jump_text.c writes the first four, jump/jump.c the rest.  Others set flags for it:
 * jump/pad_area.c and events/eviction.c @off, events/map_events.c @hidden_text,
 * events/text_access.c @not_before.
 */
struct pmm_jumps {
	struct list_head on;
	unsigned int nr;
	unsigned long low;
	unsigned long high;
	bool off;
	bool hidden_text;
	const char *refused;
	unsigned int removals;
	unsigned long not_before;
	struct site *hot[JUMPS_HOT];
	bool more_hot;
	struct work_struct work;
};

/**
 * struct pmm_pads - part of a probed mm: the areas of its pads
 * @areas: the areas; added under probed_mm::lock, read without a lock
 * @nr: number of them
 * @evicted: the program has mapped memory where pads were, which are gone; never cleared
 *
 * jump/pad_area.c writes it, and frees the areas with the probed mm.
 */
struct pmm_pads {
	struct pad_area *areas[PMM_MAX_PAD_AREAS];
	unsigned int nr;
	bool evicted;
};

/**
 * struct pmm_rings - part of a probed mm: its rings
 * @all: the rings, or NULL; set under probed_mm::lock
 * @retry: when to try again to have rings, in jiffies, or 0; under probed_mm::lock
 * @clockless: a thread must not read the clock; never cleared
 *
 * jump/ring.c writes it, and frees the rings with the probed mm.
 */
struct pmm_rings {
	struct ring *all;
	unsigned long retry;
	bool clockless;
};

/**
 * struct pmm_timing - part of a probed mm: the calls of timed functions
 * @table: the table of calls, or NULL; set under probed_mm::lock
 * @retry: when to try again to have one, in jiffies, or 0; under probed_mm::lock
 *
 * jump/timing.c writes it, and frees the table with the probed mm.
 */
struct pmm_timing {
	struct timing *table;
	unsigned long retry;
};

/**
 * struct pmm_apart - part of a probed mm: counters for each processor; under probed_mm::lock
 * @counters: the counters, or NULL
 * @values: histograms of some pads, one for each processor; anyone may read them
 * @nr_values: number of these pads
 * @found: a jump has got %APART_WANTED, and is to be replaced
 * @watched: its counters are looked at; anyone may read it
 * @idle: how many looks have found no hit since the last one, or since a jump was written
 * @looked_at: when they were looked at, in jiffies
 *
 * jump/cpu_counters.c writes the first three, and frees what they point to with the probed mm;
 * jump/contention.c has the rest.
 */
struct pmm_apart {
	struct cpu_counters *counters;
	struct cpu_counters *values;
	unsigned int nr_values;
	bool found;
	bool watched;
	u8 idle;
	unsigned long looked_at;
};

/**
 * struct pmm_life - part of a probed mm: its life cycle
 * @refs: one for the table, and one for each user that has looked it up
 * @forks: number of children whose fork is reported and not handled yet, and one more while the
 *	address space lives; see pmm_fork_put()
 * @dead: the address space is ending; set once
 * @notifier: reports unmapping, and the end of the address space
 * @rearm: inserts our breakpoints where another owner's was removed (foreign.c); holds a reference
 *	while it is queued
 * @reap: handles the end of the address space in a context that may sleep
 * @in_list: node in the list of all probed mms, under pmm_list_mutex
 * @free: frees it after look-ups in flight
 *
 * core/probed_mm.c writes it; events/foreign.c has the function of @rearm.
 */
struct pmm_life {
	refcount_t refs;
	atomic_t forks;
	bool dead;
	struct mmu_notifier notifier;
	struct work_struct rearm;
	struct work_struct reap;
	struct list_head in_list;
	struct rcu_work free;
};

/**
 * struct probed_mm - one probed address space
 * @node: node in the table, keyed by @mm
 * @mm: the address space; held by @life.notifier
 * @mode: mode of its code
 * @resumptions: signals or tracers have made tasks execute a breakpoint again; never cleared
 * @ringed: it has rings; never cleared
 * @asks: the kernel is to see the next hit, to find that its uprobes are gone (asking.c)
 * @unusual: @resumptions, @ringed and @asks in one word, which is 0 on the fast path
 * @unwinders: the probes on the functions that walk its stacks
 * @uret: its return probes
 * @passed_on: hits have been passed on to tracers; never cleared
 * @asked_in_vain: the kernel knew the breakpoint of a hit that @asks made it see; never cleared
 * @lock: protects sites, sets and areas, and serializes breakpoint writes
 * @sites: its sites
 * @areas: its SSOL areas
 * @attached: the attachments; under @lock
 * @counters: reference counters
 * @text: copies and moves of its text
 * @jumps: jumps in the text
 * @pads: the areas of its pads
 * @rings: its rings
 * @timing: the calls of timed functions
 * @apart: its counters for each processor
 * @life: its life cycle
 */
struct probed_mm {
	struct rhash_head node;
	struct mm_struct *mm;
	enum uinsn_mode mode;
	union {
		struct {
			bool resumptions;
			bool ringed;
			bool asks;
		};
		u32 unusual;
	};
	struct pmm_uret uret;
	bool passed_on;
	bool asked_in_vain;
	struct pmm_unwinders unwinders;
	struct mutex lock;
	struct pmm_sites sites;
	struct pmm_areas areas;
	struct pmm_attached attached;
	struct pmm_counters counters;
	struct pmm_text text;
	struct pmm_jumps jumps;
	struct pmm_pads pads;
	struct pmm_rings rings;
	struct pmm_timing timing;
	struct pmm_apart apart;
	struct pmm_life life;
};

/* All fields that a hit of an entry probe reads are in one cache line. */
static_assert(offsetofend(struct probed_mm, uret.calls.table) <= 64);

/**
 * struct probed_mm_ops - functions of higher layers that are called for a probed mm
 * @init: initializes the parts of a new probed mm that belong to higher layers
 * @invalidate: a range is about to be unmapped, or to change its protection; called with the
 *	mmap lock held, with or without probed_mm::lock, and possibly where nothing may sleep
 * @invalidated: the range has been unmapped, or has changed its protection
 * @release: the address space is about to end; may sleep
 * @reap: detaches all consumers, after the address space has ended; may sleep
 * @forget: the last reference was dropped, and the mm still exists; may sleep
 * @free: frees the parts of higher layers, when no thread can find the probed mm; may sleep
 */
struct probed_mm_ops {
	void (*init)(struct probed_mm *pmm);
	void (*invalidate)(struct probed_mm *pmm, const struct mmu_notifier_range *range);
	void (*invalidated)(struct probed_mm *pmm, const struct mmu_notifier_range *range);
	void (*release)(struct probed_mm *pmm);
	void (*reap)(struct probed_mm *pmm);
	void (*forget)(struct probed_mm *pmm);
	void (*free)(struct probed_mm *pmm);
};

#endif /* _UPROBES_PMM_TYPES_H */
