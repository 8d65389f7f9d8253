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

/**
 * struct drain - hits that are being taken out of a ring
 * @room: the room of this processor
 * @jump: the jump whose hit is in @regs and @words, or NULL
 * @regs: registers for the handlers
 * @words: words of the stack for them
 * @ticks: the time stamp counter now
 * @now: that time, in nanoseconds
 */
struct drain {
	struct drain_room *room;
	struct jump *jump;
	struct pt_regs regs;
	u64 words[PAD_WORDS];
	u64 ticks;
	u64 now;
};

/* Convert the time of a hit, which the program may have forged. */
static u64 hit_time(const struct drain *drain, u64 ticks)
{
	u64 ago = drain->ticks - ticks, oldest = drain->room->oldest, at;

	if ((s64)ago < 0)
		ago = 0;
	ago = min(ago, (u64)OLDEST * 1000 * arch_ticks_khz());
	at = drain->now - mul_u64_u32_shr(ago, READ_ONCE(clock_mult), READ_ONCE(clock_shift));
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

/* Complete a block, if there is one. */
static void block_end(const struct drain *drain, struct drain_block *b)
{
	struct uprobe_block *block = b->block;

	if (!block)
		return;
	block->size = (u8 *)b->end - (u8 *)block->words;
	block->ticks = drain->ticks;
	block->now = drain->now;
	block->mult = READ_ONCE(clock_mult);
	block->shift = READ_ONCE(clock_shift);
	b->sink->end(b->sink, block);
	drain_block_close(drain->room, b);
}

/* Complete the block of a sink, before one of its handlers is called. */
static void sink_end(const struct drain *drain, const struct uprobe_sink *sink)
{
	unsigned int i;

	for (i = 0; sink && i < DRAIN_BLOCKS; i++) {
		if (drain->room->blocks[i].sink == sink)
			block_end(drain, &drain->room->blocks[i]);
	}
}

/*
 * Put hits with all their values into a block, as long as they are those of one jump.  Return the
 * number of bytes of their records, at most @len.
 */
static __always_inline unsigned long hits_copy(struct drain_jump *j, const void *records,
					       unsigned long len, unsigned int nr)
{
	const struct pad_record *record = records;
	unsigned long left = len, size = struct_size(record, values, nr);
	struct drain_block *b = j->to[0].block;
	u64 place = j->to[0].place;
	u32 id = j->key, hits = 0;
	u64 *word = b->end;
	unsigned int i;

	do {
		*word++ = READ_ONCE(record->time) << 8 | nr;
		*word++ = place;
		for (i = 0; i < nr; i++)
			*word++ = READ_ONCE(record->values[i]);
		record = (const void *)record + size;
		left -= size;
		hits++;
	} while (left >= size && (u32)READ_ONCE(record->id) == id);
	b->end = word;
	b->block->nr += hits;
	j->hits += hits;
	return len - left;
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
	default:
		return hits_copy(j, records, len, nr);
	}
}

/* Put a hit into a block, with those of its values that the consumer reads. */
static void hit_pick(const struct drain_to *to, const struct pad_record *record,
		     const struct pad_recording *recording)
{
	struct drain_block *b = to->block;
	u64 *word = b->end;
	unsigned int nr = 0, i;

	for (i = 0; i < recording->nr; i++) {
		if (to->c->pads.reads & BIT(recording->regs[i]))
			word[2 + nr++] = READ_ONCE(record->values[i]);
	}
	word[0] = READ_ONCE(record->time) << 8 | nr;
	word[1] = to->place;
	b->end = word + 2 + nr;
	b->block->nr++;
}

/* Get the registers and words of a hit ready for handlers. */
static void values_take(struct drain *drain, struct jump *jump, const struct pad_record *record)
{
	const struct pad_recording *recording = &pad_action(&jump->pad)->recording;
	unsigned int i, reg;

	if (jump != drain->jump) {
		memset(&drain->regs, 0, sizeof(drain->regs));
		memset(drain->words, 0, sizeof(drain->words));
		arch_regs_user(&drain->regs, jump->pad.addr);
		drain->jump = jump;
	}
	for (i = 0; i < recording->nr; i++) {
		reg = recording->regs[i];
		if (reg < PAD_WORD)
			arch_reg_set(&drain->regs, reg, READ_ONCE(record->values[i]));
		else
			drain->words[reg - PAD_WORD] = READ_ONCE(record->values[i]);
	}
}

