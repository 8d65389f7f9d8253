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
 * @jump: the jump of the last hit, or NULL
 * @set: the consumers of the last hit
 * @to: those of them that get hits of @jump
 * @nr: number of @to
 * @regs: registers for the handlers
 * @words: words of the stack for them
 * @ticks: the time stamp counter now
 * @now: that time, in nanoseconds
 */
struct drain {
	struct jump *jump;
	const struct consumer_set *set;
	struct consumer *to[RING_CONSUMERS];
	unsigned int nr;
	struct pt_regs regs;
	u64 words[PAD_WORDS];
	u64 ticks;
	u64 now;
};

/* Convert the time of a hit, which the program may have forged. */
static u64 hit_time(const struct drain *drain, u64 ticks)
{
	u64 ago = drain->ticks - ticks, oldest = this_cpu_read(oldest_time), at;

	if ((s64)ago < 0)
		ago = 0;
	ago = min(ago, (u64)OLDEST * 1000 * arch_ticks_khz());
	at = drain->now - mul_u64_u32_shr(ago, READ_ONCE(clock_mult), READ_ONCE(clock_shift));
	return (s64)(at - oldest) < 0 ? oldest : at;
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

/*
 * Find the consumers that get the hits of a jump.  When its pad could be entered, all consumers of
 * the site were live, and they were %RING_CONSUMERS at most.  Consumers that were added since are
 * behind them in the set, or need another pad.
 */
static void drain_serve(struct drain *drain, const struct consumer_set *set)
{
	unsigned int i;

	drain->set = set;
	drain->nr = 0;
	for (i = 0; set && i < min(set->nr, RING_CONSUMERS); i++) {
		if (serves(drain->jump, set->consumers[i]))
			drain->to[drain->nr++] = set->consumers[i];
	}
}

/* Call the handlers for a hit. */
static void hit_report(struct drain *drain)
{
	const struct consumer_set *set = rcu_dereference(drain->jump->site->set);
	unsigned int i;

	if (set != drain->set)
		drain_serve(drain, set);
	for (i = 0; i < drain->nr; i++) {
		struct consumer *c = drain->to[i];

		consumer_hit(c);
		if (c->rings)
			c->u->ring_handler(c->u, &drain->regs);
	}
}

/* Find a jump by the number in a record, which the program may have forged. */
static struct jump *jump_of_id(const struct ring *ring, u64 id)
{
	struct jump **piece;

	if (id >= RING_JUMPS)
		return NULL;
	piece = READ_ONCE(ring->jumps[id / RING_JUMPS_PIECE]);
	/* Pairs with ring_add_jump(). */
	return piece ? smp_load_acquire(&piece[id % RING_JUMPS_PIECE]) : NULL;
}

/* Take a register, or a word of the stack, out of a record. */
static void value_take(struct drain *drain, unsigned int reg, u64 value)
{
	if (reg < PAD_WORD)
		arch_reg_set(&drain->regs, reg, value);
	else
		drain->words[reg - PAD_WORD] = value;
}

/*
 * Take a hit out of the @len bytes at @record.  Return the length of its record; 0 if there is none
 * that a pad can have written.
 */
static unsigned int hit_take(struct drain *drain, const struct ring *ring,
			     const struct pad_record *record, unsigned int len)
{
	const struct pad_recording *recording;
	struct jump *jump = drain->jump;
	unsigned int size, i;
	u64 time, id;

	if (len < sizeof(*record))
		return 0;
	id = READ_ONCE(record->id);
	if (!jump || pad_action(&jump->pad)->recording.id != id)
		jump = jump_of_id(ring, id);
	if (!jump)
		return 0;
	recording = &pad_action(&jump->pad)->recording;
	size = struct_size(record, values, recording->nr);
	if (len < size)
		return 0;
	if (jump != drain->jump) {
		memset(&drain->regs, 0, sizeof(drain->regs));
		memset(drain->words, 0, sizeof(drain->words));
		arch_regs_user(&drain->regs, jump->pad.addr);
		drain->jump = jump;
		drain->set = NULL;
		drain->nr = 0;
	}
	for (i = 0; i < recording->nr; i++)
		value_take(drain, recording->regs[i], READ_ONCE(record->values[i]));
	time = hit_time(drain, READ_ONCE(record->time));
	this_cpu_write(oldest_time, time);
	this_cpu_write(ring_time, time);
	/* Records on several CPUs may count as one. */
	WRITE_ONCE(jump->recorded, READ_ONCE(jump->recorded) + 1);
	hit_report(drain);
	return size;
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
	unsigned long start = ring_start(ring, cpu), used, at;
	bool closed = test_bit(cpu, ring->closed);
	struct drain drain;
	unsigned int n;

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
	if (!used || used > PAGE_SIZE || closed)
		return;
	drain.jump = NULL;
	drain.ticks = arch_ticks();
	drain.now = trace_clock_local();
	this_cpu_write(ring_words, drain.words);
	for (at = 0; at < used; at += n) {
		n = hit_take(&drain, ring, page_address(page) + at, used - at);
		if (!n)
			break;
	}
	this_cpu_write(ring_time, 0);
	this_cpu_write(ring_words, NULL);
	/* uprobe_again() is for other handlers. */
	this_cpu_write(task_handler_wanted, false);
}
