/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The buffer between hits and readers: the kernel's per-CPU ring buffer, with long
 * records and a count of lost events.
 *
 * A record may be longer than a page of the ring buffer, so it is written in fragments.
 * The fragments of a record follow each other directly: preemption is off, and a trap
 * from user space cannot happen during the write.  Each hit that is to be recorded takes
 * the next sequence number of its CPU, even if there is no room for the record.  A reader
 * reports a gap in the numbers as lost events.  If the buffer is full, the oldest records are
 * overwritten (without the option overwrite, the new record is lost).  A writer never
 * waits for a reader.
 *
 * A block is a record with several hits (struct tracer_block), and takes as many numbers.
 */
#ifndef _TRACER_BUFFER_H
#define _TRACER_BUFFER_H

#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/poll.h>
#include <linux/ring_buffer.h>
#include <linux/types.h>
#include <linux/wait.h>

#include <uprobes/blocks.h>

#include "drop.h"
#include "trace/parse/record.h"

#define TRACER_BUFFER_KB	1408	/* per CPU, once an event is enabled */
#define TRACER_SCRATCH		8192	/* bytes of the scratch memory that is kept */
#define TRACER_TRAP_SIZE	8192	/* bytes for a record that is built in the trap */
#define TRACER_ALL_CPUS		(-1)

/*
 * Maximum of a record in the ring buffer on every kernel, also in tracefs: a 4 KiB page
 * less the headers of the page and of an event with a long time stamp.
 */
#define TRACER_FRAGMENT_MAX	4000

/**
 * struct tracer_fragment - an event of the ring buffer
 * @seq: number of the event on its CPU
 * @total: length of the whole record
 * @at: place of these bytes in the record; 0 in the first fragment
 * @data: the bytes
 */
struct tracer_fragment {
	u32 seq;
	u16 total;
	u16 at;
	u8 data[];
};

#define TRACER_FRAGMENT_DATA \
	(TRACER_FRAGMENT_MAX - sizeof(struct tracer_fragment))

/**
 * struct tracer_cpu - writers' side of one CPU
 * @seq: number of the next event; changed only on its own CPU, with preemption off
 * @open: not all fragments of a record are written yet
 * @scratch: %TRACER_SCRATCH bytes that no hit uses at the moment, or NULL
 * @trap: %TRACER_TRAP_SIZE bytes for the handler that runs in the trap
 * @drops: number of hits that are not recorded, for each reason
 * @block: the block that is reserved
 * @written: number of entries that were written, see struct tracer_entries
 * @dropped: number of entries for which there was no room
 */
struct tracer_cpu {
	u32 seq;
	u32 open;
	void *scratch;
	void *trap;
	u64 drops[TRACER_DROPS];
	struct ring_buffer_event *block;
	u64 written;
	u64 dropped;
};

/**
 * struct tracer_block - hits of a thread
 * @comm: as in struct tracer_record
 * @tgid: likewise
 * @unused: 0
 * @form: %TRACER_FORM_BLOCK
 * @pid: id of the thread, as in struct tracer_entry
 * @hits: the hits, see struct uprobe_block; their numbers are those of formats
 */
struct tracer_block {
	char comm[TRACER_COMM_LEN];
	s32 tgid;
	u16 unused;
	u8 form;
	s32 pid;
	struct uprobe_block hits;
};

static_assert(offsetof(struct tracer_block, form) == offsetof(struct tracer_record, form));

/* The parts of the first two words of a hit in a block. */
#define TRACER_BLOCK_VALUES	0xffU	/* number of values; above it, the time stamp counter */
#define TRACER_BLOCK_ID		48	/* place of the number; below it, the address */

/**
 * struct tracer_cursor - a reader's place among the records of one CPU
 * @next: number of the event expected next
 * @started: @next is known
 * @seq: tracer_fragment::seq of the block that is being read
 * @at: bytes of its hits that have been read; 0 if none is being read
 * @ts: time of the last hit of that block
 * @taken: number of entries that have been taken out (tracer_buffer_count())
 * @written: tracer_cpu::written when the buffer was cleared
 * @dropped: likewise
 * @event: of a reader with an iterator: the next event, or NULL if it has not been looked up
 * @written_at: when it was written
 */
