// SPDX-License-Identifier: GPL-2.0
/*
 * The files that show records: trace_pipe takes records out of the buffer and waits for more; trace
 * shows the records that are there, and leaves them.
 */
#include <linux/poll.h>

#include "files.h"
#include "reader.h"
#include "trace/event/format.h"

static int reader_open(struct inode *inode, struct file *file, bool take)
{
	file->private_data = tracer_reader_create(inode->i_private, take);
	return file->private_data ? stream_open(inode, file) : -ENOMEM;
}

static int reader_release(struct inode *inode, struct file *file)
{
	tracer_reader_free(file->private_data);
	return 0;
}

static int pipe_open(struct inode *inode, struct file *file)
{
	int ret = tracer_files_allowed(inode);

	return ret ?: reader_open(inode, file, true);
}

static ssize_t pipe_read(struct file *file, char __user *ubuf, size_t count,
			 loff_t *ppos)
{
	return tracer_reader_read(file->private_data,
				  file->f_flags & O_NONBLOCK, ubuf, count);
}

static __poll_t pipe_poll(struct file *file, poll_table *wait)
{
	return tracer_reader_poll(file->private_data, file, wait);
}

const struct file_operations tracer_pipe_fops = {
	.owner = THIS_MODULE,
	.open = pipe_open,
	.read = pipe_read,
	.poll = pipe_poll,
	.release = reader_release,
};

static ssize_t trace_read(struct file *file, char __user *ubuf, size_t count,
			  loff_t *ppos)
{
	return tracer_reader_look(file->private_data, ubuf, count);
}

/* Ignore the written text: the buffer was cleared when the file was opened with O_TRUNC. */
static ssize_t trace_write(struct file *file, const char __user *ubuf,
			   size_t count, loff_t *ppos)
{
	return count;
}

static int trace_open(struct inode *inode, struct file *file)
{
	struct tracer_view *view = inode->i_private;
	int ret = tracer_files_allowed(inode);

	if (ret)
		return ret;
	if (tracer_truncates(file)) {
		tracer_buffer_clear(&view->t->buffer, view->cpu);
		if (view->cpu == TRACER_ALL_CPUS)
			tracer_formats_prune(view->t);
	}
	if (!(file->f_mode & FMODE_READ))
		return 0;
	return reader_open(inode, file, false);
}

const struct file_operations tracer_trace_fops = {
	.owner = THIS_MODULE,
	.open = trace_open,
	.read = trace_read,
	.write = trace_write,
	.release = reader_release,
};
