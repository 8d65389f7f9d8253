// SPDX-License-Identifier: GPL-2.0
/*
 * Taking hits out of a ring, and calling the ring handlers.
 */
#include <linux/clocksource.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/trace_clock.h>

#include "ring_drain.h"
#include "arch.h"
#include "drain_room.h"
#include "pad_area.h"
#include "core/consumer.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/task_handler.h"

DEFINE_PER_CPU(u64, ring_time);
DEFINE_PER_CPU(const u64 *, ring_words);
DEFINE_PER_CPU(const struct ring_loads *, ring_loads);

/*
 * No hit that is taken out of a ring on this processor can be older: the time of the last one, or
 * when the current task got the processor.
 */
static DEFINE_PER_CPU(u64, oldest_time);

/* A hit is never older, in seconds: that keeps numbers small. */
#define OLDEST	10U

/* Converts ticks of the time stamp counter to nanoseconds. */
static u32 clock_mult, clock_shift;

/* Prepare to convert times.  Context: probed_mm::lock held; the result is always the same. */
void ring_clock_init(void)
{
	u32 mult, shift;

	clocks_calc_mult_shift(&mult, &shift, arch_ticks_khz(), NSEC_PER_MSEC, OLDEST * 1000);
	WRITE_ONCE(clock_mult, mult);
	WRITE_ONCE(clock_shift, shift);
}

/* Note that no later hit on this processor is older than now.  Context: interrupts off. */
void ring_clock_mark(void)
{
	this_cpu_write(oldest_time, trace_clock_local());
}

/* Convert the time of a hit, which the program may have forged. */
static u64 hit_time(const struct drain_room *room, u64 ticks)
{
	u64 ago = room->ticks - ticks, oldest = room->oldest, at;

	if ((s64)ago < 0)
		ago = 0;
	ago = min(ago, (u64)OLDEST * 1000 * arch_ticks_khz());
	at = room->now - mul_u64_u32_shr(ago, READ_ONCE(clock_mult), READ_ONCE(clock_shift));
	return (s64)(at - oldest) < 0 ? oldest : at;
}

/* Find a jump by the number in a record, which the program may have forged. */
static struct jump *jump_of_id(const struct ring *ring, u32 id)
{
	struct jump **piece;

	if (id >= RING_JUMPS)
		return NULL;
	piece = READ_ONCE(ring->jumps[id / RING_JUMPS_PIECE]);
	/* Pairs with ring_add_jump(). */
	return piece ? smp_load_acquire(&piece[id % RING_JUMPS_PIECE]) : NULL;
}

/* Complete a block. */
static void block_end(const struct drain_room *room, const struct drain_block *b)
{
	struct uprobe_block *block = b->block;

	block->size = (u8 *)b->end - (u8 *)block->words;
	block->ticks = room->ticks;
	block->now = room->now;
	block->mult = READ_ONCE(clock_mult);
	block->shift = READ_ONCE(clock_shift);
	b->sink->end(b->sink, block);
}

/* Complete the block of a sink, before one of its handlers is called. */
static void sink_end(struct drain_room *room, const struct uprobe_sink *sink)
{
	struct drain_block *b;
	unsigned int i;

	for (i = 0; i < room->nr_blocks; i++) {
		b = &room->blocks[i];
		if (b->sink == sink && b->block) {
			block_end(room, b);
			drain_block_close(room, b);
		}
	}
}

/* A hit has the same size in a ring and in a block. */
static_assert(sizeof(struct pad_record) == 2 * sizeof(u64));

/*
 * Put hits with all their values into a block, as long as they are those of one jump.  Return the
 * number of bytes of their records, at most @len.
 *
 * One pointer is enough for both, as they have the same size there.  If that is a constant, the
 * hits need not be counted.
 */
static __always_inline unsigned long hits_copy(struct drain_jump *j, const void *records,
					       unsigned long len, unsigned int nr)
{
	const struct pad_record *record = records;
	const unsigned long size = struct_size(record, values, nr);
	const void *last = records + len - size;
	struct drain_block *b = j->to[0].block;
	long distance = (void *)b->end - records;
	u64 place = j->to[0].place;
	u32 id = j->key, hits = 0;
	unsigned int i;
	u64 *word;

	do {
		word = (void *)record + distance;
		word[0] = READ_ONCE(record->time) << 8 | nr;
		word[1] = place;
		for (i = 0; i < nr; i++)
			word[2 + i] = READ_ONCE(record->values[i]);
		record = (const void *)record + size;
		hits++;
	} while ((const void *)record <= last && (u32)READ_ONCE(record->id) == id);
	len = (const void *)record - records;
	if (__builtin_constant_p(nr))
		hits = len / size;
	b->end = (void *)b->end + len;
	b->block->nr += hits;
	j->hits += hits;
	return len;
}

