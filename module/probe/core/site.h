/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The site: one probed address of one probed mm.  The return trampoline is a site, too.
 */
#ifndef _UPROBES_SITE_H
#define _UPROBES_SITE_H

#include <linux/llist.h>
#include <linux/rbtree.h>

#include "arch.h"
#include "consumer.h"
#include "jump_types.h"
#include "probed_mm.h"

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

/**
 * struct site - one probed address of one probed mm
 * @next: links in the two tables of sites (site_table.h); read under RCU
 * @key: address space and address of the site
 * @set: its consumers, NULL if there are none; replaced under probed_mm::lock,
 *	read under RCU
 * @resume: address where the program continues if it does not step: the slot, or the address
 *	behind an instruction that does nothing; constant
 * @pmm: the probed mm; constant
 * @state: enum site_state; written under probed_mm::lock; under probed_mm::sites.lock when the
 *	mapping goes; by other_owner_gone() when the kernel's uprobes leave; read by the trap
 * @slow_path: a hit takes the slow path: the site is no probe, is in 32-bit code, is a call and
 *	this machine has user shadow stacks, or has @step set; constant
 * @owner: enum breakpoint_owner: the other owner of the breakpoint, if any (foreign.c)
 * @fast_state: @state, @slow_path and @owner in one word; equal to %SITE_ARMED in the usual case
 * @step: the slot holds a plain copy that the task steps under TF; constant
 * @kind: enum site_kind; constant
 * @moves: mremap() is moving the text with the breakpoint, and has not returned; set under
 *	probed_mm::sites.lock, cleared under probed_mm::lock
 * @idle_since: probed_mm::sites.removals when the state last became idle
 * @slot_nr: number of its slot in the probed mm, counted from 1; constant
 * @slot: address of the slot; 0 if the site has none
 * @plan: plan of the instruction, with its bytes; constant
 * @heat: hits since the site was last considered for a jump, up to a limit; traps write it
 * @failures: how often its jump could not be written, up to a limit; under probed_mm::lock
 * @passes: how often it is to be hot before the next try; traps write it, too
 * @heated: node in probed_mm::jumps.hot
 * @listed: the site is there
 * @barred: why the site must not have a jump (jump_make.h), or 0; never cleared
 * @ringless: why its pad cannot record (jump_make.h), or 0; never cleared
 * @jumps: its jumps, the newest first, linked by jump::older; at most one is in the text.  Added
 *	under probed_mm::lock, read without a lock, never removed
 * @in_tree: node in probed_mm::sites.tree, by address; changed under probed_mm::sites.lock
 * @attachments: attachments of its consumers; under probed_mm::lock
 * @first: one attachment that needs no allocation; most sites have no other
 * @older: link in probed_mm::sites.replaced, if the site is not in the tree
 * @pad_of: the jump of a %SITE_PAD; constant
 *
 * The fields that a hit reads come first, in one cache line.
 */
struct site {
	struct site __rcu *next[2];
	struct site_key key;
	struct consumer_set __rcu *set;
	unsigned long resume;
	struct probed_mm *pmm;
	union {
		struct {
			u8 state;
			bool slow_path;
			u8 owner;
		};
		u32 fast_state;
	};
	bool step;
	u8 kind;
	bool moves;
	u32 idle_since;
	u32 slot_nr;
	unsigned long slot;
	struct ssol_plan plan;
	struct list_head attachments;
	struct attachment first;
	u8 heat;
	bool listed;
	u8 barred;
	u8 ringless;
	u8 failures;
	u16 passes;
	struct llist_node heated;
	struct jump *jumps;
	union {
		struct rb_node in_tree;
		struct site *older;
		struct jump *pad_of;
	};
};

static_assert(offsetofend(struct site, step) <= 64);

/* Get the jump of a site that is in the text, or NULL.  Context: any. */
static inline struct jump *site_jump(const struct site *site)
{
	/* Pairs with jump_make(). */
	struct jump *jump = smp_load_acquire(&site->jumps);

	while (jump && !READ_ONCE(jump->on))
		jump = jump->older;
	return jump;
}

/* Get the jump of a site whose pad contains an address, or NULL.  Context: any. */
static inline struct jump *site_pad_at(const struct site *site, unsigned long addr)
{
	/* Pairs with jump_make(). */
	struct jump *jump = smp_load_acquire(&site->jumps);

	while (jump && addr - jump->at >= jump->len)
		jump = jump->older;
	return jump;
}

/* The last number of a removal.  Later removals get the same number. */
#define REMOVALS_MAX		U32_MAX

/* Mark a site idle, after its breakpoint was removed.  Context: probed_mm::lock held. */
static inline void site_set_idle(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	if (pmm->sites.removals != REMOVALS_MAX)
		WRITE_ONCE(pmm->sites.removals, pmm->sites.removals + 1);
	site->idle_since = pmm->sites.removals;
	WRITE_ONCE(site->state, SITE_IDLE);
}

#endif /* _UPROBES_SITE_H */
