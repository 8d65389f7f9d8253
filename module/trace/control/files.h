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

/* Check whether the file's content is removed by opening it. */
static inline bool tracer_truncates(const struct file *file)
{
	return (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC);
}

/* Get the tracer of the control directory, whether a file of it or a device is opened. */
static inline struct tracer *tracer_of(const struct inode *inode)
{
	return S_ISCHR(inode->i_mode) ? tracer_ready : inode->i_private;
}

struct tracer_file;

/**
 * struct tracer_opened - an open file
 * @row: its row of a table
 * @of: the object of its directory
 */
struct tracer_opened {
	const struct tracer_file *row;
	void *of;
};

/**
 * struct tracer_file - a file, as a row of a table; the last row has no name
 * @name: its name
 * @mode: its permissions
 * @session: a line "FILE VALUE" of a session has the effect of writing to it
 * @which: what its functions take it for
 * @show: prints the content
 * @list: prints the content instead of @show, if it is a list; seq_file::private is the open file
 * @store: carries out a write, as a whole or not at all; NULL if the file cannot be written.  May
 *	change the text
 * @write: carries out a write instead of @store, and returns how many bytes it has carried out
 * @truncate: called when the file is opened with O_TRUNC; NULL to do nothing
 *
 * The functions return 0 or -errno.
 */
struct tracer_file {
	const char *name;
	umode_t mode;
	bool session;
	int which;
	int (*show)(struct seq_file *m, const struct tracer_opened *f);
	const struct seq_operations *list;
	int (*store)(const struct tracer_opened *f, char *text);
	ssize_t (*write)(const struct tracer_opened *f, const char __user *ubuf, size_t count);
	int (*truncate)(const struct tracer_opened *f);
};

int tracer_files_create(struct dentry *dir, const struct tracer_file *files);
int tracer_dir_create(const char *name, struct dentry *parent, void *of,
		      const struct tracer_file *files, struct dentry **dir);
const struct tracer_file *tracer_file_of_session(const struct tracer_file *files, const char *name);
int tracer_switch_parse(const char *text, bool *on);

/* Get the object of an open file, for tracer_file.list. */
static inline void *tracer_seq_object(const struct seq_file *m)
{
	return ((const struct tracer_opened *)m->private)->of;
}

/* Show 0 or 1. */
static inline int tracer_switch_show(struct seq_file *m, bool on)
{
	seq_puts(m, on ? "1\n" : "0\n");
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

extern const struct tracer_file tracer_all_events_files[];
extern const struct tracer_file tracer_group_files[];
extern const struct tracer_file tracer_event_files[];
extern const struct tracer_file tracer_definition_files[];
extern const struct tracer_file tracer_choice_files[];
extern const struct tracer_file tracer_knob_files[];
extern const struct tracer_file tracer_option_files[];
extern const struct tracer_file tracer_size_files[];

extern const struct file_operations tracer_session_fops;
extern const struct file_operations tracer_error_log_fops;
extern const struct file_operations tracer_pipe_fops;
extern const struct file_operations tracer_trace_fops;
extern const struct file_operations tracer_aggregate_fops;

#endif /* _TRACER_FILES_H */
