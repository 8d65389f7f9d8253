/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a processor needs while it takes hits out of a ring: the jumps whose hits these are, with
 * the consumers that get them, and the blocks that are being filled.
 */
#ifndef _UPROBES_DRAIN_ROOM_H
#define _UPROBES_DRAIN_ROOM_H

#include <linux/percpu-defs.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include <uprobes/blocks.h>

#include "pad.h"
#include "core/consumer_types.h"
#include "core/jump_types.h"

/* How many sinks can get blocks from one ring at a time. */
#define DRAIN_BLOCKS	2U

/* How many jumps are remembered while a ring is emptied, a power of two. */
#define DRAIN_JUMPS	64U

/**
 * struct drain_block - a block that is being filled
 * @sink: what gets it
 * @block: the block; NULL if the sink gets no more hits in blocks
 * @end: where the next hit is put
 */
struct drain_block {
	struct uprobe_sink *sink;
	struct uprobe_block *block;
	u64 *end;
};

/**
 * struct drain_to - a consumer that gets the hits of a jump
 * @c: the consumer
 * @block: where the hits are put; NULL if a handler is called for each
 * @place: the second word of a hit in a block
 */
struct drain_to {
	struct consumer *c;
	struct drain_block *block;
	u64 place;
};

/**
 * struct drain_jump - a jump of which there are hits in the ring
 * @key: drain_room::serial << 32 | the number in its records; other entries are of earlier times
 * @jump: the jump
 * @size: size of its records, in bytes
 * @hits: number of its hits so far
 * @copied: there is one consumer, which gets all hits in a block, with all values
 * @nr: number of @to
 * @to: the consumers
 */
struct drain_jump {
	u64 key;
	struct jump *jump;
	u32 size;
	u32 hits;
	bool copied;
	u8 nr;
	struct drain_to to[RING_CONSUMERS];
};

/**
 * struct drain_room - memory of a processor for this
 * @serial: incremented each time a ring is emptied, never 0
 * @ticks: the time stamp counter now
 * @now: that time, in nanoseconds
 * @oldest: no later hit is older, in nanoseconds
 * @nr_used: number of @used
 * @nr_blocks: number of @blocks that have a sink
 * @used: the entries of @jumps that are in use
 * @jumps: by the lowest bits of the number in records
 * @blocks: the blocks
 * @filled: the jump whose hit is in @regs, @words and @loads, or NULL
 * @regs: registers for handlers
 * @words: words of the stack for them
 * @loads: bytes in memory for them
 *
 * All processors get one before the first process gets rings, and keep it until the module is
 * unloaded.  Only the processor itself uses it, with interrupts off.
 */
struct drain_room {
	u32 serial;
	u32 nr_used;
	u32 nr_blocks;
	u64 ticks;
	u64 now;
	u64 oldest;
	struct drain_jump *used[DRAIN_JUMPS];
	struct drain_jump jumps[DRAIN_JUMPS];
	struct drain_block blocks[DRAIN_BLOCKS];
	const struct jump *filled;
	struct pt_regs regs;
	u64 words[PAD_WORDS];
	struct ring_loads loads;
};

DECLARE_PER_CPU(struct drain_room *, drain_room);

int drain_rooms_get(void);
void drain_rooms_free(void);
void drain_room_restart(struct drain_room *room);
struct drain_jump *drain_jump_find(struct drain_room *room, struct drain_jump *j,
				   struct jump *jump, u32 id, size_t left);
void drain_block_close(struct drain_room *room, struct drain_block *b);

/*
 * Begin to empty a ring: forget the jumps of the last time.  A ring often has few hits, so this is
 * inline, as is the end.  Context: interrupts off.
 */
static __always_inline void drain_room_begin(struct drain_room *room, u64 oldest)
{
	room->oldest = oldest;
	room->nr_used = 0;
	room->nr_blocks = 0;
	room->filled = NULL;
	if (unlikely(!++room->serial))
		drain_room_restart(room);
}

/* Account for the hits of a jump.  Context: as for drain_room_end(). */
static __always_inline void drain_jump_account(const struct drain_jump *j)
{
	unsigned int nr = j->nr, hits = j->hits, i;

	atomic_add(hits, &j->jump->recorded);
	for (i = 0; i < nr; i++)
		this_cpu_add(j->to[i].c->stats.counts->hits, hits);
}

/* Account for all hits.  Context: interrupts off, RCU read side since drain_room_begin(). */
static __always_inline void drain_room_end(const struct drain_room *room)
{
	unsigned int nr = room->nr_used, i;

	for (i = 0; i < nr; i++)
		drain_jump_account(room->used[i]);
}

#endif /* _UPROBES_DRAIN_ROOM_H */
