/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a processor needs while it takes hits out of a ring: the jumps whose hits these are, with
 * the consumers that get them, and the blocks that are being filled.
 */
#ifndef _UPROBES_DRAIN_ROOM_H
#define _UPROBES_DRAIN_ROOM_H

#include <linux/percpu-defs.h>
#include <linux/types.h>

#include <uprobes/blocks.h>

#include "core/consumer_types.h"
#include "core/jump_types.h"

/* How many sinks can get blocks from one ring at a time. */
#define DRAIN_BLOCKS	2U

/* How many jumps are remembered while a ring is emptied, a power of two. */
#define DRAIN_JUMPS	64U

/**
 * struct drain_block - a block that is being filled
 * @sink: what gets it; NULL if there is none yet
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
 * @oldest: no later hit is older, in nanoseconds
 * @nr_used: number of @used
 * @used: the entries of @jumps that are in use
 * @jumps: by the lowest bits of the number in records
 * @blocks: the blocks
 *
 * All processors get one before the first process gets rings, and keep it until the module is
 * unloaded.  Only the processor itself uses it, with interrupts off.
 */
struct drain_room {
	u32 serial;
	u32 nr_used;
	u64 oldest;
	u8 used[DRAIN_JUMPS];
	struct drain_jump jumps[DRAIN_JUMPS];
	struct drain_block blocks[DRAIN_BLOCKS];
};

DECLARE_PER_CPU(struct drain_room *, drain_room);

int drain_rooms_get(void);
void drain_rooms_free(void);
void drain_room_begin(struct drain_room *room, u64 oldest);
struct drain_jump *drain_jump_find(struct drain_room *room, struct jump *jump, u32 id, size_t left);
void drain_block_close(struct drain_room *room, struct drain_block *b);
void drain_room_end(struct drain_room *room);

#endif /* _UPROBES_DRAIN_ROOM_H */
