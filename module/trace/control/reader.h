/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_READER_H
#define _TRACER_READER_H

#include <linux/poll.h>
#include <linux/types.h>

struct file;
struct tracer_reader;
struct tracer_view;

struct tracer_reader *tracer_reader_create(const struct tracer_view *view,
					   bool take);
void tracer_reader_free(struct tracer_reader *r);
ssize_t tracer_reader_read(struct tracer_reader *r, bool nonblock,
			   char __user *ubuf, size_t count);
ssize_t tracer_reader_look(struct tracer_reader *r, char __user *ubuf, size_t count);
__poll_t tracer_reader_poll(struct tracer_reader *r, struct file *file,
			    poll_table *wait);

#endif /* _TRACER_READER_H */
