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

/* Forget the jumps of the last time.  Context: interrupts off. */
void drain_room_begin(struct drain_room *room, u64 oldest)
{
	room->oldest = oldest;
	room->nr_used = 0;
	memset(room->blocks, 0, sizeof(room->blocks));
	if (++room->serial)
		return;
	/* After 2^32 times, old keys could be taken for new ones. */
	memset(room->jumps, 0, sizeof(room->jumps));
	room->serial = 1;
}

/* Check whether the pad of a jump has done what a consumer wants. */
static bool serves(const struct jump *jump, const struct consumer *c)
{
	static const struct pad_filter none;
	const struct filter *filter = rcu_dereference(c->filter);

	return READ_ONCE(c->run.live) && (c->counts || c->rings) &&
	       !(c->pads.reads & ~jump->reads) &&
	       pad_has_filter(&jump->pad, filter ? &filter->pad : &none);
}

/* Get the block of a sink, or NULL.  @left: bytes in the ring */
static struct drain_block *block_of(struct drain_room *room, struct uprobe_sink *sink, size_t left)
{
	struct drain_block *b;

	for (b = room->blocks; b < room->blocks + DRAIN_BLOCKS; b++) {
		if (b->sink && b->sink != sink)
			continue;
		if (!b->sink) {
			b->sink = sink;
			b->block = sink->begin(sink, left);
			if (b->block) {
				b->block->nr = 0;
				b->block->oldest = room->oldest;
				b->end = b->block->words;
			}
		}
		return b->block ? b : NULL;
	}
	return NULL;
}

/* Get the sink of a consumer, or NULL. */
static struct uprobe_sink *sink_of(const struct drain_to *to)
{
	return to->c->rings ? to->c->u->sink : NULL;
}

/*
 * Choose between a block and the handler for a consumer.  A block has room for each hit once.  So
 * if a sink has several consumers at a place, they get hits by their handlers.
 */
static void to_set(struct drain_room *room, struct drain_jump *j, struct drain_to *to, size_t left)
{
	struct uprobe_sink *sink = sink_of(to);
	const struct pad *pad = &j->jump->pad;
	const struct drain_to *other;

	if (!sink || pad->addr >> PLACE_ADDRESS || !sink->takes(sink, to->c->u))
		return;
	for (other = j->to; other < j->to + j->nr; other++) {
		if (other != to && sink_of(other) == sink)
			return;
	}
	to->block = block_of(room, sink, left);
	to->place = pad->addr | (u64)to->c->u->sink_id << PLACE_ADDRESS;
}

/*
 * Find the consumers that get the hits of a jump.  When its pad could be entered, all consumers of
 * the site were live, and they were %RING_CONSUMERS at most.  Those that have come since are behind
 * them in the set, or want another pad.
 */
static void jump_serve(struct drain_room *room, struct drain_jump *j, size_t left)
{
	const struct consumer_set *set = rcu_dereference(j->jump->site->set);
	unsigned int i;

	for (i = 0; set && i < min(set->nr, RING_CONSUMERS); i++) {
		if (serves(j->jump, set->consumers[i]))
			j->to[j->nr++] = (struct drain_to) { .c = set->consumers[i] };
	}
	for (i = 0; i < j->nr; i++)
		to_set(room, j, &j->to[i], left);
	j->copied = j->nr == 1 && j->to[0].block && j->to[0].c->pads.reads == j->jump->reads;
}

/* Account for the hits of a jump. */
static void jump_account(struct drain_jump *j)
{
	unsigned int i;

	atomic_add(j->hits, &j->jump->recorded);
	for (i = 0; i < j->nr; i++)
		this_cpu_add(j->to[i].c->stats.counts->hits, j->hits);
	j->hits = 0;
}

/**
 * drain_jump_find() - find what there is to do with the hits of a jump
 * @room: the room of this processor, after drain_room_begin()
 * @jump: the jump
 * @id: its number in records
 * @left: bytes in the ring
 *
 * Context: interrupts off, RCU read side.
 * Return: its entry; NULL if its record would be longer than @left.
 */
struct drain_jump *drain_jump_find(struct drain_room *room, struct jump *jump, u32 id, size_t left)
{
	struct drain_jump *j = &room->jumps[id % DRAIN_JUMPS];
	struct pad_record *record;
	size_t size;

	size = struct_size(record, values, pad_action(&jump->pad)->recording.nr);
	if (size > left)
		return NULL;
	if (j->key >> 32 == room->serial)
		jump_account(j);
	else
		room->used[room->nr_used++] = id % DRAIN_JUMPS;
	*j = (struct drain_jump) {
		.key = (u64)room->serial << 32 | id,
		.jump = jump,
		.size = size,
	};
	jump_serve(room, j, left);
	return j;
}

/* Put no more hits into a block.  Context: interrupts off. */
void drain_block_close(struct drain_room *room, struct drain_block *b)
{
	struct drain_jump *j;
	unsigned int i, k;

	b->block = NULL;
	for (i = 0; i < room->nr_used; i++) {
		j = &room->jumps[room->used[i]];
		for (k = 0; k < j->nr; k++) {
			if (j->to[k].block == b)
				j->to[k].block = NULL;
		}
		j->copied = j->copied && j->to[0].block;
	}
}

/* Account for all hits.  Context: interrupts off, RCU read side since drain_room_begin(). */
void drain_room_end(struct drain_room *room)
{
	unsigned int i;

	for (i = 0; i < room->nr_used; i++)
		jump_account(&room->jumps[room->used[i]]);
}
