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
 * @node: in the table of images, keyed by @mm
 * @mm: the address space; held by @notifier
 * @refs: the table, and who found it there
 * @mode: what its code is
 * @lock: protects sites, sets and areas, and keeps breakpoint writes apart
 * @tree_lock: protects the shape of @sites, and what becomes of reference counters
 * @sites: by address; read under @lock or @tree_lock
 * @areas: its SSOL areas; added under @lock, read by anybody
 * @nr_areas: how many
 * @slots_written: how many slots it has; written under @lock
 * @nothing_nearer: an area was mapped for an instruction that refers to what it does not
 *	reach either: further such instructions are stepped; under @lock, never cleared
 * @removals: how often breakpoints have gone, from 1 on; under @lock
 * @bound: consumers registered for this process alone; under @lock
 * @ref_ctrs: incremented reference counters; listed under @lock and @tree_lock
 * @gone_ref_ctrs: those that are not any more, but forks under way may have copied; under
 *	@lock.  Freed when one more ends while no fork is under way, or with the image
 * @ref_changes: how often counters have changed, or been unmapped, from 1 on; changes
 *	under @tree_lock, with the mmap lock held, so that a fork copies all or nothing
 * @forks: children whose fork has been reported and that have not looked after
 *	themselves yet, and one while the address space lives; see pmm_fork_put()
 * @nr_heirs: attachments that forked children get, too; under @lock
 * @nr_returns: attachments of return probes; under @lock
 * @nr_counters: attachments of probes on this process with a reference counter; under @lock
 * @watch_lock: read-held by who has its unwinders probed until his return probes, or
 *	calls, are there; who leaves them alone has it for writing (unwinder.c).
 *	Taken before @lock
 * @watched: how far probing its unwinders has come (unwinder.h)
 * @replaced: sites that the text has outlived, linked by site::older; under @lock.
 *	They have no attachments, but a registration under way may have some of them.
 *	In the end all sites, until they are freed with the image
 * @moving: tasks in mremap() of text that had breakpoints, which may be anywhere now
 * @copied_by: how far the last copy of probed text that was found is from that (copied.c);
 *	any thread writes it
 * @resumptions: signals have put tasks back to a breakpoint; never cleared
 * @handed: hits have been handed on to tracers; never cleared
 * @calls: calls of return-probed functions that are under way
 * @returns: words that are known to be return addresses
 * @trampoline: address of the return trampoline, 0 when it has none yet
 * @dead: the address space is going; set once
 * @notifier: tells of unmapping and of the end
 * @rearm: puts in breakpoints where another's has gone (foreign.c); holds a
 *	reference while it is queued
 * @reap: does in task context what the end requires
 * @in_list: in the list of images, under pmm_list_mutex
 * @free: frees it, after look-ups
 */
struct probed_mm {
	struct rhash_head node;
	struct mm_struct *mm;
	refcount_t refs;
	enum uinsn_mode mode;
	struct mutex lock;
	spinlock_t tree_lock;
	struct rb_root sites;
	struct ssol_area *areas[PMM_MAX_AREAS];
	unsigned int nr_areas;
	u32 slots_written;
	bool nothing_nearer;
	u32 removals;
	struct list_head bound;
	struct list_head ref_ctrs;
	struct list_head gone_ref_ctrs;
	u64 ref_changes;
	atomic_t forks;
	struct site *replaced;
	unsigned int nr_heirs;
	unsigned int nr_returns;
	unsigned int nr_counters;
	struct rw_semaphore watch_lock;	/* see above */
	enum watched watched;
	struct calls calls;
	struct return_words returns;
	unsigned long trampoline;
	atomic_t moving;
	unsigned long copied_by;
	bool resumptions;
	bool handed;
	bool dead;
	struct mmu_notifier notifier;
	struct work_struct rearm;
	struct work_struct reap;
	struct list_head in_list;
	struct rcu_work free;
};

/* Whether the unwinders of an address space have been looked for.  Context: any. */
static __always_inline bool unwinder_known(const struct probed_mm *pmm)
{
	/* Pairs with seek(). */
	return smp_load_acquire(&pmm->watched) == WATCH_DONE;
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
