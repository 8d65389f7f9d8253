/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read files that clients name.
 */
#ifndef _UPROBES_READER_H
#define _UPROBES_READER_H

#include <linux/types.h>

struct inode;
struct target;

bool inode_readable(const struct inode *inode);
ssize_t target_read(const struct target *target, void *buf, size_t len, loff_t pos);

#endif /* _UPROBES_READER_H */