struct tracer_cursor {
	u32 next;
	bool started;
	u32 seq;
	u32 at;
	u64 ts;
	u64 taken;
	u64 written;
	u64 dropped;
	struct ring_buffer_event *event;
	u64 written_at;
};

/**
 * struct tracer_entries - numbers of entries of one CPU, since the buffer was cleared
 * @there: in the buffer
 * @taken: taken out
 * @overrun: overwritten
 * @dropped: not written, as there was no room
 *
 * An entry is a fragment of a record, or a hit in a block.
 */
struct tracer_entries {
	u64 there;
	u64 taken;
	u64 overrun;
	u64 dropped;
};

/**
 * struct tracer_buffer - a buffer
 * @rb: the ring buffer
 * @cpu: writers' side
 * @on: hits are recorded
 * @size: bytes of the buffer once it is @expanded, per CPU
 * @expanded: the buffer has these bytes
 * @read_lock: serializes taking records out, clearing and resizing
 * @complete: all hits until this time have their records in the buffer, unless they are lost; under
 *	@read_lock
 * @cursors: place of the readers that take records out, per CPU; under @read_lock
 * @wait: readers waiting for a record
 * @wake: wakes the readers, from any context
 */
struct tracer_buffer {
	struct trace_buffer *rb;
	struct tracer_cpu __percpu *cpu;
	bool on;
	unsigned long *size;
	bool expanded;
	struct mutex read_lock;	/* to take records out, clear or resize */
	u64 complete;
	struct tracer_cursor *cursors;
	wait_queue_head_t wait;
	struct irq_work wake;
};

/**
 * struct tracer_snapshot - a reader that leaves the records where they are
 * @iters: an iterator per CPU; NULL for a CPU that is not read
 * @cursors: its place, per CPU
 * @until: no later records are read
 * @left: number of records left to read, where a block is one.  It starts with the number of
 *	records in the buffer: otherwise the reader might never end, because hits add records.
 */
struct tracer_snapshot {
	struct ring_buffer_iter **iters;
	struct tracer_cursor *cursors;
	u64 until;
	unsigned long left;
};

/* buffer.c */
int tracer_buffer_init(struct tracer_buffer *b, unsigned long size);
void tracer_buffer_destroy(struct tracer_buffer *b);
int tracer_buffer_expand(struct tracer_buffer *b);
int tracer_buffer_resize(struct tracer_buffer *b, unsigned long size, int cpu);
void tracer_buffer_clear(struct tracer_buffer *b, int cpu);

void *tracer_buffer_reserve(struct tracer_buffer *b, size_t len,
			    struct ring_buffer_event **event);
void tracer_buffer_commit(struct tracer_buffer *b,
			  struct ring_buffer_event *event);
void tracer_buffer_write(struct tracer_buffer *b, const void *data, size_t len);
struct tracer_block *tracer_buffer_reserve_block(struct tracer_buffer *b, size_t size);
void tracer_buffer_commit_block(struct tracer_buffer *b, const struct tracer_block *block);
void tracer_buffer_skip(struct tracer_buffer *b);
u64 tracer_buffer_drops(const struct tracer_buffer *b, enum tracer_drop why);
void *tracer_scratch_get(struct tracer_buffer *b, size_t size);
void tracer_scratch_put(struct tracer_buffer *b, void *scratch, size_t size);

static inline bool tracer_buffer_is_on(const struct tracer_buffer *b)
{
	return READ_ONCE(b->on);
}

/* Count hits that are not recorded. */
static inline void tracer_buffer_drop(struct tracer_buffer *b, enum tracer_drop why, u32 n)
{
	this_cpu_add(b->cpu->drops[why], n);
}

#endif /* _TRACER_BUFFER_H */