/* The same, in code of its own for the usual numbers of values. */
static unsigned long hits_copy_any(struct drain_jump *j, const void *records, unsigned long len)
{
	unsigned int nr = (j->size - sizeof(struct pad_record)) / sizeof(u64);

	switch (nr) {
	case 0:
		return hits_copy(j, records, len, 0);
	case 1:
		return hits_copy(j, records, len, 1);
	case 2:
		return hits_copy(j, records, len, 2);
	case PAD_STRING_WORDS:
		return hits_copy(j, records, len, PAD_STRING_WORDS);
	case PAD_STRING_WORDS + 1:
		return hits_copy(j, records, len, PAD_STRING_WORDS + 1);
	default:
		return hits_copy(j, records, len, nr);
	}
}

/* Put a hit into a block, with those of its values that the consumer reads. */
static void hit_pick(const struct drain_to *to, const struct pad_record *record,
		     const struct pad_recording *recording)
{
	struct drain_block *b = to->block;
	unsigned int all = pad_record_words(recording), nr = 0, i;
	u64 *word = b->end;

	for (i = 0; i < all; i++) {
		if (i < recording->nr ? to->c->pads.reads & BIT(recording->regs[i]) :
					to->c->pads.nr_loads)
			word[2 + nr++] = READ_ONCE(record->values[i]);
	}
	word[0] = READ_ONCE(record->time) << 8 | nr;
	word[1] = to->place;
	b->end = word + 2 + nr;
	b->block->nr++;
}

/* Get the bytes in memory ready.  The program may change the record meanwhile: read it once. */
static void loads_take(struct ring_loads *loads, const struct pad_recording *recording,
		       const u64 *words)
{
	unsigned int n = 0, i, k;

	for (i = 0; i < recording->nr_loads; i++) {
		loads->at[i] = n;
		for (k = 0; k < pad_load_words(&recording->loads[i]); k++, n++)
			loads->words[n] = READ_ONCE(words[n]);
	}
}

/* Get the registers, words and bytes of a hit ready for handlers. */
static void values_take(struct drain_room *room, const struct jump *jump,
			const struct pad_record *record)
{
	const struct pad_recording *recording = &pad_action(&jump->pad)->recording;
	unsigned int i, reg;

	if (jump != room->filled) {
		memset(&room->regs, 0, sizeof(room->regs));
		memset(room->words, 0, sizeof(room->words));
		arch_regs_user(&room->regs, jump->pad.addr);
		memset(&room->loads, 0, sizeof(room->loads));
		this_cpu_write(ring_words, room->words);
		this_cpu_write(ring_loads, &room->loads);
		room->filled = jump;
	}
	for (i = 0; i < recording->nr; i++) {
		reg = recording->regs[i];
		if (reg < PAD_WORD)
			arch_reg_set(&room->regs, reg, READ_ONCE(record->values[i]));
		else
			room->words[reg - PAD_WORD] = READ_ONCE(record->values[i]);
	}
	loads_take(&room->loads, recording, record->values + recording->nr);
}

/* Report a hit to each consumer, in a block or by its handler. */
static noinline void hit_report(struct drain_room *room, struct drain_jump *j,
				const struct pad_record *record)
{
	u64 time = hit_time(room, READ_ONCE(record->time));
	const struct drain_to *to;

	j->hits++;
	values_take(room, j->jump, record);
	room->oldest = time;
	this_cpu_write(ring_time, time);
	for (to = j->to; to < j->to + j->nr; to++) {
		struct uprobe *u = to->c->u;

		if (to->block) {
			hit_pick(to, record, &pad_action(&j->jump->pad)->recording);
		} else if (to->c->rings) {
			sink_end(room, u->sink);
			u->ring_handler(u, &room->regs);
		}
	}
}

/* Note that no handler is running any more, if one was. */
static void handlers_end(const struct drain_room *room)
{
	if (likely(!room->filled))
		return;
	this_cpu_write(ring_time, 0);
	this_cpu_write(ring_words, NULL);
	this_cpu_write(ring_loads, NULL);
	/* uprobe_again() is for other handlers. */
	this_cpu_write(task_handler_wanted, false);
}

