// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer: the functions that read records.  They merge the records of all CPUs by
 * time.  trace_pipe takes records out; trace leaves them in the buffer.
 */
#include <linux/delay.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_clock.h>

#include <uprobes/uprobes.h>

#include "buffer_read.h"
#include "buffer.h"

/**
 * struct source - one CPU's records, for both kinds of readers
 * @b: the buffer
 * @cpu: the CPU
 * @iter: leaves the records in the buffer; NULL to take them out
 */
struct source {
	struct tracer_buffer *b;
	int cpu;
	struct ring_buffer_iter *iter;
};

/* Get the time of the hit of a fragment.  @written: when the fragment was written */
static u64 fragment_time(const struct tracer_fragment *fragment, u64 written)
{
	const struct tracer_record *record = (const void *)fragment->data;
	u64 time;

	if (fragment->at || !record->late)
		return written;
	memcpy(&time, fragment->data + fragment->total - sizeof(time), sizeof(time));
	return time;
}

static const struct tracer_fragment *source_peek(struct source *src, u64 *ts)
{
	const struct tracer_fragment *fragment;
	struct ring_buffer_event *event;

	if (src->iter)
		event = ring_buffer_iter_peek(src->iter, ts);
	else
		event = ring_buffer_peek(src->b->rb, src->cpu, ts, NULL);
	if (!event)
		return NULL;
	fragment = ring_buffer_event_data(event);
	*ts = fragment_time(fragment, *ts);
	return fragment;
}

static void source_skip(struct source *src)
{
	u64 ts;

	if (src->iter)
		ring_buffer_iter_advance(src->iter);
	else
		ring_buffer_consume(src->b->rb, src->cpu, &ts, NULL);
}

/*
 * Return the next fragment of a record whose first fragment has been read.  Its writer
 * may be about to commit it, so wait for the writer.  NULL if there is no more fragment.
 */
static const struct tracer_fragment *await_fragment(struct source *src)
{
	struct tracer_cpu *c = per_cpu_ptr(src->b->cpu, src->cpu);
	const struct tracer_fragment *fragment;
	bool open;
	u64 ts;

	for (;;) {
		/* Pairs with the release in tracer_buffer_write(). */
		open = smp_load_acquire(&c->open);
		fragment = source_peek(src, &ts);
		if (fragment || !open)
			return fragment;
		cpu_relax();
		cond_resched();
	}
}

/*
 * Join the fragments of the record at the head of @src.  If a record is not complete, drop
 * it; the next complete record reports it as lost.
 */
static bool read_record(struct source *src, u8 *record, struct tracer_seen *seen,
			u32 *next, bool *started)
{
	const struct tracer_fragment *fragment;
	unsigned int total, at, n;
	u32 seq;

	for (;;) {
		fragment = source_peek(src, &seen->ts);
		if (!fragment)
			return false;
		seq = fragment->seq;
		total = fragment->total;

		for (at = 0; fragment && fragment->seq == seq &&
		     fragment->at == at; at += n) {
			n = min_t(unsigned int, total - at,
				  TRACER_FRAGMENT_DATA);
			memcpy(record + at, fragment->data, n);
			source_skip(src);
			if (at + n == total)
				goto complete;
			fragment = await_fragment(src);
		}
		/* The record of this fragment has lost its beginning: skip the fragment. */
		if (!at)
			source_skip(src);
	}

complete:
	seen->record = (const struct tracer_record *)record;
	seen->len = total;
	seen->cpu = src->cpu;
	seen->lost = 0;
	/* After a clear, a sequence number below the expected one is not a loss. */
	if (*started && (s32)(seq - *next) > 0)
		seen->lost = seq - *next;
	*next = seq + 1;
	*started = true;
	return true;
}

/*
 * Have all hits until now in the buffer that programs have written to their rings.  That interrupts
 * the programs, so do it once in a millisecond.  Return false if no program has rings.
 */
static bool complete_now(struct tracer_buffer *b)
{
	u64 since = trace_clock_local() - b->complete, now;

	if (since < NSEC_PER_MSEC)
		usleep_range((NSEC_PER_MSEC - since) / NSEC_PER_USEC, USEC_PER_MSEC);
	now = trace_clock_local();
	if (!uprobes_empty_rings())
		return false;
	b->complete = now;
	return true;
}

/* Find the CPU whose next record is the oldest.  Return -1 if there is no record. */
static int oldest_cpu(struct tracer_buffer *b, int only, u64 *oldest)
{
	int cpu, found = -1;
	u64 ts;

	for_each_possible_cpu(cpu) {
		struct source probe = { .b = b, .cpu = cpu };

		if (only != TRACER_ALL_CPUS && cpu != only)
			continue;
		if (!source_peek(&probe, &ts))
			continue;
		if (found < 0 || ts < *oldest) {
			found = cpu;
			*oldest = ts;
		}
	}
	return found;
}

