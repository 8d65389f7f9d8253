/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Exchange single bytes of text of another address space, in private copies of its pages.
 * Neither files nor other processes change.
 */
#ifndef _UPROBES_BREAKPOINT_H
#define _UPROBES_BREAKPOINT_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "arch.h"

struct inode;
struct site;

/**
 * struct text_edit - a breakpoint to insert, or to remove
 * @addr: address of the instruction
 * @text: the instruction without the breakpoint
 * @inode: to insert: the file that must be mapped there, or NULL for any
 * @offset: position in that file
 * @site: to insert: the site whose state and owner are set; or NULL
 * @owner: to remove: the owner of the breakpoint, which stays if another owner needs it; or NULL
 * @state: to remove: the state of the site; or NULL.  While it is %SITE_ARMED, a breakpoint with
 *	another operand belongs to the site, too
 * @len: length of @text
 * @fixed: its length without the operand at its end, which a program may patch
 * @fresh: to insert: @site had no breakpoint, so a breakpoint that is there has another owner
 * @result: the result of the edit
 */
struct text_edit {
	unsigned long addr;
	const u8 *text;
	const struct inode *inode;
	loff_t offset;
	struct site *site;
	const u8 *owner;
	const u8 *state;
	u8 len;
	u8 fixed;
	bool fresh;
	int result;
};

/* Check whether no breakpoint of ours is left after a removal with this result. */
static inline bool text_edit_gone(int result)
{
	return !result || result == -ENOENT || result == -EEXIST;
}

void breakpoints_insert(struct mm_struct *mm, struct text_edit *edits, unsigned int n);
void breakpoints_remove(struct mm_struct *mm, struct text_edit *edits, unsigned int n);

#endif /* _UPROBES_BREAKPOINT_H */
