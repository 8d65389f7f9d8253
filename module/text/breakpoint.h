/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exchanging single bytes of text of another address space, in private copies of
 * its pages.  Neither files nor other processes change.
 */
#ifndef _UPROBES_BREAKPOINT_H
#define _UPROBES_BREAKPOINT_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "arch.h"

struct inode;
struct site;

/**
 * struct text_edit - a breakpoint to be put into text, or taken out
 * @addr: address of the instruction
 * @text: the instruction as it is without
 * @len: its length
 * @fixed: how many bytes of it are no operand; a program may patch those behind
 * @inode: for putting in: the file that must be mapped there, or NULL for
 *	whatever is
 * @offset: position in that file
 * @site: for putting in: the site, which is told to be armed, and whose else its breakpoint
 *	is; or NULL
 * @fresh: for putting in: @site had none, so that one that is there is somebody else's
 * @owner: for taking out: where it says whether it is another's too, and
 *	stays; or NULL
 * @state: for taking out: where the state of the site is told; while that is
 *	%SITE_ARMED the breakpoint is that of the site also with another operand; or NULL
 * @result: what came of it
 */
struct text_edit {
	unsigned long addr;
	const u8 *text;
	u8 len;
	u8 fixed;
	const struct inode *inode;
	loff_t offset;
	struct site *site;
	bool fresh;
	const u8 *owner;
	const u8 *state;
	int result;
};

/* Whether no breakpoint of ours is there after a removal with this result. */
static inline bool text_edit_gone(int result)
{
	return !result || result == -ENOENT || result == -EEXIST;
}

void breakpoints_insert(struct mm_struct *mm, struct text_edit *edits, unsigned int n);
void breakpoints_remove(struct mm_struct *mm, struct text_edit *edits, unsigned int n);

#endif /* _UPROBES_BREAKPOINT_H */
