/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probed mm: one probed address space, with its sites and its SSOL areas.
 *
 * A probed mm is created with the first probe of an address space.  It ends when the address space
 * loses its last user (the mmu notifier's release), or when the module is unloaded.  It holds
 * mm_count (through its mmu notifier), never mm_users: it must not keep a process alive.
 *
 * Its sites are never freed before the probed mm.  A site that is not probed any more stays as a
 * record of a former breakpoint: a trap may be in flight, and a forked child may have the
 * breakpoint in its text.  The slot of the site stays, too.  It is used if the address is probed
 * again.
 */
#ifndef _UPROBES_PROBED_MM_H
#define _UPROBES_PROBED_MM_H

#include <linux/llist.h>
#include <linux/mmu_notifier.h>
#include <linux/mutex.h>
#include <linux/rbtree.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>

#include "arch.h"
#include "calls_types.h"
#include "ssol_area.h"

struct pad_area;
struct ring;
struct site;

#define PMM_MAX_AREAS		64
#define PMM_MAX_PAD_AREAS	32

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
 * struct probed_mm - one probed address space
 * @node: node in the table, keyed by @mm
 * @mm: the address space; held by @life.notifier
 * @mode: mode of its code
 * @resumptions: signals or tracers have made tasks execute a breakpoint again; never cleared
 * @ringed: it has rings; never cleared
 * @asks: the kernel is to see the next hit, to find that its uprobes are gone (foreign.c)
 * @unusual: @resumptions, @ringed and @asks in one word, which is 0 in the usual case
 * @unwinders: the probes on the functions that walk its stacks
 * @unwinders.watched: progress of inserting them (unwinder.h)
 * @unwinders.lock: read-locked from unwinder_watch() until the return probes or calls exist
 *	(unwinder_watched()), and while unwinders are looked up; write-locked to remove the probes
 *	on them (unwinder.c).  Taken before @lock
 * @uret: its return probes
 * @uret.trampoline: address of the return trampoline, 0 if there is none yet
 * @uret.calls: calls of return-probed functions
 * @uret.words: words that are known to be return addresses
 * @clockless: a thread must not read the clock; never cleared
 * @passed_on: hits have been passed on to tracers; never cleared
 * @lock: protects sites, sets and areas, and serializes breakpoint writes
 * @sites: its sites
 * @sites.lock: protects the shape of @sites.tree, and changes of reference counters
 * @sites.tree: sites by address; read under @lock or @sites.lock
 * @sites.replaced: sites whose text has changed, linked by site::older; under @lock.
 *	They have no attachments, but a registration in flight may use some of them.
 *	In the end, all sites are here until they are freed with the probed mm
 * @sites.removals: counts removals of breakpoints, starting at 1; under @lock
 * @areas: its SSOL areas
 * @areas.list: the areas; added under @lock, read without a lock
 * @areas.nr: number of areas
 * @areas.slots_written: number of slots in all areas; written under @lock
 * @areas.nothing_nearer: a slot in the nearest possible area could not reach the operand of an
 *	instruction, so further such instructions are stepped; under @lock, never cleared
 * @attached: the attachments; under @lock
 * @attached.bound: consumers registered for this process alone
 * @attached.heirs: number of attachments that forked children get, too
 * @attached.returns: number of attachments of return probes
 * @attached.counters: number of attachments of probes on this process with a reference counter
 * @counters: reference counters
 * @counters.live: incremented counters; listed under @lock and @sites.lock
 * @counters.gone: counters that are decremented or unmapped, but that forks in flight may have
 *	copied; under @lock.  Freed when one more counter ends while no fork is in flight, or with
 *	the probed mm
 * @counters.changes: counts changes and unmappings of counters, starting at 1; changes under
 *	@sites.lock, with the mmap lock held, so that a fork copies all of a change or nothing
 * @text: copies and moves of its text
 * @text.moving: number of tasks in mremap() of text that had breakpoints, which may be at any
 *	address meanwhile
 * @text.copied_by: distance between probed text and the copy of it that was found last
 *	(copied.c); any thread writes it
 * @jumps: jumps in the text, and their pads (core/jump_types.h)
 * @jumps.on: the jumps in the text; see jump::in_pmm
 * @jumps.nr: number of them, which any thread may read
 * @jumps.low: no text that a jump has replaced, or that its pad executes instead, is lower
 * @jumps.high: it all ends before or at this address
 * @jumps.off: no jump may be written any more, as its pad could not be mapped; never cleared
 * @jumps.evicted: the program has mapped memory where pads were, which are gone; never cleared
 * @jumps.hidden_text: a mapping may have code that the program has written; see jump_hidden_text().
 *	Set with the mmap lock held for writing; cleared under @lock, with the mmap lock held
 * @jumps.refused: why no jump could be written when that was last tried, or NULL; under @lock
 * @jumps.removals: how often all jumps had to be removed, up to a limit
 * @jumps.not_before: the earliest time at which a jump may be written, in jiffies
 * @jumps.asker: the task whose hit the kernel sees because of @asks, only to be compared; or NULL
 * @jumps.asked: the site of that hit; set before @jumps.asker
 * @jumps.asked_at: jiffies of that hit; set before @jumps.asker
 * @jumps.asked_in_vain: the kernel knew its breakpoint; under @lock, never cleared
 * @jumps.hot: sites that may get a jump
 * @jumps.work: writes and removes jumps; holds a reference while it is queued
 * @jumps.areas: pad areas; added under @lock, read without a lock
 * @jumps.nr_areas: number of them
 * @ring: its rings, or NULL; set under @lock, and freed with the probed mm
 * @ring_retry: when to try again to have rings, in jiffies, or 0; under @lock
 * @life: its life cycle
 * @life.refs: one for the table, and one for each user that has looked it up
 * @life.forks: number of children whose fork is reported and not handled yet, and one more while
 *	the address space lives; see pmm_fork_put()
 * @life.dead: the address space is ending; set once
 * @life.notifier: reports unmapping, and the end of the address space
 * @life.rearm: inserts our breakpoints where another owner's was removed (foreign.c); holds a
 *	reference while it is queued
 * @life.reap: handles the end of the address space in a context that may sleep
 * @life.in_list: node in the list of all probed mms, under pmm_list_mutex
 * @life.free: frees it after look-ups in flight
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
	struct {
		unsigned long trampoline;
		struct calls calls;
		struct return_words words;
	} uret;
	bool clockless;
	bool passed_on;
	struct {
		enum watched watched;
		struct rw_semaphore lock;	/* see above */
	} unwinders;
	struct mutex lock;
	struct {
		spinlock_t lock;
		struct rb_root tree;
		struct site *replaced;
		u32 removals;
	} sites;
	struct {
		struct ssol_area *list[PMM_MAX_AREAS];
		unsigned int nr;
		u32 slots_written;
		bool nothing_nearer;
	} areas;
	struct {
		struct list_head bound;
		unsigned int heirs;
		unsigned int returns;
		unsigned int counters;
	} attached;
	struct {
		struct list_head live;
		struct list_head gone;
		u64 changes;
	} counters;
	struct {
		atomic_t moving;
		unsigned long copied_by;
	} text;
	struct {
		struct list_head on;
		unsigned int nr;
		unsigned long low;
		unsigned long high;
		bool off;
		bool evicted;
		bool hidden_text;
		const char *refused;
		unsigned int removals;
		unsigned long not_before;
		struct task_struct *asker;
		struct site *asked;
		unsigned long asked_at;
		bool asked_in_vain;
		struct llist_head hot;
		struct work_struct work;
		struct pad_area *areas[PMM_MAX_PAD_AREAS];
		unsigned int nr_areas;
	} jumps;
	struct ring *ring;
	unsigned long ring_retry;
	struct {
		refcount_t refs;
		atomic_t forks;
		bool dead;
		struct mmu_notifier notifier;
		struct work_struct rearm;
		struct work_struct reap;
		struct list_head in_list;
		struct rcu_work free;
	} life;
};

/* All fields that a hit of an entry probe reads are in one cache line. */
static_assert(offsetofend(struct probed_mm, uret.calls.table) <= 64);

/* Check whether all unwinders of an address space have been looked for.  Context: any. */
static __always_inline bool unwinder_known(const struct probed_mm *pmm)
{
	/* Pairs with seek(). */
	return smp_load_acquire(&pmm->unwinders.watched) == WATCH_DONE;
}

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

int pmm_init(const struct probed_mm_ops *ops);
void pmm_exit(void);

bool pmm_for_each(bool (*fn)(struct probed_mm *pmm, void *data), void *data);
struct probed_mm *pmm_get(struct mm_struct *mm);
struct probed_mm *pmm_find(struct mm_struct *mm);
struct probed_mm *pmm_lookup(struct mm_struct *mm);
void pmm_put(struct probed_mm *pmm);
void pmm_queue(struct probed_mm *pmm, struct work_struct *work);
void pmm_put_not_last(struct probed_mm *pmm);
void pmm_fork_put(struct probed_mm *pmm);

#endif /* _UPROBES_PROBED_MM_H */
