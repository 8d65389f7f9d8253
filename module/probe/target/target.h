/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The target of a probe: look up the process or the file, and check whether the place in it
 * can be probed.
 */
#ifndef _UPROBES_TARGET_H
#define _UPROBES_TARGET_H

#include <linux/dcache.h>

#include <uprobes/uprobes.h>

#include "arch.h"

/**
 * struct target - a file to be probed
 * @inode: the file as processes map it, with a reference
 * @file: the same, open for reading, with a reference; NULL when the client
 *	has given an inode
 * @name: for messages
 * @kept: snapshot of the file's name, if @name points to it; a rename may change the original
 * @mode: mode of its code
 * @go: the file is a program in Go
 */
struct target {
	struct inode *inode;
	struct file *file;
	const char *name;
	struct name_snapshot kept;
	enum uinsn_mode mode;
	bool go;
};

struct mm_struct *target_mm(pid_t pid);
const char *target_complaint(const struct uprobe *u);
int target_open(struct target *target, const struct uprobe *u);
int target_check(const struct target *target, const struct uprobe *u, bool returns,
		 struct ssol_plan *plan);
int target_check_returns(const struct target *target, loff_t offset);
void target_close(struct target *target);

#endif /* _UPROBES_TARGET_H */