/*
 * Take the hits out of the @len bytes at @records, up to the first record that no pad can have
 * written.
 */
static void hits_take(struct drain_room *room, const struct ring *ring, const void *records,
		      unsigned long len)
{
	u64 serial = (u64)room->serial << 32;
	const struct pad_record *record;
	struct drain_jump *j;
	struct jump *jump;
	unsigned long n;
	u32 id;

	for (; len >= sizeof(*record); records += n, len -= n) {
		record = records;
		/* The upper half is 0, or the program's. */
		id = READ_ONCE(record->id);
		j = &room->jumps[id % DRAIN_JUMPS];
		if (unlikely(j->key != (serial | id))) {
			jump = jump_of_id(ring, id);
			j = jump ? drain_jump_find(room, j, jump, id, len) : NULL;
		}
		if (unlikely(!j || j->size > len))
			return;
		if (likely(j->copied)) {
			n = hits_copy_any(j, records, len);
		} else {
			n = j->size;
			hit_report(room, j, record);
		}
	}
}

/**
 * ring_restart() - have the current task begin its hit again, if it is just writing one
 * @pmm: the probed mm
 *
 * A task that has trapped is not writing one.
 *
 * Context: as for ring_drain(), which comes next.
 */
void ring_restart(const struct probed_mm *pmm)
{
	struct pt_regs *regs = task_pt_regs(current);
	const struct jump *jump;

	/* Tasks that have no address space of their own any more execute no pad. */
	if (current->mm != pmm->mm || current->flags & PF_KTHREAD)
		return;
	jump = jump_of_pad(pmm, regs->ip);
	if (jump && pad_restarts(&jump->parts, regs->ip - jump->at) &&
	    arch_code_mode(regs) == UINSN_MODE_64)
		regs->ip = jump->at + jump->parts.record;
}

/*
 * Take all hits out of a ring, of which @len bytes are used.  It is not inline, as most often,
 * there is none.
 */
static noinline void ring_take(const struct ring *ring, const void *records, unsigned long len)
{
	struct drain_room *room = this_cpu_read(drain_room);
	unsigned int i;

	drain_room_begin(room, this_cpu_read(oldest_time));
	room->ticks = arch_ticks();
	room->now = trace_clock_local();
	hits_take(room, ring, records, len);
	for (i = 0; i < room->nr_blocks; i++) {
		if (room->blocks[i].block)
			block_end(room, &room->blocks[i]);
	}
	drain_room_end(room);
	handlers_end(room);
	this_cpu_write(oldest_time, room->now);
}

/**
 * ring_drain() - take all hits out of the ring of this processor, and call the ring handlers
 * @pmm: the probed mm of the current task, whose hits these are
 * @open: pads may go on to write to the ring
 *
 * Context: interrupts off, RCU read side; possibly the scheduler with a run queue locked.
 * Return: whether a pad that has found the ring full for a usual record finds room now.
 */
bool ring_drain(struct probed_mm *pmm, bool open)
{
	/* Pairs with ring_get(). */
	struct ring *ring = smp_load_acquire(&pmm->rings.all);
	unsigned int cpu = smp_processor_id();
	unsigned long start, next, limit, used;
	struct pad_head *head;
	struct page *page;
	bool closed;

	if (!ring)
		return false;
	/* Pairs with page_get(). */
	page = smp_load_acquire(&ring->pages[ring->nr_heads + cpu]);
	if (!page)
		return false;
	head = ring_head(ring, cpu);
	start = ring_start(ring, cpu);
	next = READ_ONCE(head->next);
	limit = READ_ONCE(head->limit);
	if (next == start && limit == ring_limit(start, open))
		return false;
	WRITE_ONCE(head->next, start);
	WRITE_ONCE(head->limit, ring_limit(start, open));
	closed = test_bit(cpu, ring->closed);
	if (unlikely(!open))
		set_bit(cpu, ring->closed);
	else if (unlikely(closed))
		clear_bit(cpu, ring->closed);
	/*
	 * A new ring has no hit, and neither has one that the program has spoilt.  If a closed ring
	 * has hits, the program has opened it: they must not come now.
	 */
	used = next - start;
	if (used && used <= UPROBE_BLOCK_SIZE && !closed)
		ring_take(ring, page_address(page), used);
	return open && next >= limit;
}
