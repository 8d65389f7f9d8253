// SPDX-License-Identifier: GPL-2.0
/*
 * The buffer: its lifetime, and the functions that write records.
 */
#include <linux/irqflags.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <uprobes/uprobes.h>

#include "buffer.h"
#include "probe/base/compat.h"
#include "trace/lib/words.h"

static_assert(TRACER_READ_MAX <= U16_MAX);
static_assert(sizeof(struct tracer_block) + UPROBE_BLOCK_SIZE <= TRACER_FRAGMENT_DATA);

static void wake_readers(struct irq_work *work)
{
	struct tracer_buffer *b = container_of(work, struct tracer_buffer, wake);

	wake_up_all(&b->wait);
}

static void free_memory(struct tracer_buffer *b)
{
	int cpu;

	if (b->cpu) {
		for_each_possible_cpu(cpu) {
			kfree(per_cpu_ptr(b->cpu, cpu)->scratch);
			kfree(per_cpu_ptr(b->cpu, cpu)->trap);
		}
	}
	free_percpu(b->cpu);
	kfree(b->cursors);
	kfree(b->size);
}

static int get_memory(struct tracer_buffer *b)
{
	struct tracer_cpu *c;
	int cpu;

	b->cpu = alloc_percpu(struct tracer_cpu);
	b->cursors = kcalloc(nr_cpu_ids, sizeof(*b->cursors), GFP_KERNEL);
	b->size = kcalloc(nr_cpu_ids, sizeof(*b->size), GFP_KERNEL);
	if (!b->cpu || !b->cursors || !b->size)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		c = per_cpu_ptr(b->cpu, cpu);
		c->trap = kmalloc_node(TRACER_TRAP_SIZE, GFP_KERNEL,
				       cpu_to_node(cpu));
		if (!c->trap)
			return -ENOMEM;
	}
	return 0;
}

/**
 * tracer_buffer_init() - initialize a buffer; it is small until an event is enabled
 * @b: zeroed
 * @size: bytes per CPU that the buffer has after that
 *
 * Return: 0 or -ENOMEM.
 */
int tracer_buffer_init(struct tracer_buffer *b, unsigned long size)
{
	int cpu;

	if (get_memory(b)) {
		free_memory(b);
		return -ENOMEM;
	}
	mutex_init(&b->read_lock);
	init_waitqueue_head(&b->wait);
	init_irq_work(&b->wake, wake_readers);
	b->on = true;
	for_each_possible_cpu(cpu) {
		b->size[cpu] = size;
		b->cursors[cpu].started = true;
	}

	b->rb = ring_buffer_alloc(2 * PAGE_SIZE, RB_FL_OVERWRITE);
	if (!b->rb) {
		free_memory(b);
		return -ENOMEM;
	}
	return 0;
}

/**
 * tracer_buffer_destroy() - free a buffer
 * @b: the buffer; there are no writers and readers any more
 */
void tracer_buffer_destroy(struct tracer_buffer *b)
{
	irq_work_sync(&b->wake);
	ring_buffer_free(b->rb);
	free_memory(b);
	mutex_destroy(&b->read_lock);
}

/**
 * tracer_buffer_expand() - give the buffer its full size, before hits need it
 * @b: the buffer
 *
 * While the trace file is being read, the kernel refuses to resize the buffer.  The
 * buffer stays small then, and gets its size in the next call of this function.
 *
 * Return: 0 or -ENOMEM.
 */
int tracer_buffer_expand(struct tracer_buffer *b)
{
	bool busy = false;
	int ret = 0, cpu;

	mutex_lock(&b->read_lock);
	if (!b->expanded) {
		for_each_possible_cpu(cpu) {
			ret = ring_buffer_resize(b->rb, b->size[cpu], cpu);
			if (ret == -EBUSY)
				busy = true;
			else if (ret < 0)
				break;
			ret = 0;
		}
		b->expanded = !ret && !busy;
	}
	mutex_unlock(&b->read_lock);
	return ret;
}

/**
 * tracer_buffer_resize() - change the size of the buffer
 * @b: the buffer
 * @size: bytes per CPU
 * @cpu: the CPU, or %TRACER_ALL_CPUS
 *
 * If the records do not fit any more, the oldest ones are lost.
 *
 * Return: 0, -ENOMEM, or -EBUSY while the trace file is being read.
 */
int tracer_buffer_resize(struct tracer_buffer *b, unsigned long size, int cpu)
{
	int ret, i;

	mutex_lock(&b->read_lock);
	ret = ring_buffer_resize(b->rb, size, cpu == TRACER_ALL_CPUS ?
				 RING_BUFFER_ALL_CPUS : cpu);
	if (ret >= 0) {
		for_each_possible_cpu(i) {
			if (cpu == TRACER_ALL_CPUS || cpu == i)
				WRITE_ONCE(b->size[i], size);
		}
		b->expanded = b->expanded || cpu == TRACER_ALL_CPUS;
	}
	mutex_unlock(&b->read_lock);
	return ret < 0 ? ret : 0;
}

