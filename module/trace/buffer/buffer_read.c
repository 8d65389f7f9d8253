// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer: how records get out, merged by their time over all CPUs, either
 * for good (trace_pipe) or only to look at (trace).
 */
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "buffer_read.h"
#include "buffer.h"

/**
 * struct source - one CPU's records, however they are read
 * @b: the buffer
 * @cpu: which
 * @iter: to look at them; NULL to take them
 */
struct source {
	struct tracer_buffer *b;
	int cpu;
	struct ring_buffer_iter *iter;
};

static const struct tracer_fragment *source_peek(struct source *src, u64 *ts)
{
	struct ring_buffer_event *event;

	if (src->iter)
		event = ring_buffer_iter_peek(src->iter, ts);
	else
		event = ring_buffer_peek(src->b->rb, src->cpu, ts, NULL);
	return event ? ring_buffer_event_data(event) : NULL;
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
 * The next fragment, of a record whose first one has been seen.  Its writer
 * may be about to commit it.
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
 * Put the record at the head of @src together.  What cannot be completed is
 * dropped and counts as lost with the next one.
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
		/* A fragment without its beginning: skip it. */
		if (!at)
			source_skip(src);
	}

complete:
	seen->record = (const struct tracer_record *)record;
	seen->len = total;
	seen->cpu = src->cpu;
	seen->lost = 0;
	/* After a clear, records older than what is expected are no loss. */
	if (*started && (s32)(seq - *next) > 0)
		seen->lost = seq - *next;
	*next = seq + 1;
	*started = true;
	return true;
}

/**
 * tracer_buffer_empty() - is there nothing to read?
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
 * @record: where to put it, %TRACER_READ_MAX bytes
 * @seen: what is to be known about it
 *
 * Context: task, under @b->read_lock.
 * Return: false when there is none.
 */
bool tracer_buffer_take(struct tracer_buffer *b, int only, void *record,
			struct tracer_seen *seen)
{
	struct source src = { .b = b };
	bool started = true;
	u64 ts, oldest;
	int cpu;

	lockdep_assert_held(&b->read_lock);

	do {
		src.cpu = -1;
		for_each_possible_cpu(cpu) {
			struct source probe = { .b = b, .cpu = cpu };

			if (only != TRACER_ALL_CPUS && cpu != only)
				continue;
			if (!source_peek(&probe, &ts))
				continue;
			if (src.cpu < 0 || ts < oldest) {
				src.cpu = cpu;
				oldest = ts;
			}
		}
		if (src.cpu < 0)
			return false;
		/* Fails when all that was there were leftovers: look again. */
	} while (!read_record(&src, record, seen, &b->next[src.cpu], &started));
	return true;
}

/**
 * tracer_snapshot_start() - start to look at the records
 * @b: the buffer
 * @s: the look, zeroed
 * @only: at this CPU, or %TRACER_ALL_CPUS
 *
 * Return: 0 or -ENOMEM.
 */
int tracer_snapshot_start(struct tracer_buffer *b, struct tracer_snapshot *s,
			  int only)
{
	int cpu;

	s->iters = kcalloc(nr_cpu_ids, sizeof(*s->iters), GFP_KERNEL);
	s->next = kcalloc(nr_cpu_ids, sizeof(*s->next), GFP_KERNEL);
	s->started = kcalloc(nr_cpu_ids, sizeof(*s->started), GFP_KERNEL);
	s->left = ring_buffer_entries(b->rb);
	if (!s->iters || !s->next || !s->started) {
		tracer_snapshot_finish(s);
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		/* A CPU that has never been online has no part of the buffer. */
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
 * tracer_snapshot_next() - look at the next record
 * @b: the buffer
 * @s: the look
 * @record: where to put it, %TRACER_READ_MAX bytes
 * @seen: what is to be known about it
 *
 * Context: task; one caller at a time.
 * Return: false when there is none.
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
		if (!src.iter)
			return false;
	} while (!read_record(&src, record, seen, &s->next[src.cpu],
			      &s->started[src.cpu]));
	return true;
}

/**
 * tracer_snapshot_finish() - stop looking
 * @s: the look; as zeroed afterwards
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
