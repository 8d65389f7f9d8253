/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common parts of the files of the control directory.
 */
#ifndef _TRACER_FILES_H
#define _TRACER_FILES_H

#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/security.h>
#include <linux/seq_file.h>

#include "trace/lib/text.h"

struct tracer;

/*
 * The tracer of the control directory, when loading cannot fail any more; before that NULL.  If
 * loading fails, the kernel frees the module even if one of its files is open, so no file can be
 * opened before.
 */
extern struct tracer *tracer_ready;

/*
 * Check whether a file may be opened.  A trace shows the memory of other programs.  As in tracefs,
 * no file can be opened under a lockdown that keeps the memory of the kernel secret.  The mode of a
 * device is what some tool sets, so who opens one needs a capability, too.
 */
static inline int tracer_files_allowed(const struct inode *inode)
{
	if (!READ_ONCE(tracer_ready))
		return -ENODEV;
	if (S_ISCHR(inode->i_mode) && !perfmon_capable())
		return -EPERM;
	return security_locked_down(LOCKDOWN_TRACEFS);
}

/* Get the tracer of the control directory, whether a file of it or a device is opened. */
static inline struct tracer *tracer_of(const struct inode *inode)
{
	return S_ISCHR(inode->i_mode) ? tracer_ready : inode->i_private;
}

/* Open a file, with the private pointer that its inode was created with. */
static inline int tracer_private_open(struct inode *inode, struct file *file)
{
	int ret = tracer_files_allowed(inode);

	if (ret)
		return ret;
	file->private_data = inode->i_private;
	return 0;
}

/* The operations of a file with the private pointer that its inode was created with. */
#define TRACER_FILE(reads, writes)		\
	{					\
		.owner = THIS_MODULE,		\
		.open = tracer_private_open,	\
		.read = reads,			\
		.write = writes,		\
		.llseek = default_llseek,	\
	}

/* End a write that is accepted as a whole or not at all.  Return its result. */
static inline ssize_t tracer_written(int ret, size_t count, loff_t *ppos)
{
	if (ret)
		return ret;
	*ppos += count;
	return count;
}

/* Read a file that shows 0 or 1. */
static inline ssize_t tracer_switch_read(char __user *ubuf, size_t count,
					 loff_t *ppos, bool on)
{
	return simple_read_from_buffer(ubuf, count, ppos, on ? "1\n" : "0\n",
				       2);
}

/* Parse a write of 0 or 1; refuse anything else. */
static inline int tracer_switch_parse(const char __user *ubuf, size_t count,
				      bool *on)
{
	unsigned int value;
	int ret;

	ret = kstrtouint_from_user(ubuf, count, 10, &value);
	if (ret)
		return ret;
	if (value > 1)
		return -EINVAL;
	*on = value;
	return 0;
}

/*
 * Text for a seq_file: start with tracer_seq_text(), append, end with tracer_seq_commit().  If the
 * text does not fit, seq_file calls again with more room.
 */
static inline struct tracer_text tracer_seq_text(struct seq_file *m)
{
	struct tracer_text t = {};

	t.size = seq_get_buf(m, &t.buf);
	return t;
}

static inline void tracer_seq_commit(struct seq_file *m,
				     const struct tracer_text *t)
{
	seq_commit(m, tracer_text_fits(t) ? (int)t->len : -1);
}

extern const struct file_operations tracer_event_filter_fops;
extern const struct file_operations tracer_group_filter_fops;
extern const struct file_operations tracer_set_event_fops;
extern const struct file_operations tracer_available_fops;
extern const struct file_operations tracer_options_fops;
extern const struct file_operations tracer_size_fops;
extern const struct file_operations tracer_total_size_fops;
extern const struct file_operations tracer_session_fops;
extern const struct file_operations tracer_events_fops;
extern const struct file_operations tracer_profile_fops;
extern const struct file_operations tracer_instrumentation_fops;
extern const struct file_operations tracer_jump_fops;
extern const struct file_operations tracer_error_log_fops;
extern const struct file_operations tracer_on_fops;
extern const struct file_operations tracer_readme_fops;
extern const struct file_operations tracer_clock_fops;
extern const struct file_operations tracer_current_fops;
extern const struct file_operations tracer_tracers_fops;
extern const struct file_operations tracer_pids_fops;
extern const struct file_operations tracer_notrace_pids_fops;
extern const struct file_operations tracer_pipe_fops;
extern const struct file_operations tracer_trace_fops;
extern const struct file_operations tracer_aggregate_fops;

#endif /* _TRACER_FILES_H */
