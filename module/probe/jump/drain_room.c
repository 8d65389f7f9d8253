// SPDX-License-Identifier: GPL-2.0
/*
 * The room of a processor that takes hits out of a ring.
 */
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/topology.h>

#include <uprobes/uprobes.h>

#include "drain_room.h"
#include "core/consumer.h"
#include "core/site.h"

DEFINE_PER_CPU(struct drain_room *, drain_room);

/* Rooms are made by one task at a time.  Taken with probed_mm::lock held. */
static DEFINE_MUTEX(rooms_mutex);

/* The bits of addresses in blocks. */
#define PLACE_ADDRESS	48

/**
 * drain_rooms_get() - give each processor a room
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int drain_rooms_get(void)
{
	struct drain_room *room;
	int cpu, ret = 0;

	mutex_lock(&rooms_mutex);
	for_each_possible_cpu(cpu) {
		if (per_cpu(drain_room, cpu))
			continue;
		room = kvzalloc_node(sizeof(*room), GFP_KERNEL, cpu_to_node(cpu));
		if (!room) {
			ret = -ENOMEM;
			break;
		}
		per_cpu(drain_room, cpu) = room;
	}
	mutex_unlock(&rooms_mutex);
	return ret;
}

/* Free the rooms.  Context: may sleep; no program has rings any more. */
void drain_rooms_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		kvfree(per_cpu(drain_room, cpu));
		per_cpu(drain_room, cpu) = NULL;
	}
}

/* After 2^32 times, old keys could be taken for new ones: forget them. */
void drain_room_restart(struct drain_room *room)
{
	memset(room->jumps, 0, sizeof(room->jumps));
	room->serial = 1;
}

/* Check whether the pad of a jump has done what a consumer wants. */
static __always_inline bool serves(const struct jump *jump, const struct consumer *c)
{
	const struct filter *filter = rcu_dereference(c->filter);

	if (!READ_ONCE(c->run.live) || !(c->counts || c->rings) || c->pads.reads & ~jump->reads)
		return false;
	if (unlikely(c->pads.nr_loads) && !jump_loads(jump, c->pads.loads, c->pads.nr_loads))
		return false;
	/* Most have none.  Then the pad has its action only. */
	return likely(!filter) ? jump->pad.nr == 1 : pad_has_filter(&jump->pad, &filter->pad);
}

/* Get the block of a sink, or NULL.  @left: bytes in the ring */
static __always_inline struct drain_block *
block_of(struct drain_room *room, struct uprobe_sink *sink, size_t left)
{
	unsigned int nr = room->nr_blocks, i;
	struct uprobe_block *block;
	struct drain_block *b;

	for (i = 0; i < nr; i++) {
		if (room->blocks[i].sink == sink)
			return room->blocks[i].block ? &room->blocks[i] : NULL;
	}
	if (nr == DRAIN_BLOCKS)
		return NULL;
	block = sink->begin(sink, left);
	b = &room->blocks[room->nr_blocks++];
	b->sink = sink;
	b->block = block;
	if (!block)
		return NULL;
	block->nr = 0;
	block->oldest = room->oldest;
	b->end = block->words;
	return b;
}

/* Get the sink of a consumer, or NULL. */
static struct uprobe_sink *sink_of(const struct drain_to *to)
{
	return to->c->rings ? to->c->u->sink : NULL;
}

/*
 * Choose between a block and the handler for a consumer, one of the @nr ones of @j.  A block has
 * room for each hit once.  So if a sink has several consumers at a place, they get hits by their
 * handlers.
 */
static __always_inline void to_set(struct drain_room *room, struct drain_jump *j,
				   const struct pad *pad, unsigned int nr, struct drain_to *to,
				   size_t left)
{
	struct uprobe_sink *sink = sink_of(to);
	unsigned int i;

	to->block = NULL;
	if (!sink || pad->addr >> PLACE_ADDRESS || !sink->takes(sink, to->c->u))
		return;
	for (i = 0; i < nr; i++) {
		if (&j->to[i] != to && sink_of(&j->to[i]) == sink)
			return;
	}
	to->block = block_of(room, sink, left);
	to->place = pad->addr | (u64)to->c->u->sink_id << PLACE_ADDRESS;
}

/* Find the consumers that get the hits of a jump, where there can be several. */
static noinline void serve_several(struct drain_room *room, struct drain_jump *j,
				   const struct consumer_set *set, size_t left)
{
	unsigned int i;

	for (i = 0; i < min(set->nr, RING_CONSUMERS); i++) {
		if (serves(j->jump, set->consumers[i]))
			j->to[j->nr++].c = set->consumers[i];
	}
	for (i = 0; i < j->nr; i++)
		to_set(room, j, &j->jump->pad, j->nr, &j->to[i], left);
}

/*
 * Find the consumers that get the hits of a jump.  When its pad could be entered, all consumers of
 * the site were live, and they were %RING_CONSUMERS at most.  Those that have come since are behind
 * them in the set, or want another pad.
 */
static void jump_serve(struct drain_room *room, struct drain_jump *j, const struct jump *jump,
		       size_t left)
{
	const struct consumer_set *set = rcu_dereference(jump->site->set);
	struct drain_to *to = &j->to[0];

	j->nr = 0;
	j->copied = false;
	if (unlikely(!set))
		return;
	if (unlikely(set->nr != 1)) {
		serve_several(room, j, set, left);
	} else if (serves(jump, set->consumers[0])) {
		to->c = set->consumers[0];
		to_set(room, j, &jump->pad, 1, to, left);
		j->nr = 1;
	}
	/* If the consumer has loads, they are those of the pad: serves(). */
	j->copied = j->nr == 1 && to->block && to->c->pads.reads == jump->reads &&
		    to->c->pads.nr_loads == pad_action(&jump->pad)->recording.nr_loads;
}

/**
 * drain_jump_find() - find what there is to do with the hits of a jump
 * @room: the room of this processor, after drain_room_begin()
 * @j: its entry, which has another jump
 * @jump: the jump
 * @id: its number in records
 * @left: bytes in the ring
 *
 * Context: interrupts off, RCU read side.
 * Return: @j; NULL if its record would be longer than @left.
 */
struct drain_jump *drain_jump_find(struct drain_room *room, struct drain_jump *j,
				   struct jump *jump, u32 id, size_t left)
{
	struct pad_record *record;
	size_t size;

	size = struct_size(record, values, pad_record_words(&pad_action(&jump->pad)->recording));
	if (size > left)
		return NULL;
	if (unlikely(j->key >> 32 == room->serial))
		drain_jump_account(j);
	else
		room->used[room->nr_used++] = j;
	j->key = (u64)room->serial << 32 | id;
	j->jump = jump;
	j->size = size;
	j->hits = 0;
	jump_serve(room, j, jump, left);
	return j;
}

/* Put no more hits into a block.  Context: interrupts off. */
void drain_block_close(struct drain_room *room, struct drain_block *b)
{
	struct drain_jump *j;
	unsigned int i, k;

	b->block = NULL;
	for (i = 0; i < room->nr_used; i++) {
		j = room->used[i];
		for (k = 0; k < j->nr; k++) {
			if (j->to[k].block == b)
				j->to[k].block = NULL;
		}
		j->copied = j->copied && j->to[0].block;
	}
}
