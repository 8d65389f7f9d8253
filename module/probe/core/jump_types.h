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

#include <linux/list.h>

#include "pad.h"

struct pad_count;
struct page;
struct site;

/*
 * A pad records only where so many consumers are attached at most.  Each of them gets all records
 * of a ring at once, and possibly under the lock of a run queue.
 */
#define RING_CONSUMERS	4U

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
 * @from_entry: consumer::from_entry of the consumer whose calls its pad times; constant
 * @below: likewise
 * @seen: a hash of the text that it was made for, which is more than it covers; constant
 * @traps: how often threads have executed a byte that the jump covers, up to a limit; any thread
 *	writes it, and the next one
 * @recorded: how many hits its pad has recorded; any CPU writes it
 * @hits: jump_hits() when @traps was 0
 * @word: the counter of the pad; the program may write to it, too; NULL if the pad does not count;
 *	constant
 * @values: the histogram of the pad; otherwise as @word
 * @counts: the hits that its pad has counted: one entry for each consumer; under probed_mm::lock
 * @trap: the site by which traps find the pad, if it does more than count; constant
 * @page: page of the text, with a reference, while @on is set: the process cannot lose it
 * @in_pmm: node in probed_mm::jumps.on.  Changed with the mmap lock held for writing, or for
 *	reading with probed_mm::lock held.  If the address space has ended, with the latter
 * @pad: what the pad does, with its steps; constant
 */
struct jump {
	struct site *site;
	struct jump *older;
	bool on;
	u16 len;
	struct pad_layout parts;
	u8 code[PUN_LEN];
	unsigned int traps;
	unsigned int recorded;
	u64 hits;
	u32 reads;
	s64 from_entry;
	u16 below;
	u64 seen;
	unsigned long at;
	const u64 *word;
	struct pad_values *values;
	struct pad_count *counts;
	struct site *trap;
	struct page *page;
	struct list_head in_pmm;
	/* Last: it has steps. */
	struct pad pad;
};

/*
 * Get the number of hits that the pad of a jump has counted, added or recorded; it may do neither.
 */
static inline u64 jump_hits(const struct jump *jump)
{
	unsigned int i;
	u64 n = 0;

	for (i = 0; jump->values && i < PAD_BUCKETS; i++)
		n += READ_ONCE(jump->values->buckets[i]);
	if (jump->values)
		return n;
	return jump->word ? READ_ONCE(*jump->word) : READ_ONCE(jump->recorded);
}

#endif /* _UPROBES_JUMP_H */
