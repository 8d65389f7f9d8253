/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One instrumented address of one address space.
 */
#ifndef _UPROBES_SITE_H
#define _UPROBES_SITE_H

#include <linux/rbtree.h>

#include "arch.h"
#include "consumer.h"
#include "probed_mm.h"

/**
 * enum site_kind - what a breakpoint stands for
 * @SITE_PROBE: a probed instruction
 * @SITE_TRAMPOLINE: where return-probed functions return to
 */
enum site_kind {
	SITE_PROBE,
	SITE_TRAMPOLINE,
};

/**
 * enum site_state - whether the breakpoint is in the text
 * @SITE_IDLE: it is not; a trap that still arrives is late, or not ours
 * @SITE_LOST: it was when the mapping went away
 * @SITE_ARMED: it is, or is about to be, or was a moment ago
 * @SITE_INHERITED: (during fork) it may be, by way of the parent
 */
enum site_state {
	SITE_IDLE,
	SITE_LOST,
	SITE_ARMED,
	SITE_INHERITED,
};

/**
 * struct site_key - what a trap knows
 * @mm: the address space
 * @addr: address of the breakpoint
 */
struct site_key {
	struct mm_struct *mm;
	unsigned long addr;
};

/**
 * struct site - one instrumented address of one address space
 * @next: in the table of sites (site_table.h); looked up under RCU
 * @key: where it is
 * @set: its consumers, NULL when there are none; replaced under probed_mm::lock,
 *	read under RCU
 * @resume: where the program goes on when it is not being stepped: the slot, or
 *	behind an instruction that does nothing; constant
 * @pmm: the address space; constant
 * @state: enum site_state; written under probed_mm::lock, or under probed_mm::sites.lock when the
 *	mapping goes, or as the kernel's uprobes leave (foreign.c); read by the trap
 * @slow_path: a hit needs a closer look: this is no probe, or 32-bit code, or a call
 *	that a shadow stack could mind, or @step; constant
 * @owner: enum breakpoint_owner: whose else the breakpoint is (foreign.c)
 * @fast_state: @state, @slow_path and @owner; %SITE_ARMED when this is the usual case
 * @step: the slot holds a plain copy that is executed under TF; constant
 * @kind: enum site_kind; constant
 * @moves: the breakpoint was there when mremap() took the text away, which has not
 *	returned; set under probed_mm::sites.lock, cleared under probed_mm::lock
 * @idle_since: probed_mm::sites.removals when the state last became idle
 * @slot_nr: which one of the image's slots it has, from 1 on; constant
 * @slot: address of the slot; 0 when it has none
 * @plan: the analysed instruction, with its bytes; constant
 * @in_tree: in probed_mm::sites.tree by address, changed under probed_mm::sites.lock
 * @attachments: the consumers again; under probed_mm::lock
 * @first: one of them, for which no memory is to be found; most sites have no other
 * @older: in probed_mm::sites.replaced, when the site is not in the tree
 *
 * What a hit reads comes first, in one cache line.
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
	union {
		struct rb_node in_tree;
		struct site *older;
	};
};

static_assert(offsetofend(struct site, step) <= 64);

/* The last number of a removal; from then on they are no longer told apart. */
#define REMOVALS_MAX		U32_MAX

/* The breakpoint of a site is in the text no more.  Context: probed_mm::lock held. */
static inline void site_set_idle(struct site *site)
{
	struct probed_mm *pmm = site->pmm;

	if (pmm->sites.removals != REMOVALS_MAX)
		WRITE_ONCE(pmm->sites.removals, pmm->sites.removals + 1);
	site->idle_since = pmm->sites.removals;
	WRITE_ONCE(site->state, SITE_IDLE);
}

#endif /* _UPROBES_SITE_H */
