// SPDX-License-Identifier: GPL-2.0
/*
 * Read records as units: blocks as they are in the buffer, and other records as text.
 *
 * An event is described by a unit before the first block with its hits.
 */
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <uprobes/units.h>

#include "units.h"
#include "reader.h"
#include "trace/buffer/buffer_read.h"
#include "trace/event/event_types.h"
#include "trace/lib/words.h"

/* Begin a unit in the text of a reader.  Return false if there is no room. */
static bool unit_begin(struct tracer_text *text)
{
	if (text->size - text->len < sizeof(struct uprobes_unit))
		return false;
	memset(text->buf + text->len, 0, sizeof(struct uprobes_unit));
	text->len += sizeof(struct uprobes_unit);
	return true;
}

/* Complete the unit that begins at @at.  Return false if there was no room for it. */
static bool unit_end(struct tracer_text *text, size_t at, u16 kind)
{
	struct uprobes_unit *unit;

	while (text->len % sizeof(u64))
		tracer_text_putc(text, '\0');
	if (!tracer_text_fits(text)) {
		text->len = at;
		return false;
	}
	unit = (struct uprobes_unit *)(text->buf + at);
	unit->size = text->len - at;
	unit->kind = kind;
	return true;
}

/* Describe the values that an event's hits have in blocks. */
static void describe(struct tracer_text *text, const struct tracer_format *format)
{
	const struct tracer_def *def = format->def;
	const struct tracer_arg *arg;

	tracer_text_printf(text, "%u %s", format->id, def->event);
	for (arg = def->args; arg < def->args + def->nargs; arg++) {
		unsigned int bits = arg->type->size * 8;

		tracer_text_printf(text, " %s:%d:", arg->name, arg->value);
		if (arg->rshift)
			tracer_text_printf(text, "b%u@%u/%u", bits - arg->rshift,
					   arg->rshift - arg->lshift, bits);
		else if (tracer_arg_in_memory(arg) && arg->store == TRACER_STORE_STRING)
			tracer_text_printf(text, "string[%u]", def->ring_string);
		else
			tracer_text_puts(text, arg->type->name);
	}
	tracer_text_putc(text, '\n');
}

/* Put units into the text of a reader for the events that have not been described. */
static void describe_events(struct tracer_reader *r)
{
	struct tracer *t = r->view.t;
	struct tracer_format *format;
	size_t at;
	int id;

	down_read(&t->formats.sem);
	idr_for_each_entry(&t->formats.by_id, format, id) {
		at = r->text.len;
		if (format->described || !format->def || !unit_begin(&r->text))
			continue;
		describe(&r->text, format);
		if (!unit_end(&r->text, at, UPROBES_UNIT_EVENT))
			break;
		format->described = true;
		atomic_dec(&t->formats.undescribed);
	}
	up_read(&t->formats.sem);
}

/* Put the record into the text of a reader, as a block of one hit. */
static void put_hit(struct tracer_reader *r, const struct tracer_def *def)
{
	const struct tracer_record *record = r->seen.record;
	const u8 *args = (const u8 *)&record->entry + tracer_args_offset(def);
	struct uprobes_unit_block *block = (struct uprobes_unit_block *)r->text.buf;
	struct tracer_text comm = { .buf = block->comm, .size = sizeof(block->comm) - 1 };
	unsigned int i;

	r->text.len = struct_size(block, words, 2 + def->nvalues);
	memset(block, 0, r->text.len);
	tracer_text_escape(&comm, record->comm, strnlen(record->comm, sizeof(record->comm)));
	block->unit = (struct uprobes_unit) {
		.size = r->text.len,
		.kind = UPROBES_UNIT_BLOCK,
		.lost = r->seen.lost,
	};
	block->tgid = record->tgid;
	block->pid = record->entry.pid;
	block->flags = record->entry.flags;
	block->depth = record->entry.preempt_count;
	/* All hits are at this moment. */
	block->now = r->seen.ts;
	block->words[0] = def->nvalues;
	block->words[1] = (u64)record->entry.type << TRACER_BLOCK_ID | record->entry.ip;
	for (i = 0; i < def->nargs; i++) {
		const struct tracer_arg *arg = &def->args[i];

		if (arg->value >= 0)
			block->words[2 + arg->value] = tracer_load(args + arg->offset,
								   arg->type->size);
	}
}

