/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Taking hits out of a ring.
 */
#ifndef _UPROBES_RING_DRAIN_H
#define _UPROBES_RING_DRAIN_H

#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/percpu-defs.h>

#include <uprobes/blocks.h>

#include "pad.h"
#include "core/jump_types.h"
#include "core/probed_mm.h"

struct file;

/* How many jumps can record in a process, and how many of them are in a piece of their list. */
#define RING_JUMPS		65536U
#define RING_JUMPS_PIECE	512U

/**
 * struct ring - the rings of one address space
 * @base: address of the heads; the rings are behind them, and more room, which pads can only
 *	write to if the program has changed the heads; constant
 * @words: the file that both are in; constant
 * @jumps: the jumps whose pads record, by the numbers in their records, in pieces; added under
 *	probed_mm::lock, read without a lock
 * @nr_jumps: number of them; under probed_mm::lock
 * @closed: for each processor, whether its ring must be empty: it was closed when it was emptied
 *	last, or is new
 * @wanted: processors whose ring gets a page
 * @retry: when to ask for a page again, in jiffies
 * @nr_heads: number of pages with heads; constant
 * @pages: these pages, then the page of each ring, or NULL; set under probed_mm::lock
 */
struct ring {
	unsigned long base;
	struct file *words;
	struct jump **jumps[RING_JUMPS / RING_JUMPS_PIECE];
	unsigned int nr_jumps;
	unsigned long *closed;
	unsigned long *wanted;
	unsigned long retry;
	unsigned int nr_heads;
	struct page *pages[];
};

/* Get the head of a ring. */
static inline struct pad_head *ring_head(const struct ring *ring, unsigned int cpu)
{
	unsigned long at = cpu * PAD_HEAD_STRIDE;

	return page_address(ring->pages[at / PAGE_SIZE]) + offset_in_page(at);
}

/* Get the distance from the head of a ring to the ring. */
static inline unsigned long ring_start(const struct ring *ring, unsigned int cpu)
{
	return (ring->nr_heads + cpu) * PAGE_SIZE - cpu * PAD_HEAD_STRIDE;
}

/* Get the mask for the distance from a head to a record, see struct pad_recording. */
static inline unsigned long ring_mask(const struct ring *ring)
{
	return roundup_pow_of_two((ring->nr_heads + nr_cpu_ids) * PAGE_SIZE) - 1;
}

/*
 * Get the limit of the ring that begins at @start: a usual record that begins below it fits, also
 * into a block of them all.
 */
static inline unsigned long ring_limit(unsigned long start, bool open)
{
	return open ? start + UPROBE_BLOCK_SIZE - PAD_RECORD_USUAL + 1 : 0;
}

/* While a ring handler is running, the time of its hit; otherwise 0. */
DECLARE_PER_CPU(u64, ring_time);

/* Likewise, PAD_WORDS words of its stack, of which the pad has recorded some; otherwise NULL. */
DECLARE_PER_CPU(const u64 *, ring_words);

/* Likewise, what the pad has loaded from memory. */
DECLARE_PER_CPU(const struct ring_loads *, ring_loads);

void ring_clock_init(void);
void ring_clock_mark(void);
void ring_restart(const struct probed_mm *pmm);
bool ring_drain(struct probed_mm *pmm, bool open);

#endif /* _UPROBES_RING_DRAIN_H */