/**
 * tracer_buffer_clear() - drop all records
 * @b: the buffer
 * @cpu: of this CPU, or %TRACER_ALL_CPUS
 */
void tracer_buffer_clear(struct tracer_buffer *b, int cpu)
{
	int i;

	uprobes_empty_rings();
	mutex_lock(&b->read_lock);
	if (cpu == TRACER_ALL_CPUS)
		ring_buffer_reset(b->rb);
	else
		ring_buffer_reset_cpu(b->rb, cpu);
	for_each_possible_cpu(i) {
		if (cpu == TRACER_ALL_CPUS || cpu == i)
			b->cursors[i] = (struct tracer_cursor) {
				.next = READ_ONCE(per_cpu_ptr(b->cpu, i)->seq),
				.started = true,
				.written = READ_ONCE(per_cpu_ptr(b->cpu, i)->written),
				.dropped = READ_ONCE(per_cpu_ptr(b->cpu, i)->dropped),
			};
	}
	mutex_unlock(&b->read_lock);
}

static void wake_if_waiting(struct tracer_buffer *b)
{
	/* Pairs with the barriers in prepare_to_wait() and tracer_reader_poll(). */
	smp_mb();
	/* The record is visible: a reader that is not in @b->wait yet will see the record. */
	if (waitqueue_active(&b->wait))
		irq_work_queue(&b->wake);
}

static struct tracer_fragment *reserve_fragment(struct tracer_buffer *b,
						u32 seq, size_t total,
						size_t at, size_t len,
						struct ring_buffer_event **event)
{
	struct tracer_fragment *fragment;

	*event = ring_buffer_lock_reserve(b->rb, sizeof(*fragment) + len);
	if (!*event)
		return NULL;
	fragment = ring_buffer_event_data(*event);
	fragment->seq = seq;
	fragment->total = total;
	fragment->at = at;
	return fragment;
}

/* Count entries that are written, or for which there is no room. */
static __always_inline void count_entries(struct tracer_cpu *c, const void *room, u32 n)
{
	if (room)
		c->written += n;
	else
		c->dropped += n;
}

/**
 * tracer_buffer_reserve() - reserve room for a short record
 * @b: the buffer
 * @len: length of the record, at most %TRACER_FRAGMENT_DATA
 * @event: to be passed to tracer_buffer_commit()
 *
 * Context: interrupts off until the commit, so that no other write comes in between.
 * Return: where to put the record.  NULL if there is no room; the event counts as lost
 * then.
 */
void *tracer_buffer_reserve(struct tracer_buffer *b, size_t len,
			    struct ring_buffer_event **event)
{
	struct tracer_cpu *c = this_cpu_ptr(b->cpu);
	struct tracer_fragment *fragment;

	fragment = reserve_fragment(b, c->seq++, len, 0, len, event);
	count_entries(c, fragment, 1);
	return fragment ? fragment->data : NULL;
}

/**
 * tracer_buffer_commit() - commit a complete record
 * @b: the buffer
 * @event: from tracer_buffer_reserve()
 */
void tracer_buffer_commit(struct tracer_buffer *b,
			  struct ring_buffer_event *event)
{
	compat_ring_buffer_commit(b->rb, event);
	wake_if_waiting(b);
}

static void write_short(struct tracer_buffer *b, const void *data, size_t len)
{
	struct ring_buffer_event *event;
	void *room = tracer_buffer_reserve(b, len, &event);

	if (!room)
		return;
	tracer_copy(room, data, len);
	tracer_buffer_commit(b, event);
}

/* Write a record in fragments.  Context: interrupts off. */
static void write_long(struct tracer_buffer *b, const void *data, size_t len)
{
	struct tracer_cpu *c = this_cpu_ptr(b->cpu);
	struct tracer_fragment *fragment;
	struct ring_buffer_event *event;
	u32 seq = c->seq++;
	size_t at, n;

	WRITE_ONCE(c->open, 1);
	for (at = 0; at < len; at += n) {
		n = min_t(size_t, len - at, TRACER_FRAGMENT_DATA);
		fragment = reserve_fragment(b, seq, len, at, n, &event);
		count_entries(c, fragment, 1);
		if (!fragment)
			break;
		tracer_copy(fragment->data, data + at, n);
		compat_ring_buffer_commit(b->rb, event);
	}
	/* A reader that sees 0 also sees all fragments: no more will follow. */
	smp_store_release(&c->open, 0);
	wake_if_waiting(b);
}