/**
 * tracer_buffer_empty() - check whether there is no record
 * @b: the buffer
 * @cpu: of this CPU, or %TRACER_ALL_CPUS
 */
bool tracer_buffer_empty(struct tracer_buffer *b, int cpu)
{
	if (cpu != TRACER_ALL_CPUS)
		return ring_buffer_empty_cpu(b->rb, cpu);
	return ring_buffer_empty(b->rb);
}

/**
 * tracer_buffer_take() - take the oldest record out
 * @b: the buffer
 * @only: of this CPU, or %TRACER_ALL_CPUS
 * @record: where to put the record, %TRACER_READ_MAX bytes
 * @seen: filled in: the record and its time, CPU and lost events
 *
 * Context: task, under @b->read_lock.
 * Return: false if there is no record.
 */
bool tracer_buffer_take(struct tracer_buffer *b, int only, void *record,
			struct tracer_seen *seen)
{
	struct source src = { .b = b };
	bool started = true;
	u64 oldest = 0;
	int tries;

	lockdep_assert_held(&b->read_lock);

	do {
		src.cpu = oldest_cpu(b, only, &oldest);
		/*
		 * An older hit may still be in a ring.  The first try may find a record that has
		 * come meanwhile.
		 */
		for (tries = 0; tries < 2 && (src.cpu < 0 || oldest > b->complete); tries++) {
			if (!complete_now(b))
				break;
			src.cpu = oldest_cpu(b, only, &oldest);
			if (src.cpu < 0)
				break;
		}
		if (src.cpu < 0)
			return false;
		/* read_record() fails if the CPU had only incomplete records: search again. */
	} while (!read_record(&src, record, seen, &b->next[src.cpu], &started));
	return true;
}

/**
 * tracer_snapshot_start() - start a reader that leaves the records in the buffer
 * @b: the buffer
 * @s: the reader, zeroed
 * @only: read this CPU, or %TRACER_ALL_CPUS
 *
 * Return: 0 or -ENOMEM.
 */
int tracer_snapshot_start(struct tracer_buffer *b, struct tracer_snapshot *s,
			  int only)
{
	u64 now = trace_clock_local();
	int cpu;

	s->until = uprobes_empty_rings() ? now : U64_MAX;
	s->iters = kcalloc(nr_cpu_ids, sizeof(*s->iters), GFP_KERNEL);
	s->next = kcalloc(nr_cpu_ids, sizeof(*s->next), GFP_KERNEL);
	s->started = kcalloc(nr_cpu_ids, sizeof(*s->started), GFP_KERNEL);
	s->left = ring_buffer_entries(b->rb);
	if (!s->iters || !s->next || !s->started) {
		tracer_snapshot_finish(s);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		/* The buffer has no memory for a CPU that has never been online. */
		if ((only != TRACER_ALL_CPUS && cpu != only) || !ring_buffer_size(b->rb, cpu))
			continue;
		s->iters[cpu] = ring_buffer_read_start(b->rb, cpu, GFP_KERNEL);
		if (!s->iters[cpu]) {
			tracer_snapshot_finish(s);
			return -ENOMEM;
		}
	}
	return 0;
}

/**
 * tracer_snapshot_next() - read the next record, and leave it in the buffer
 * @b: the buffer
 * @s: the reader
 * @record: where to put the record, %TRACER_READ_MAX bytes
 * @seen: filled in: the record and its time, CPU and lost events
 *
 * Context: task; one caller at a time.
 * Return: false if there is no more record.
 */
bool tracer_snapshot_next(struct tracer_buffer *b, struct tracer_snapshot *s,
			  void *record, struct tracer_seen *seen)
{
	struct source src = { .b = b };
	u64 ts, oldest;
	int cpu;

	if (!s->left)
		return false;
	s->left--;

	do {
		src.iter = NULL;
		for_each_possible_cpu(cpu) {
			struct source probe = {
				.b = b, .cpu = cpu, .iter = s->iters[cpu],
			};

			if (!probe.iter || !source_peek(&probe, &ts))
				continue;
			if (!src.iter || ts < oldest) {
				src = probe;
				oldest = ts;
			}
		}
		if (!src.iter || oldest > s->until)
			return false;
	} while (!read_record(&src, record, seen, &s->next[src.cpu],
			      &s->started[src.cpu]));
	return true;
}

/**
 * tracer_snapshot_finish() - end a reader that leaves the records in the buffer
 * @s: the reader; zeroed afterwards
 */
void tracer_snapshot_finish(struct tracer_snapshot *s)
{
	int cpu;

	if (s->iters) {
		for_each_possible_cpu(cpu) {
			if (s->iters[cpu])
				ring_buffer_read_finish(s->iters[cpu]);
		}
	}
	kfree(s->iters);
	kfree(s->next);
	kfree(s->started);
	memset(s, 0, sizeof(*s));
}
