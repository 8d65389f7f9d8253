/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hits in blocks: a client that only stores the hits of its ring handlers can get many with one
 * call, at a tenth of the cost.
 */
#ifndef _UPROBES_BLOCKS_H
#define _UPROBES_BLOCKS_H

#include <linux/ptrace.h>
#include <linux/types.h>

struct uprobe;

/**
 * define UPROBE_BLOCK_SIZE - the largest size of the words of a block, in bytes
 */
#define UPROBE_BLOCK_SIZE	3840

/**
 * struct uprobe_block - hits of the current task that come from a ring, in their order
 * @nr: number of hits
 * @size: number of bytes in @words
 * @ticks: the time stamp counter after the last hit
 * @now: the same moment, in nanoseconds, on the clock of uprobe_ring_time()
 * @oldest: no hit is older, in nanoseconds
 * @mult: n ticks are n * @mult >> @shift nanoseconds
 * @shift: see @mult
 * @words: for each hit, the time stamp counter << 8 | number of values; uprobe::sink_id << 48 |
 *	address of the instruction; the values.  They are those of uprobe::ring_reads and
 *	ring_words, see uprobe_block_regs(); and the bytes of each of its ring_loads, in whole
 *	words.  Behind the end of a string, and behind other bytes, words have any bits
 *
 * The program can have forged times and values.
 */
struct uprobe_block {
	u32 nr;
	u32 size;
	u64 ticks;
	u64 now;
	u64 oldest;
	u32 mult;
	u32 shift;
	u64 words[];
};

/**
 * struct uprobe_sink - what takes the hits of several probes of a client in blocks
 * @takes: returns whether hits of a probe can be in blocks now.  If not, its ring handler is called
 *	for each
 * @begin: returns memory for a block, with room for so many bytes of words; the module fills it in.
 *	NULL: the ring handlers are called instead
 * @end: called when the block is complete, before other hits of the probes that name the sink.  It
 *	can be shorter than its memory, and even have no hit
 *
 * Between @begin and @end, @takes and handlers of other clients may be called, but no handler of a
 * probe that names the sink.  A client may have many sinks, but only two get blocks each time that
 * a ring is emptied, and each gets one block.  If a sink has several probes at a place, their ring
 * handlers are called.
 *
 * Context: as for uprobe::ring_handler.  A sink may be freed when none of its probes is registered.
 */
struct uprobe_sink {
	bool (*takes)(struct uprobe_sink *sink, struct uprobe *u);
	struct uprobe_block *(*begin)(struct uprobe_sink *sink, size_t size);
	void (*end)(struct uprobe_sink *sink, struct uprobe_block *block);
};

/**
 * uprobe_block_regs() - set the registers that a hit of a block has
 * @regs: where to set them
 * @reads: uprobe::ring_reads of its probe
 * @values: the values of the hit: first the registers in the order in which the processor numbers
 *	them (Intel SDM volume 2, 2.1: ax, cx, dx, bx, sp, bp, si, di, r8 and so on)
 * @nr: number of @values
 *
 * Context: any.
 */
void uprobe_block_regs(struct pt_regs *regs, u32 reads, const u64 *values, unsigned int nr);

#endif /* _UPROBES_BLOCKS_H */
