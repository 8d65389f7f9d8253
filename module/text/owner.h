/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Breakpoints of others, the kernel's uprobes and debuggers, at addresses that
 * are probed here: whose the byte is.
 */
#ifndef _UPROBES_OWNER_H
#define _UPROBES_OWNER_H

#include <linux/types.h>

struct mm_struct;

/**
 * enum breakpoint_owner - whose else a breakpoint is
 * @OWNER_OURS: nobody's
 * @OWNER_OTHER_FIRST: a debugger's, or one of the kernel's uprobes that was there
 *	before ours; when its owner takes that out, ours is put in
 * @OWNER_OTHER_SECOND: the kernel's uprobes found ours and takes it for its own
 * @OWNER_OTHER_LEFT: the kernel takes its own out, ours is about to be put in
 */
enum breakpoint_owner {
	OWNER_OURS,
	OWNER_OTHER_FIRST,
	OWNER_OTHER_SECOND,
	OWNER_OTHER_LEFT,
};

int owner_text(struct mm_struct *mm, unsigned long addr, u8 *text, int len);
bool owner_is_uprobe_call(struct mm_struct *mm, unsigned long addr, const u8 *text, int len);
bool owner_keeps(struct mm_struct *mm, u8 foreign);

#endif /* _UPROBES_OWNER_H */
