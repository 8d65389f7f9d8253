// SPDX-License-Identifier: GPL-2.0
/*
 * Read records from the buffer, as lines of text.
 */
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "reader.h"
#include "trace/buffer/buffer_read.h"
#include "trace/event/blocks.h"
#include "trace/event/event_types.h"

#define TEXT_SIZE	16384	/* room for lines, in bytes; grows for a longer one */
#define TEXT_ENOUGH	8192	/* bytes of lines to make at once */

/**
 * tracer_reader_next() - get the next record
 * @r: the reader; @r->record and @r->seen are set
 *
 * Context: under tracer_reader.lock.
 * Return: false if there is none.
 */
bool tracer_reader_next(struct tracer_reader *r)
{
	struct tracer_buffer *b = &r->view.t->buffer;
	bool got;

	/* The pending record is not in the buffer any more. */
	if (r->pending)
		return true;
	if (!r->take)
		return tracer_snapshot_next(b, &r->snapshot, r->record, &r->seen);
	mutex_lock(&b->read_lock);
	got = tracer_buffer_take(b, r->view.cpu, r->record, &r->seen);
	mutex_unlock(&b->read_lock);
	return got;
}

/**
 * tracer_reader_grow() - get more room for the text of a reader
 * @r: the reader
 * @used: number of bytes of it to keep
 *
 * Return: 0 or -ENOMEM.
 */
int tracer_reader_grow(struct tracer_reader *r, size_t used)
{
	size_t size = r->text.len + TEXT_SIZE;
	char *buf = kvmalloc(size, GFP_KERNEL);

	if (!buf)
		return -ENOMEM;
	memcpy(buf, r->text.buf, used);
	kvfree(r->text.buf);
	r->text = (struct tracer_text){ .buf = buf, .size = size, .len = used };
	return 0;
}

/**
 * tracer_reader_render() - append the lines of the record to the text of a reader
 * @r: the reader
 *
 * Context: under tracer_reader.lock and tracer.formats.sem.
 * Return: 0 or -ENOMEM.
 */
int tracer_reader_render(struct tracer_reader *r)
{
	const struct tracer_seen *seen = &r->seen;
	const struct tracer_format *format;
	size_t used = r->text.len;
	int ret;

	format = idr_find(&r->view.t->formats.by_id, seen->record->entry.type);
	if (format && format->def && format->def->blocks &&
	    seen->record->form == TRACER_FORM_VALUES)
		r->seen.len = tracer_block_expand(format->def, r->record, seen->len);
	tracer_render(&r->text, format ? format->def : NULL, seen);
	if (tracer_text_fits(&r->text))
		return 0;
	ret = tracer_reader_grow(r, used);
	if (ret) {
		r->text.len = used;
		return ret;
	}
	tracer_render(&r->text, format ? format->def : NULL, seen);
	return 0;
}

/* Make lines of the records that there are, until TEXT_ENOUGH is reached. */
static int fill(struct tracer_reader *r)
{
	int ret = 0;

	r->seen.options = READ_ONCE(r->view.t->options);
	r->text.len = 0;
	r->pos = 0;
	down_read(&r->view.t->formats.sem);
	while (!ret && r->text.len < TEXT_ENOUGH && tracer_reader_next(r)) {
		ret = tracer_reader_render(r);
		WRITE_ONCE(r->pending, ret);
	}
	up_read(&r->view.t->formats.sem);
	return r->text.len ? 0 : ret;
}

/**
 * tracer_reader_copy() - give text to the caller of read()
 * @r: the reader
 * @ubuf: where to
 * @count: at most so many bytes
 *
 * Context: under tracer_reader.lock.
 * Return: the number of bytes, or -EFAULT.
 */
ssize_t tracer_reader_copy(struct tracer_reader *r, char __user *ubuf, size_t count)
{
	size_t len = min(count, r->text.len - r->pos);

	if (copy_to_user(ubuf, r->text.buf + r->pos, len))
		return -EFAULT;
	r->pos += len;
	r->had_some = true;
	return len;
}

/*
 * Check for the end of the stream, if no record is left:
 * some text was read, and recording is off.
 */
static bool at_end(const struct tracer_reader *r)
{
	return r->had_some && !tracer_buffer_is_on(&r->view.t->buffer);
}

/**
 * tracer_reader_wait() - perform a read(), which waits for records
 * @r: the reader
 * @nonblock: do not wait
 * @ubuf: buffer of the caller
 * @count: size of @ubuf
 * @copy: copies what there is, under tracer_reader.lock; returns the number of bytes, or -errno
 *
 * Return: the result of read().
 */
ssize_t tracer_reader_wait(struct tracer_reader *r, bool nonblock, char __user *ubuf, size_t count,
			   ssize_t (*copy)(struct tracer_reader *r, char __user *ubuf,
					   size_t count))
{
	struct tracer_buffer *b = &r->view.t->buffer;
	ssize_t ret;

	if (!count)
		return 0;
	for (;;) {
		if (mutex_lock_interruptible(&r->lock))
			return -ERESTARTSYS;
		ret = copy(r, ubuf, count);
		mutex_unlock(&r->lock);
		if (ret)
			return ret;

		if (at_end(r))
			return 0;
		if (nonblock)
			return -EAGAIN;
		ret = wait_event_interruptible(b->wait, at_end(r) ||
					       !tracer_buffer_empty(b, r->view.cpu));
		if (ret)
			return ret;
	}
}