/**
 * tracer_buffer_write() - write a record of any length
 * @b: the buffer
 * @data: the record
 * @len: its length, at most %TRACER_READ_MAX
 *
 * If there is no room, the event counts as lost.
 *
 * Context: any but NMI.
 */
void tracer_buffer_write(struct tracer_buffer *b, const void *data, size_t len)
{
	unsigned long flags;

	/* A ring handler may interrupt a handler in task context. */
	local_irq_save(flags);
	if (likely(len <= TRACER_FRAGMENT_DATA))
		write_short(b, data, len);
	else
		write_long(b, data, len);
	local_irq_restore(flags);
}

/**
 * tracer_buffer_reserve_block() - reserve a block
 * @b: the buffer
 * @size: room for its words, in bytes
 *
 * Context: interrupts off until the commit, and no other write.
 * Return: the block; NULL if there is no room.
 */
struct tracer_block *tracer_buffer_reserve_block(struct tracer_buffer *b, size_t size)
{
	size_t len = sizeof(struct tracer_block) + size;
	struct tracer_fragment *fragment;
	struct ring_buffer_event *event;
	struct tracer_cpu *c;

	event = ring_buffer_lock_reserve(b->rb, sizeof(*fragment) + len);
	if (!event)
		return NULL;
	c = this_cpu_ptr(b->cpu);
	c->block = event;
	fragment = ring_buffer_event_data(event);
	fragment->seq = c->seq;
	fragment->total = len;
	fragment->at = 0;
	return (struct tracer_block *)fragment->data;
}

/* Write a block that is much shorter than its room once more: it cannot be shortened. */
static noinline void commit_shorter(struct tracer_buffer *b, struct tracer_cpu *c,
				    const struct tracer_block *block, size_t len)
{
	struct tracer_fragment *fragment;
	u32 nr = block->hits.nr;

	memcpy(c->trap, block, len);
	ring_buffer_discard_commit(b->rb, c->block);
	if (!nr)
		return;
	fragment = reserve_fragment(b, c->seq, len, 0, len, &c->block);
	c->seq += nr;
	count_entries(c, fragment, nr);
	if (!fragment)
		return;
	memcpy(fragment->data, c->trap, len);
	tracer_buffer_commit(b, c->block);
}

/**
 * tracer_buffer_commit_block() - commit a block, unless it has no hits
 * @b: the buffer
 * @block: from tracer_buffer_reserve_block(), with its hits
 */
void tracer_buffer_commit_block(struct tracer_buffer *b, const struct tracer_block *block)
{
	const struct tracer_fragment *fragment =
		container_of((const u8 (*)[])block, struct tracer_fragment, data);
	struct tracer_cpu *c = this_cpu_ptr(b->cpu);
	size_t len = sizeof(*block) + block->hits.size;
	u32 nr = block->hits.nr;

	if (unlikely(!nr || len < fragment->total / 2)) {
		commit_shorter(b, c, block, len);
		return;
	}
	c->seq += nr;
	c->written += nr;
	tracer_buffer_commit(b, c->block);
}

/**
 * tracer_buffer_drops() - count the hits that were not recorded for a reason
 * @b: the buffer
 * @why: the reason
 */
u64 tracer_buffer_drops(const struct tracer_buffer *b, enum tracer_drop why)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(b->cpu, cpu)->drops[why]);
	return sum;
}

/**
 * tracer_buffer_skip() - count an event as lost that should have been recorded
 * @b: the buffer
 */
void tracer_buffer_skip(struct tracer_buffer *b)
{
	this_cpu_inc(b->cpu->seq);
}

/**
 * tracer_scratch_get() - get memory in which to build a record
 * @b: the buffer
 * @size: bytes of memory
 *
 * Memory of the usual size is kept for the next hit.  Longer records are rare.
 *
 * Context: may sleep.
 * Return: the memory, or NULL.
 */
void *tracer_scratch_get(struct tracer_buffer *b, size_t size)
{
	void *scratch;

	if (size > TRACER_SCRATCH)
		return kvmalloc(size, GFP_KERNEL | __GFP_NOWARN);
	scratch = this_cpu_xchg(b->cpu->scratch, NULL);
	return scratch ?: kmalloc(TRACER_SCRATCH, GFP_KERNEL | __GFP_NOWARN);
}

/**
 * tracer_scratch_put() - return the memory of a record
 * @b: the buffer
 * @scratch: from tracer_scratch_get()
 * @size: as in the call of tracer_scratch_get()
 */
void tracer_scratch_put(struct tracer_buffer *b, void *scratch, size_t size)
{
	if (size > TRACER_SCRATCH ||
	    this_cpu_cmpxchg(b->cpu->scratch, NULL, scratch))
		kvfree(scratch);
}