/*
 * Check whether the record can be a block.  Of bytes in memory, it has not all that a block has.
 * Arguments with the same register may have it in different sizes.  At another place of the event,
 * an argument may be one that could not be read.
 */
static bool fits_block(const struct tracer_reader *r, const struct tracer_format *format)
{
	const struct tracer_record *record = r->seen.record;
	const struct tracer_def *def = format ? format->def : NULL;
	size_t entry = r->seen.len - offsetof(struct tracer_record, entry);
	const u8 *faults;

	if (!def || !format->described || !def->blocks || def->nloads ||
	    def->nvalues != def->nargs || entry < tracer_strings_offset(def) || record->nstack ||
	    record->form == TRACER_FORM_VALUES || record->entry.ip >> TRACER_BLOCK_ID)
		return false;
	faults = (const u8 *)&record->entry + tracer_faults_offset(def);
	return !memchr_inv(faults, 0, tracer_strings_offset(def) - tracer_faults_offset(def));
}

/* Put the record into the text of a reader, as text. */
static int put_lines(struct tracer_reader *r)
{
	int ret;

	for (;;) {
		unit_begin(&r->text);
		ret = tracer_reader_render(r);
		if (!ret && unit_end(&r->text, 0, UPROBES_UNIT_TEXT))
			return 0;
		/* There was no room for the last bytes. */
		ret = ret ?: tracer_reader_grow(r, 0);
		if (ret)
			break;
	}
	r->text.len = 0;
	return ret;
}

/* Put the next record into the text of a reader, if there is one. */
static int put_record(struct tracer_reader *r)
{
	const struct tracer_format *format;
	struct uprobes_unit *unit;
	int ret = 0;

	r->seen.options = READ_ONCE(r->view.t->options);
	down_read(&r->view.t->formats.sem);
	if (tracer_reader_next(r)) {
		format = idr_find(&r->view.t->formats.by_id, r->seen.record->entry.type);
		if (fits_block(r, format))
			put_hit(r, format->def);
		else
			ret = put_lines(r);
		WRITE_ONCE(r->pending, ret);
	}
	up_read(&r->view.t->formats.sem);
	if (!r->text.len)
		return ret;
	unit = (struct uprobes_unit *)r->text.buf;
	unit->cpu = r->seen.cpu;
	unit->time = r->seen.ts;
	return 0;
}

/* Copy a block without waiting for pages of the caller. */
static bool copy_block(const struct tracer_block *block, u32 at, const struct tracer_seen *seen,
		       char __user *ubuf, size_t size)
{
	const struct uprobe_block *hits = &block->hits;
	struct uprobes_unit_block head = {
		.unit = {
			.size = size,
			.kind = UPROBES_UNIT_BLOCK,
			.cpu = seen->cpu,
			.time = seen->ts,
			.lost = seen->lost,
		},
		.tgid = block->tgid,
		.pid = block->pid,
		/* What a trap would have found. */
		.flags = TRACER_IRQS_OFF,
		.ticks = hits->ticks,
		.now = hits->now,
		.oldest = hits->oldest,
		.mult = hits->mult,
		.shift = hits->shift,
	};
	struct tracer_text comm = { .buf = head.comm, .size = sizeof(head.comm) - 1 };

	tracer_text_escape(&comm, block->comm, strnlen(block->comm, sizeof(block->comm)));
	return !copy_to_user_nofault(ubuf, &head, sizeof(head)) &&
	       !copy_to_user_nofault(ubuf + sizeof(head), (u8 *)hits->words + at, hits->size - at);
}

