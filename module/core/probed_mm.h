/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One probed address space: its sites, its SSOL areas, its life.
 *
 * An image comes into being with the first probe of an address space and goes
 * when the address space loses its last user (the mmu notifier's release), or
 * with the module.  It holds mm_count (through its mmu notifier), never
 * mm_users: it must not keep a process alive.
 *
 * Its sites are never freed before it is.  A site that nobody probes any more
 * stays as a record of where a breakpoint once was: a trap may be under way,
 * and a child may have been forked with the breakpoint in its text.  The slot
 * stays too and serves when the address is probed again.
 */
#ifndef _UPROBES_PROBED_MM_H
#define _UPROBES_PROBED_MM_H

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

struct site;

#define PMM_MAX_AREAS		64

/**
 * enum watched - how far probing the unwinders of an address space has come
 * @WATCH_NONE: they are left alone
 * @WATCH_WANTED: there is a return probe, or will be; no call has been followed yet
 * @WATCH_SOUGHT: a task of the program looks for them, and whoever maps code does, too
 * @WATCH_DONE: those that have been found are probed
 */
enum watched {
	WATCH_NONE,
	WATCH_WANTED,
	WATCH_SOUGHT,
	WATCH_DONE,
};

/**
 * struct probed_mm - one probed address space
 * @node: in the table, keyed by @mm
 * @mm: the address space; held by @life.notifier
 * @mode: what its code is
 * @resumptions: signals have put tasks back to a breakpoint; never cleared
 * @passed_on: hits have been passed on to tracers; never cleared
 * @unwinders: probing the functions that walk its stacks
 * @unwinders.watched: how far that has come (unwinder.h)
 * @unwinders.lock: read-held by who has them probed until his return probes, or calls, are
 *	there; who leaves them alone has it for writing (unwinder.c).  Taken before @lock
 * @uret: its return probes
 * @uret.trampoline: address of the return trampoline, 0 when it has none yet
 * @uret.calls: calls of return-probed functions that are under way
 * @uret.words: words that are known to be return addresses
 * @lock: protects sites, sets and areas, and keeps breakpoint writes apart
 * @sites: its sites
 * @sites.lock: protects the shape of @sites.tree, and what becomes of reference counters
 * @sites.tree: by address; read under @lock or @sites.lock
 * @sites.replaced: sites that the text has outlived, linked by site::older; under @lock.
 *	They have no attachments, but a registration under way may have some of them.
 *	In the end all sites, until they are freed with this
 * @sites.removals: how often breakpoints have gone, from 1 on; under @lock
 * @areas: its SSOL areas
 * @areas.list: these; added under @lock, read by anybody
 * @areas.nr: how many
 * @areas.slots_written: how many slots they have; written under @lock
 * @areas.nothing_nearer: an area was mapped for an instruction that refers to what it does not
 *	reach either: further such instructions are stepped; under @lock, never cleared
 * @attached: who is attached; under @lock
 * @attached.bound: consumers registered for this process alone
 * @attached.heirs: attachments that forked children get, too
 * @attached.returns: attachments of return probes
 * @attached.counters: attachments of probes on this process with a reference counter
 * @counters: reference counters
 * @counters.live: those that are incremented; listed under @lock and @sites.lock
 * @counters.gone: those that are not any more, but forks under way may have copied; under
 *	@lock.  Freed when one more ends while no fork is under way, or with this
 * @counters.changes: how often counters have changed, or been unmapped, from 1 on; changes
 *	under @sites.lock, with the mmap lock held, so that a fork copies all or nothing
 * @text: its text, elsewhere
 * @text.moving: tasks in mremap() of text that had breakpoints, which may be anywhere now
 * @text.copied_by: how far the last copy of probed text that was found is from that (copied.c);
 *	any thread writes it
 * @life: its life
 * @life.refs: the table, and who found it there
 * @life.forks: children whose fork has been reported and that have not looked after
 *	themselves yet, and one while the address space lives; see pmm_fork_put()
 * @life.dead: the address space is going; set once
 * @life.notifier: tells of unmapping and of the end
 * @life.rearm: puts in breakpoints where another's has gone (foreign.c); holds a
 *	reference while it is queued
 * @life.reap: does in task context what the end requires
 * @life.in_list: in the list of all, under pmm_list_mutex
 * @life.free: frees it, after look-ups
 */
struct probed_mm {
	struct rhash_head node;
	struct mm_struct *mm;
	enum uinsn_mode mode;
	bool resumptions;
	bool passed_on;
	struct {
		unsigned long trampoline;
		struct calls calls;
		struct return_words words;
	} uret;
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

/* What a hit reads. */
static_assert(offsetofend(struct probed_mm, uret.calls.table) <= 64);

/* Whether the unwinders of an address space have been looked for.  Context: any. */
static __always_inline bool unwinder_known(const struct probed_mm *pmm)
{
	/* Pairs with seek(). */
	return smp_load_acquire(&pmm->unwinders.watched) == WATCH_DONE;
}

/**
 * struct probed_mm_ops - what is done for an image further up
 * @init: the image is new: prepare what it has of theirs
 * @invalidate: a range is about to be unmapped, or to change its protection; called under
 *	the mmap lock, in any order with probed_mm::lock, and possibly where nothing may sleep
 * @invalidated: it has been
 * @reap: the address space has ended: its consumers go; may sleep
 * @forget: the last reference is dropped, with the mm still there; may sleep
 * @free: nobody looks at the image any more; may sleep
 */
struct probed_mm_ops {
	void (*init)(struct probed_mm *pmm);
	void (*invalidate)(struct probed_mm *pmm, const struct mmu_notifier_range *range);
	void (*invalidated)(struct probed_mm *pmm, const struct mmu_notifier_range *range);
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
