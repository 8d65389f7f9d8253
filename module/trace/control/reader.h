/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_READER_H
#define _TRACER_READER_H

#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/types.h>

#include "trace/buffer/buffer.h"
#include "trace/event/event_types.h"
#include "trace/lib/text.h"

struct file;

/**
 * struct tracer_reader - an open trace_pipe or trace
 * @view: the records to read
 * @lock: one read at a time
 * @take: records are taken out of the buffer
 * @started: for trace: @snapshot exists
 * @had_some: some text has been read
 * @snapshot: for trace: the records to show
 * @record: room for a record
 * @seen: the record in @record
 * @pending: the record in @record is not rendered yet, because there was no memory
 * @text: rendered lines
 * @pos: number of bytes of @text that have been read
 */
struct tracer_reader {
	struct tracer_view view;
	struct mutex lock;	/* one read at a time */
	bool take;
	bool started;
	bool had_some;
	struct tracer_snapshot snapshot;
	void *record;
	struct tracer_seen seen;
	bool pending;
	struct tracer_text text;
	size_t pos;
};

struct tracer_reader *tracer_reader_create(const struct tracer_view *view,
					   bool take);
void tracer_reader_free(struct tracer_reader *r);
bool tracer_reader_next(struct tracer_reader *r);
int tracer_reader_grow(struct tracer_reader *r, size_t used);
int tracer_reader_render(struct tracer_reader *r);
ssize_t tracer_reader_copy(struct tracer_reader *r, char __user *ubuf, size_t count);
ssize_t tracer_reader_wait(struct tracer_reader *r, bool nonblock, char __user *ubuf, size_t count,
			   ssize_t (*copy)(struct tracer_reader *r, char __user *ubuf,
					   size_t count));
ssize_t tracer_reader_read(struct tracer_reader *r, bool nonblock,
			   char __user *ubuf, size_t count);
ssize_t tracer_reader_look(struct tracer_reader *r, char __user *ubuf, size_t count);
__poll_t tracer_reader_poll(struct tracer_reader *r, struct file *file,
			    poll_table *wait);

#endif /* _TRACER_READER_H */