/**
 * enum next - what a reader finds
 * @NEXT_BLOCK: a block, which has been copied
 * @NEXT_RECORD: a record
 * @NEXT_NONE: nothing
 * @NEXT_UNDESCRIBED: a block; an event has to be described first
 * @NEXT_LONG: a block for which there is no room
 * @NEXT_FAULT: a block; memory of the caller is absent
 */
enum next {
	NEXT_BLOCK,
	NEXT_RECORD,
	NEXT_NONE,
	NEXT_UNDESCRIBED,
	NEXT_LONG,
	NEXT_FAULT,
};

/* Copy the next record, if it is a block.  Set @size to the number of its bytes. */
static enum next put_block(struct tracer_reader *r, char __user *ubuf, size_t count, bool wait,
			   size_t *size)
{
	struct tracer_buffer *b = &r->view.t->buffer;
	const struct tracer_block *block;
	enum next next = NEXT_BLOCK;
	struct tracer_seen seen;
	bool found;
	u32 at;

	/* The pending record comes first. */
	if (r->pending)
		return NEXT_RECORD;
	mutex_lock(&b->read_lock);
	block = tracer_buffer_block(b, r->view.cpu, wait, &found, &seen, &at);
	if (!block) {
		next = found ? NEXT_RECORD : NEXT_NONE;
	} else {
		*size = sizeof(struct uprobes_unit_block) + block->hits.size - at;
		/* An event of these hits was defined before they were. */
		if (atomic_read(&r->view.t->formats.undescribed))
			next = NEXT_UNDESCRIBED;
		else if (*size > count)
			next = NEXT_LONG;
		else if (!copy_block(block, at, &seen, ubuf, *size))
			next = NEXT_FAULT;
		else
			tracer_buffer_block_done(b, seen.cpu, block);
	}
	mutex_unlock(&b->read_lock);
	return next;
}

/* A read ends after so many bytes, however large its buffer is. */
#define UNITS_ENOUGH	(256U << 10)

/*
 * Copy one unit or more of those in the text of a reader, or the next block, or put the next record
 * into the text.  Return the number of bytes; 0 if there is nothing; -EAGAIN to be called again;
 * -EFAULT.  @wait: nothing has been copied, so hits may still be in rings.
 */
static ssize_t copy_some(struct tracer_reader *r, char __user *ubuf, size_t count, bool wait)
{
	size_t size;

	if (r->pos < r->text.len)
		return tracer_reader_copy(r, ubuf, count);
	r->pos = 0;
	r->text.len = 0;
	switch (put_block(r, ubuf, count, wait, &size)) {
	case NEXT_BLOCK:
		r->had_some = true;
		return size;
	case NEXT_UNDESCRIBED:
		describe_events(r);
		return -EAGAIN;
	case NEXT_FAULT:
		return fault_in_writeable(ubuf, size) ? -EFAULT : -EAGAIN;
	case NEXT_RECORD:
		return put_record(r) ?: -EAGAIN;
	default:
		return 0;
	}
}

/* Copy units.  Return the number of bytes, or -errno. */
static ssize_t copy_units(struct tracer_reader *r, char __user *ubuf, size_t count)
{
	size_t done = 0;
	ssize_t n;

	count = min_t(size_t, count, UNITS_ENOUGH);
	while (done < count) {
		n = copy_some(r, ubuf + done, count - done, !done);
		if (n == -EAGAIN) {
			if (signal_pending(current))
				return done ?: -ERESTARTSYS;
			cond_resched();
			continue;
		}
		if (n <= 0)
			return done ?: n;
		done += n;
	}
	return done;
}

/**
 * tracer_units_read() - perform a read() of a session, as units
 * @r: the reader
 * @nonblock: do not wait
 * @ubuf: buffer of the caller
 * @count: size of @ubuf
 *
 * Return: the result of read(); -EINVAL if @ubuf has no room for the largest block.
 */
ssize_t tracer_units_read(struct tracer_reader *r, bool nonblock, char __user *ubuf, size_t count)
{
	return count < UPROBES_UNIT_MAX ? -EINVAL :
	       tracer_reader_wait(r, nonblock, ubuf, count, copy_units);
}
