/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The jump of a site: it stands in the text instead of the breakpoint, and leads to a pad, which
 * counts the hit without a trap (pun.h, pad.h).
 *
 * A site gets another jump if its consumers have other conditions.  A jump stays until the site is
 * freed.  Its pad is never reused: a thread may sleep in it for any length of time.
 */
#ifndef _UPROBES_JUMP_H
#define _UPROBES_JUMP_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "pad.h"

struct file;
struct pad_count;
struct pad_keys;
struct page;
struct site;

/*
 * A pad records only for this number of consumers, or less.  Each of them gets all records
 * of a ring at once, and possibly under the lock of a run queue.
 */
#define RING_CONSUMERS	4U

/* The table of keys of a pad takes so many pages. */
#define PAD_KEY_PAGES	(PAD_KEY_SETS * sizeof(struct pad_key_set) / PAGE_SIZE)

/**
 * struct cpu_counters - counters, or a histogram, for each processor; or a histogram for each key
 *	(jump/cpu_counters.h)
 * @next: those of another pad of the process, if these are histograms; constant
 * @keys: with histograms for keys, their table, in the first PAD_KEY_PAGES pages; or NULL; constant
 * @base: their address in the program; constant
 * @file: the file with them; constant
 * @nr: number of pages; for processors, a power of two; constant
 * @used: number of counters that are handed out in each page; of histograms, whether a pad has
 *	them; under probed_mm::lock
 * @pages: the pages, each with a reference; constant
 */
struct cpu_counters {
	struct cpu_counters *next;
	struct pad_keys *keys;
	unsigned long base;
	struct file *file;
	unsigned int nr;
	unsigned int used;
	struct page *pages[];
};

/**
 * enum jump_apart - whether processors are to have their own counters instead of the one of a jump
 * @APART_NOT: no
 * @APART_WANTED: they are to: they increment it often, and at the same time
 * @APART_REFUSED: that was not possible, and is not tried again
 */
enum jump_apart {
	APART_NOT,
	APART_WANTED,
	APART_REFUSED,
};

/**
 * struct jump - a jump to a pad
 * @site: its site; constant
 * @older: the jump that the site had before, or NULL; constant
 * @on: the jump is in the text, or is being written or removed; changed as @in_pmm is, read by
 *	traps
 * @at: address of the pad; constant
 * @len: size of the pad, in bytes; constant
 * @parts: offsets in the pad; constant
 * @code: the jump; constant
 * @reads: what its pad records, a bit for each number of pad_recording::regs; constant
 * @from_entry: consumer_pads::from_entry of the consumer whose calls its pad times; constant
 * @below: likewise
 * @seen: a hash of the text that it was made for, which is more than it covers; constant
 * @traps: how often threads have executed a byte that the jump covers, up to a limit; any thread
 *	writes it, and the next one
 * @recorded: how many hits its pad has recorded
 * @hits: jump_hits() when @traps was 0
 * @word: the counter of the pad; the program may write to it, too; NULL if the pad does not count;
 *	constant
 * @cpus: if it is not NULL, each processor or key has a counter or a histogram; @word or @values is
 *	that of the first one; constant
 * @apart: enum jump_apart, of a jump without @cpus; under probed_mm::lock
 * @looked: jump_hits() when jump/contention.c last looked at it; under probed_mm::lock
 * @looked_sum: likewise, the sum of its histograms
 * @values: the histogram of the pad; otherwise as @word
 * @counts: the hits that its pad has counted: one entry for each consumer; under probed_mm::lock
 * @trap: the site by which traps find the pad, if it does more than count; constant
 * @page: page of the text, with a reference, while @on is set: the process cannot lose it
 * @in_pmm: node in probed_mm::jumps.on.  Changed with the mmap lock held for writing, or for
 *	reading with probed_mm::lock held.  If the address space has ended, with the latter
 * @pad: what the pad does, with its steps; constant.  What it loads from memory is behind them.
 */
struct jump {
	struct site *site;
	struct jump *older;
	bool on;
	u8 apart;
	u16 len;
	struct pad_layout parts;
	u8 code[PUN_LEN];
	unsigned int traps;
	atomic_t recorded;
	u64 hits;
	u32 reads;
	s64 from_entry;
	u16 below;
	u64 seen;
	unsigned long at;
	const u64 *word;
	const struct cpu_counters *cpus;
	u64 looked;
	u64 looked_sum;
	struct pad_values *values;
	struct pad_count *counts;
	struct site *trap;
	struct page *page;
	struct list_head in_pmm;
	/* Last: it has steps. */
	struct pad pad;
};

/**
 * struct ring_loads - what a pad has loaded from memory for a hit
 * @at: where the bytes of each load begin in @words
 * @words: the bytes; more than a pad has loaded are zero
 */
struct ring_loads {
	u8 at[PAD_LOADS];
	u64 words[PAD_LOAD_WORDS];
};

/* Check whether a pad loads exactly these bytes in memory.  Context: any. */
static inline bool jump_loads(const struct jump *jump, const struct pad_load *loads,
			      unsigned int nr)
{
	const struct pad_load *has;
	unsigned int n;

	has = pad_loads(&jump->pad, &n);
	return n == nr && (!nr || !memcmp(has, loads, nr * sizeof(*loads)));
}

/* Read the counter of a pad, jump::word and jump::cpus.  Context: any. */
static inline u64 pad_counter_read(const u64 *word, const struct cpu_counters *cpus)
{
	unsigned int i;
	u64 n = 0;

	if (!cpus)
		return READ_ONCE(*word);
	for (i = 0; i < cpus->nr; i++)
		n += READ_ONCE(*(u64 *)(page_address(cpus->pages[i]) + offset_in_page(word)));
	return n;
}

/* Get the number of pages in front of the first histogram of a pad.  Context: any. */
static inline unsigned int pad_values_first(const struct cpu_counters *cpus)
{
	return cpus->keys ? PAD_KEY_PAGES : 0;
}

/* Get the number of histograms of a pad: one, or one for each processor or key.  Context: any. */
static inline unsigned int pad_values_nr(const struct cpu_counters *cpus)
{
	return cpus ? cpus->nr - pad_values_first(cpus) : 1;
}

/* Get a histogram of a pad, jump::values and jump::cpus.  Context: any. */
static inline struct pad_values *pad_values_of(struct pad_values *values,
					       const struct cpu_counters *cpus, unsigned int i)
{
	return cpus ? page_address(cpus->pages[pad_values_first(cpus) + i]) : values;
}

/* Read a bucket of all histograms of a pad.  Context: any. */
static inline u64 pad_bucket_read(struct pad_values *values, const struct cpu_counters *cpus,
				  unsigned int bucket)
{
	unsigned int i;
	u64 n = 0;

	for (i = 0; i < pad_values_nr(cpus); i++)
		n += READ_ONCE(pad_values_of(values, cpus, i)->buckets[bucket]);
	return n;
}

/*
 * Get the number of hits that the pad of a jump has counted, added or recorded; it may do neither.
 */
static inline u64 jump_hits(const struct jump *jump)
{
	unsigned int i;
	u64 n = 0;

	for (i = 0; jump->values && i < PAD_BUCKETS; i++)
		n += pad_bucket_read(jump->values, jump->cpus, i);
	if (jump->values)
		return n;
	return jump->word ? pad_counter_read(jump->word, jump->cpus) :
			    (unsigned int)atomic_read(&jump->recorded);
}

#endif /* _UPROBES_JUMP_H */
