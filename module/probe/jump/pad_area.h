/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pad areas: mappings with the pads of jumps, and with their counters.
 *
 * An area has two mappings, next to each other.  The first one maps the same file as SSOL areas do,
 * and has the pads.  The second one is memory that the module and the program share, and has the
 * counters and the histograms.  Both stay when the module is unloaded, as threads may be in pads.
 * A forked child has neither: jumps are erased before a fork, and no thread forks while it is in a
 * pad.
 *
 * The displacement of a jump has bytes that must trap (pun.h).  So the address of a pad is not
 * free: an area is mapped where the first pad of it can be.
 */
#ifndef _UPROBES_PAD_AREA_H
#define _UPROBES_PAD_AREA_H

#include <linux/bitmap.h>
#include <linux/mm_types.h>
#include <linux/xarray.h>

#include "core/jump_types.h"
#include "core/ssol_area.h"

struct probed_mm;

#define PAD_AREA_SIZE	SSOL_AREA_SIZE
#define PAD_WORDS_SIZE	(2UL << 20)
#define PAD_WORDS_PAGES	(PAD_WORDS_SIZE / PAGE_SIZE)

/* Room in an area is handed out in units. */
#define PAD_UNIT	16UL
#define PAD_UNITS	(PAD_AREA_SIZE / PAD_UNIT)
#define PAD_PAGES	(PAD_AREA_SIZE / PAGE_SIZE)
#define PAD_PAGE_UNITS	(PAGE_SIZE / PAD_UNIT)

/* Each counter has a cache line, as the threads that count in different pads do. */
#define PAD_WORD_STRIDE	64UL

/**
 * struct pad_area - one area of one address space
 * @base: address of the pads; constant
 * @words: the file with the counters; constant
 * @nr_words: number of counters handed out; under probed_mm::lock
 * @nr_values: number of pages handed out for histograms, from the last one on; likewise
 * @pages: pages of @words; set under probed_mm::lock
 * @taken: units that are handed out; under probed_mm::lock
 * @units: number of these in each page; under probed_mm::lock
 * @jumps: jumps whose pads begin in a unit, by its number; changed under probed_mm::lock
 */
struct pad_area {
	unsigned long base;
	struct file *words;
	unsigned int nr_words;
	unsigned int nr_values;
	struct page *pages[PAD_WORDS_PAGES];
	DECLARE_BITMAP(taken, PAD_UNITS);
	u16 units[PAD_PAGES];
	struct xarray jumps;
};

struct pad_area *pad_area_at(const struct probed_mm *pmm, unsigned long addr);
int pad_place(struct probed_mm *pmm, struct jump *jump);
struct jump *jump_of_pad(const struct probed_mm *pmm, unsigned long addr);
struct jump *jump_of_evicted_pad(const struct probed_mm *pmm, unsigned long addr);
bool pad_areas_in(const struct probed_mm *pmm, unsigned long addr, unsigned long len);
void pads_evict(struct probed_mm *pmm);
void pads_disarm(struct probed_mm *pmm);
void pads_free(struct probed_mm *pmm);

#endif /* _UPROBES_PAD_AREA_H */