/* Report a hit to each consumer, in a block or by its handler. */
static void hit_report(struct drain *drain, struct drain_jump *j,
		       const struct pad_record *record)
{
	u64 time = hit_time(drain, READ_ONCE(record->time));
	const struct drain_to *to;

	j->hits++;
	values_take(drain, j->jump, record);
	drain->room->oldest = time;
	this_cpu_write(ring_time, time);
	for (to = j->to; to < j->to + j->nr; to++) {
		struct uprobe *u = to->c->u;

		if (to->block) {
			hit_pick(to, record, &pad_action(&j->jump->pad)->recording);
		} else if (to->c->rings) {
			sink_end(drain, u->sink);
			u->ring_handler(u, &drain->regs);
		}
	}
}

/* Find what there is to do with the hits of a jump.  Return NULL if no pad has such a record. */
static struct drain_jump *other_jump(struct drain_room *room, const struct ring *ring, u32 id,
				     size_t left)
{
	struct jump *jump = jump_of_id(ring, id);

	return jump ? drain_jump_find(room, jump, id, left) : NULL;
}

/*
 * Take the hits out of the @len bytes at @records, up to the first record that no pad can have
 * written.
 */
static void hits_take(struct drain *drain, const struct ring *ring, const void *records,
		      unsigned long len)
{
	struct drain_room *room = drain->room;
	u64 serial = (u64)room->serial << 32;
	const struct pad_record *record;
	struct drain_jump *j;
	unsigned long n;
	u32 id;

	for (; len >= sizeof(*record); records += n, len -= n) {
		record = records;
		/* The upper half is 0, or the program's. */
		id = READ_ONCE(record->id);
		j = &room->jumps[id % DRAIN_JUMPS];
		if (unlikely(j->key != (serial | id)))
			j = other_jump(room, ring, id, len);
		if (unlikely(!j || j->size > len))
			return;
		if (likely(j->copied)) {
			n = hits_copy_any(j, records, len);
		} else {
			n = j->size;
			hit_report(drain, j, record);
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

/**
 * ring_drain() - take all hits out of a ring, and call the ring handlers
 * @pmm: the probed mm
 * @cpu: the processor of the ring; its hits are those of the current task
 * @open: pads may go on to write to the ring
 *
 * Context: interrupts off, RCU read side; possibly the scheduler with a run queue locked.
 * ring_has_work() is true.
 */
void ring_drain(struct probed_mm *pmm, unsigned int cpu, bool open)
{
	/* Pairs with ring_get(). */
	struct ring *ring = smp_load_acquire(&pmm->rings.all);
	/* Pairs with page_get(). */
	struct page *page = smp_load_acquire(&ring->pages[ring->nr_heads + cpu]);
	struct pad_head *head = ring_head(ring, cpu);
	unsigned long start = ring_start(ring, cpu), used;
	bool closed = test_bit(cpu, ring->closed);
	struct drain drain;
	unsigned int i;

	used = READ_ONCE(head->next) - start;
	WRITE_ONCE(head->next, start);
	WRITE_ONCE(head->limit, ring_limit(ring, cpu, open));
	if (open)
		clear_bit(cpu, ring->closed);
	else
		set_bit(cpu, ring->closed);
	/*
	 * A new ring has no hit, and neither has one that the program has spoilt.  If a closed ring
	 * has hits, the program has opened it: they must not come now.
	 */
	if (!used || used > UPROBE_BLOCK_SIZE || closed)
		return;
	drain.room = this_cpu_read(drain_room);
	drain.jump = NULL;
	drain.ticks = arch_ticks();
	drain.now = trace_clock_local();
	drain_room_begin(drain.room, this_cpu_read(oldest_time));
	this_cpu_write(ring_words, drain.words);
	hits_take(&drain, ring, page_address(page), used);
	for (i = 0; i < DRAIN_BLOCKS; i++)
		block_end(&drain, &drain.room->blocks[i]);
	drain_room_end(drain.room);
	this_cpu_write(oldest_time, drain.now);
	this_cpu_write(ring_time, 0);
	this_cpu_write(ring_words, NULL);
	/* uprobe_again() is for other handlers. */
	this_cpu_write(task_handler_wanted, false);
}