static ssize_t copy_lines(struct tracer_reader *r, char __user *ubuf, size_t count)
{
	int ret = r->pos < r->text.len ? 0 : fill(r);

	return ret || r->pos == r->text.len ? ret : tracer_reader_copy(r, ubuf, count);
}

/**
 * tracer_reader_read() - perform a read() of trace_pipe
 * @r: the reader
 * @nonblock: do not wait
 * @ubuf: buffer of the caller
 * @count: size of @ubuf
 *
 * Return: the result of read().
 */
ssize_t tracer_reader_read(struct tracer_reader *r, bool nonblock,
			   char __user *ubuf, size_t count)
{
	return tracer_reader_wait(r, nonblock, ubuf, count, copy_lines);
}

/**
 * tracer_reader_poll() - check whether there is something to read
 * @r: the reader
 * @file: its file
 * @wait: argument of poll()
 *
 * Return: the result of poll().
 */
__poll_t tracer_reader_poll(struct tracer_reader *r, struct file *file,
			    poll_table *wait)
{
	struct tracer_buffer *b = &r->view.t->buffer;

	poll_wait(file, &b->wait, wait);
	/* Pairs with the barrier of a writer, which looks for waiters. */
	smp_mb();
	if (READ_ONCE(r->pos) < READ_ONCE(r->text.len) || READ_ONCE(r->pending) ||
	    !tracer_buffer_empty(b, r->view.cpu))
		return EPOLLIN | EPOLLRDNORM;
	return 0;
}

/**
 * tracer_reader_create() - create a reader
 * @view: the records to read
 * @take: records are taken out of the buffer
 *
 * Return: the reader, or NULL if there is no memory.
 */
struct tracer_reader *tracer_reader_create(const struct tracer_view *view,
					   bool take)
{
	struct tracer_reader *r = kzalloc(sizeof(*r), GFP_KERNEL);

	if (!r)
		return NULL;
	r->view = *view;
	r->take = take;
	mutex_init(&r->lock);
	r->record = kvmalloc(TRACER_READ_MAX, GFP_KERNEL);
	r->text.buf = kvmalloc(TEXT_SIZE, GFP_KERNEL);
	r->text.size = TEXT_SIZE;
	if (!r->record || !r->text.buf) {
		tracer_reader_free(r);
		return NULL;
	}
	return r;
}

/**
 * tracer_reader_free() - free a reader
 * @r: the reader, or NULL
 */
void tracer_reader_free(struct tracer_reader *r)
{
	if (!r)
		return;
	tracer_snapshot_finish(&r->snapshot);
	kvfree(r->record);
	kvfree(r->text.buf);
	mutex_destroy(&r->lock);
	kfree(r);
}

static int render_header(struct tracer_reader *r)
{
	int only = r->view.cpu, cpu, ret = 0;
	struct tracer_entries entries;
	u64 there = 0, written = 0;

	for_each_possible_cpu(cpu) {
		if (ret || (only != TRACER_ALL_CPUS && cpu != only))
			continue;
		ret = tracer_buffer_count(&r->view.t->buffer, cpu, &entries);
		there += entries.there;
		written += entries.there + entries.overrun;
	}
	if (ret)
		return ret;
	tracer_text_puts(&r->text, "# tracer: nop\n#\n");
	if (!tracer_option(r->view.t, TRACER_OPT_CONTEXT_INFO))
		return 0;
	tracer_text_printf(&r->text,
			   "# entries-in-buffer/entries-written: %llu/%llu   #P:%u\n#\n",
			   there, written, num_online_cpus());
	tracer_render_header(&r->text, READ_ONCE(r->view.t->options));
	return 0;
}

static int start_look(struct tracer_reader *r)
{
	int ret;

	/* First, as this empties the rings. */
	ret = tracer_snapshot_start(&r->view.t->buffer, &r->snapshot, r->view.cpu);
	if (ret)
		return ret;
	ret = render_header(r);
	if (ret)
		tracer_snapshot_finish(&r->snapshot);
	r->started = !ret;
	return ret;
}

/**
 * tracer_reader_look() - perform a read() of trace
 * @r: the reader, which leaves the records in the buffer
 * @ubuf: buffer of the caller
 * @count: size of @ubuf
 *
 * Return: the result of read().
 */
ssize_t tracer_reader_look(struct tracer_reader *r, char __user *ubuf, size_t count)
{
	ssize_t ret = 0;

	if (mutex_lock_interruptible(&r->lock))
		return -ERESTARTSYS;
	if (!r->started)
		ret = start_look(r);
	else if (r->pos == r->text.len)
		ret = fill(r);
	if (!ret)
		ret = tracer_reader_copy(r, ubuf, count);
	mutex_unlock(&r->lock);
	return ret;
}
