/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The structure of a target.
 */
#ifndef _UPROBES_TARGET_TYPES_H
#define _UPROBES_TARGET_TYPES_H

#include <linux/dcache.h>
#include <linux/types.h>

#include "arch.h"

struct file;
struct inode;

/**
 * struct target - a file to be probed
 * @inode: the file as processes map it, with a reference
 * @file: the same, open for reading, with a reference; NULL when the client
 *	has given an inode
 * @name: for messages
 * @kept: snapshot of the file's name, if @name points to it; a rename may change the original
 * @mode: mode of its code
 * @go_known: @go has been set
 * @go: the file is a program in Go; see target_is_go()
 */
struct target {
	struct inode *inode;
	struct file *file;
	const char *name;
	struct name_snapshot kept;
	enum uinsn_mode mode;
	bool go_known;
	bool go;
};

#endif /* _UPROBES_TARGET_TYPES_H */
