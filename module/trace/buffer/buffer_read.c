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
#include "block.h"
#include "buffer.h"

/**
 * struct source - one CPU's records, for both kinds of readers
 * @b: the buffer
 * @cpu: the CPU
 * @iter: leaves the records in the buffer; NULL to take them out
 * @cursor: the reader's place
 * @head: after find_oldest(), the first fragment of the next record
 * @ts: its time
 */
struct source {
	struct tracer_buffer *b;
	int cpu;
	struct ring_buffer_iter *iter;
	struct tracer_cursor *cursor;
	const struct tracer_fragment *head;
	u64 ts;
};

/* Check whether a fragment is a block, hits of which have been read. */
static bool is_begun(const struct tracer_cursor *cursor, const struct tracer_fragment *fragment)
{
	return cursor->at && cursor->seq == fragment->seq;
}

/* Get the time of the next hit of a fragment.  @written: when the fragment was written */
static u64 fragment_time(const struct tracer_cursor *cursor,
			 const struct tracer_fragment *fragment, u64 written)
{
	const struct tracer_record *record = (const void *)fragment->data;
	bool begun = is_begun(cursor, fragment);
	u64 time;

	if (fragment->at || record->form == TRACER_FORM_NOW)
		return written;
	if (record->form == TRACER_FORM_BLOCK)
		return tracer_block_time((const void *)fragment->data, begun ? cursor->at : 0,
					 begun ? cursor->ts : 0);
	memcpy(&time, fragment->data + fragment->total - sizeof(time), sizeof(time));
	return time;
}

static const struct tracer_fragment *source_peek(struct source *src, u64 *ts)
{
	struct tracer_cursor *cursor = src->cursor;
	struct ring_buffer_event *event;

	/* The kernel copies the whole event for an iterator, each time. */
	if (src->iter && !cursor->event)
		cursor->event = ring_buffer_iter_peek(src->iter, &cursor->written_at);
	if (src->iter) {
		event = cursor->event;
		*ts = cursor->written_at;
	} else {
		event = ring_buffer_peek(src->b->rb, src->cpu, ts, NULL);
	}
	if (!event)
		return NULL;
	*ts = fragment_time(cursor, ring_buffer_event_data(event), *ts);
	return ring_buffer_event_data(event);
}

