/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Taking hits out of a ring.
 */
#ifndef _UPROBES_RING_DRAIN_H
#define _UPROBES_RING_DRAIN_H

#include <linux/mm.h>
#include <linux/xarray.h>

#include "pad.h"

struct file;
struct probed_mm;

/* So many threads can give up reading the clock at the same time. */
#define RING_FORBIDDEN	8

/**
 * struct ring - the rings of one address space
 * @base: address of the heads; the rings are behind them; constant
 * @words: the file that both are in; constant
 * @jumps: the jumps whose pads record, by the numbers in their records; changed under
 *	probed_mm::lock
 * @nr_jumps: number of them; under probed_mm::lock
 * @forbidden: work of tasks that must not read the clock any more
 * @nr_forbidden: number of these that have been handed out
 * @wanted: processors whose ring gets a page
 * @retry: when to ask for a page again, in jiffies
 * @nr_heads: number of pages with heads; constant
 * @pages: these pages, then the page of each ring, or NULL; set under probed_mm::lock
 */
struct ring {
	unsigned long base;
	struct file *words;
	struct xarray jumps;
	unsigned int nr_jumps;
	struct callback_head forbidden[RING_FORBIDDEN];
	atomic_t nr_forbidden;
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

void ring_clock_init(void);
void ring_clock_mark(void);
void ring_drain(struct probed_mm *pmm, unsigned int cpu, bool open);

#endif /* _UPROBES_RING_DRAIN_H */
