/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The owners of breakpoints at probed addresses: the module, and the kernel's uprobes or
 * debuggers.
 */
#ifndef _UPROBES_OWNER_H
#define _UPROBES_OWNER_H

#include <linux/types.h>

struct mm_struct;

/**
 * enum breakpoint_owner - the other owner of a breakpoint
 * @OWNER_OURS: none: the breakpoint is ours alone
 * @OWNER_OTHER_FIRST: a debugger, or the kernel's uprobes if their breakpoint was there before
 *	ours; when that owner removes its breakpoint, ours is inserted
 * @OWNER_OTHER_SECOND: the kernel's uprobes, which found our breakpoint and take it for their own
 * @OWNER_OTHER_LEFT: the kernel's uprobes remove their breakpoint; ours is about to be inserted
 */
enum breakpoint_owner {
	OWNER_OURS,
	OWNER_OTHER_FIRST,
	OWNER_OTHER_SECOND,
	OWNER_OTHER_LEFT,
};

int owner_text(struct mm_struct *mm, unsigned long addr, u8 *text, int len);
bool owner_is_uprobe_call(struct mm_struct *mm, unsigned long addr, const u8 *text, int len);
bool owner_keeps(struct mm_struct *mm, u8 owner);

#endif /* _UPROBES_OWNER_H */