/* Go on behind the fragment at the head, which has @n entries. */
static void source_skip(struct source *src, u32 n)
{
	u64 ts;

	src->cursor->taken += n;
	src->cursor->event = NULL;
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

/* Get the number of events that were lost before the one with the number @seq. */
static u32 lost_before(const struct tracer_cursor *cursor, u32 seq)
{
	/* After a clear, a sequence number below the expected one is not a loss. */
	return cursor->started && (s32)(seq - cursor->next) > 0 ? seq - cursor->next : 0;
}

/* Go on with the event @next behind the start of a fragment, and with no block. */
static void cursor_set(struct tracer_cursor *cursor, u32 seq, u32 next)
{
	/* A block of which hits have been read may have been overwritten since. */
	if (cursor->at && cursor->seq != seq)
		cursor->taken += cursor->next - cursor->seq;
	cursor->next = next;
	cursor->started = true;
	cursor->at = 0;
}

static bool is_block(const struct tracer_fragment *fragment)
{
	const struct tracer_record *record = (const void *)fragment->data;

	return !fragment->at && record->form == TRACER_FORM_BLOCK;
}

/* Take the next hit out of the block at the head of @src.  Return false if it has none. */
static bool read_hit(struct source *src, const struct tracer_fragment *fragment, u8 *record,
		     struct tracer_seen *seen)
{
	const struct tracer_block *block = (const void *)fragment->data;
	struct tracer_cursor *cursor = src->cursor;
	u32 n;

	seen->record = (const struct tracer_record *)record;
	seen->cpu = src->cpu;
	seen->lost = 0;
	if (!is_begun(cursor, fragment)) {
		seen->lost = lost_before(cursor, fragment->seq);
		cursor_set(cursor, fragment->seq, fragment->seq);
		cursor->seq = fragment->seq;
	}
	/* If the rest of the block is overwritten, it is lost. */
	cursor->next++;
	n = tracer_block_record(block, cursor->at, (struct tracer_record *)record, &seen->len);
	cursor->at += n;
	cursor->ts = seen->ts;
	if (!n || cursor->at >= block->hits.size) {
		source_skip(src, block->hits.nr);
		cursor->at = 0;
	}
	return n;
}

/*
 * Join the fragments of the record at the head of @src.  If a record is not complete, drop
 * it; the next complete record reports it as lost.
 */
static bool read_record(struct source *src, u8 *record, struct tracer_seen *seen)
{
	const struct tracer_fragment *fragment;
	unsigned int total, at, n;
	u32 seq;

	for (;;) {
		fragment = source_peek(src, &seen->ts);
		if (!fragment)
			return false;
		if (is_block(fragment))
			return read_hit(src, fragment, record, seen);
		seq = fragment->seq;
		total = fragment->total;

		for (at = 0; fragment && fragment->seq == seq &&
		     fragment->at == at; at += n) {
			n = min_t(unsigned int, total - at,
				  TRACER_FRAGMENT_DATA);
			memcpy(record + at, fragment->data, n);
			source_skip(src, 1);
			if (at + n == total)
				goto complete;
			fragment = await_fragment(src);
		}
		/* The record of this fragment has lost its beginning: skip the fragment. */
		if (!at)
			source_skip(src, 1);
	}

complete:
	seen->record = (const struct tracer_record *)record;
	seen->len = total;
	seen->cpu = src->cpu;
	seen->lost = lost_before(src->cursor, seq);
	cursor_set(src->cursor, seq, seq + 1);
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

/*
 * Find the CPU whose next record is the oldest, and the (first) fragment of that record.  Return -1
 * if there is no record.
 */
static int oldest_cpu(struct tracer_buffer *b, int only, u64 *oldest,
		      const struct tracer_fragment **first)
{
	const struct tracer_fragment *fragment;
	int cpu, found = -1;
	u64 ts;

	for_each_possible_cpu(cpu) {
		struct source probe = { .b = b, .cpu = cpu, .cursor = &b->cursors[cpu] };

		if (only != TRACER_ALL_CPUS && cpu != only)
			continue;
		fragment = source_peek(&probe, &ts);
		if (!fragment)
			continue;
		if (found < 0 || ts < *oldest) {
			found = cpu;
			*oldest = ts;
			*first = fragment;
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

/*
 * Find the oldest record.  Return false if there is none.  @wait: wait until hits may be taken out
 * of rings again
 */
static bool find_oldest(struct source *src, int only, bool wait)
{
	struct tracer_buffer *b = src->b;
	int tries;

	lockdep_assert_held(&b->read_lock);

	src->cpu = oldest_cpu(b, only, &src->ts, &src->head);
	/*
	 * An older hit may still be in a ring.  The first try may find a record that has come
	 * meanwhile.
	 */
	for (tries = 0; tries < 2 && (src->cpu < 0 || src->ts > b->complete); tries++) {
		if (!wait && trace_clock_local() - b->complete < NSEC_PER_MSEC)
			return false;
		if (!complete_now(b))
			break;
		src->cpu = oldest_cpu(b, only, &src->ts, &src->head);
		if (src->cpu < 0)
			break;
	}
	if (src->cpu < 0)
		return false;
	src->cursor = &b->cursors[src->cpu];
	return true;
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

	do {
		if (!find_oldest(&src, only, true))
			return false;
		/* read_record() fails if the CPU had only incomplete records: search again. */
	} while (!read_record(&src, record, seen));
	return true;
}

/**
 * tracer_buffer_block() - get the oldest record, if it is a block
 * @b: the buffer
 * @only: of this CPU, or %TRACER_ALL_CPUS
 * @wait: wait until hits may be taken out of rings again; otherwise, later records are not found
 * @found: set to whether there is a record
 * @seen: filled in: the time of the next hit, the CPU and lost events
 * @at: set to the bytes of its hits that have been taken out already
 *
 * Context: task, under @b->read_lock.
 * Return: the block, until tracer_buffer_block_done(); NULL if the record is none, or there is no
 * record.
 */
const struct tracer_block *tracer_buffer_block(struct tracer_buffer *b, int only, bool wait,
					       bool *found, struct tracer_seen *seen, u32 *at)
{
	const struct tracer_fragment *fragment;
	struct source src = { .b = b };
	bool begun;

	*found = find_oldest(&src, only, wait);
	if (!*found)
		return NULL;
	fragment = src.head;
	seen->ts = src.ts;
	if (!is_block(fragment))
		return NULL;
	begun = is_begun(src.cursor, fragment);
	seen->cpu = src.cpu;
	seen->lost = begun ? 0 : lost_before(src.cursor, fragment->seq);
	*at = begun ? src.cursor->at : 0;
	return (const void *)fragment->data;
}

/**
 * tracer_buffer_block_done() - take out the block that tracer_buffer_block() has returned
 * @b: the buffer
 * @cpu: the CPU
 * @block: the block
 *
 * Context: task, under @b->read_lock since that call.
 */
void tracer_buffer_block_done(struct tracer_buffer *b, int cpu, const struct tracer_block *block)
{
	struct source src = { .b = b, .cpu = cpu, .cursor = &b->cursors[cpu] };
	const struct tracer_fragment *fragment =
		container_of((const u8 (*)[])block, struct tracer_fragment, data);

	cursor_set(src.cursor, fragment->seq, fragment->seq + block->hits.nr);
	source_skip(&src, block->hits.nr);
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
	s->cursors = kcalloc(nr_cpu_ids, sizeof(*s->cursors), GFP_KERNEL);
	s->left = ring_buffer_entries(b->rb);
	if (!s->iters || !s->cursors) {
		tracer_snapshot_finish(s);
		return -ENOMEM;
	}
	mutex_lock(&b->read_lock);
	for_each_possible_cpu(cpu) {
		/* Hits that have been taken out of a block are not shown. */
		s->cursors[cpu] = b->cursors[cpu];
		s->cursors[cpu].started = false;
	}
	mutex_unlock(&b->read_lock);
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

	do {
		src.iter = NULL;
		for_each_possible_cpu(cpu) {
			struct source probe = {
				.b = b, .cpu = cpu, .iter = s->iters[cpu],
				.cursor = &s->cursors[cpu],
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
	} while (!read_record(&src, record, seen));
	if (!src.cursor->at)
		s->left--;
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
	kfree(s->cursors);
	memset(s, 0, sizeof(*s));
}

/* Count the entries of a CPU that are in the buffer.  Return false if there is no memory. */
static bool count_there(struct source *src, u64 *n)
{
	const struct tracer_fragment *fragment;
	unsigned long left;
	u64 ts;

	*n = 0;
	/* The buffer has no memory for a CPU that has never been online. */
	if (!ring_buffer_size(src->b->rb, src->cpu))
		return true;
	src->iter = ring_buffer_read_start(src->b->rb, src->cpu, GFP_KERNEL);
	if (!src->iter)
		return false;
	for (left = ring_buffer_entries_cpu(src->b->rb, src->cpu);
	     left && !fatal_signal_pending(current); left--) {
		fragment = source_peek(src, &ts);
		if (!fragment)
			break;
		*n += is_block(fragment) ?
		      ((const struct tracer_block *)fragment->data)->hits.nr : 1;
		/* Hits that have been read are not there. */
		if (is_begun(src->cursor, fragment))
			*n -= src->cursor->next - src->cursor->seq;
		source_skip(src, 0);
		cond_resched();
	}
	ring_buffer_read_finish(src->iter);
	return true;
}

/**
 * tracer_buffer_count() - count the entries of a CPU
 * @b: the buffer
 * @cpu: the CPU
 * @entries: filled in
 *
 * While hits are recorded, the numbers are of no single moment.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int tracer_buffer_count(struct tracer_buffer *b, int cpu, struct tracer_entries *entries)
{
	const struct tracer_cpu *c = per_cpu_ptr(b->cpu, cpu);
	const struct tracer_cursor *cursor = &b->cursors[cpu];
	struct source src = { .b = b, .cpu = cpu };
	struct tracer_cursor look;
	u64 written, gone;
	bool counted;

	mutex_lock(&b->read_lock);
	look = *cursor;
	src.cursor = &look;
	written = READ_ONCE(c->written) - cursor->written;
	counted = count_there(&src, &entries->there);
	entries->taken = cursor->taken;
	if (cursor->at)
		entries->taken += cursor->next - cursor->seq;
	gone = entries->there + entries->taken;
	entries->overrun = written > gone ? written - gone : 0;
	entries->dropped = READ_ONCE(c->dropped) - cursor->dropped;
	mutex_unlock(&b->read_lock);
	return counted ? 0 : -ENOMEM;
}
