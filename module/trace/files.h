/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of the control directory have in common.
 */
#ifndef _TRACER_FILES_H
#define _TRACER_FILES_H

#include <linux/fs.h>
#include <linux/security.h>
#include <linux/seq_file.h>

#include "text.h"

/*
 * A trace tells what other programs hold in their memory: as tracefs, none of
 * it is open under a lockdown that keeps the memory of the kernel secret.
 */
static inline int tracer_files_allowed(void)
{
	return security_locked_down(LOCKDOWN_TRACEFS);
}

/* Open a file whose private pointer is what its inode was made with. */
static inline int tracer_private_open(struct inode *inode, struct file *file)
{
	int ret = tracer_files_allowed();

	if (ret)
		return ret;
	file->private_data = inode->i_private;
	return 0;
}

/*
 * Text for a seq_file: start with tracer_seq_text(), append, end with
 * tracer_seq_commit().  What does not fit makes seq_file come back with more
 * room.
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

#endif /* _TRACER_FILES_H */
