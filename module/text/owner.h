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
 * enum foreign - whose else a breakpoint is
 * @FOREIGN_NONE: nobody's
 * @FOREIGN_FIRST: a debugger's, or one of the kernel's uprobes that was there
 *	before ours; when its owner takes that out, ours is put in
 * @FOREIGN_SECOND: the kernel's uprobes found ours and takes it for its own
 * @FOREIGN_LEFT: the kernel takes its own out, ours is about to be put in
 */
enum foreign {
	FOREIGN_NONE,
	FOREIGN_FIRST,
	FOREIGN_SECOND,
	FOREIGN_LEFT,
};

int foreign_text(struct mm_struct *mm, unsigned long addr, u8 *text, int len);
bool foreign_call(struct mm_struct *mm, unsigned long addr, const u8 *text, int len);
bool foreign_stays(struct mm_struct *mm, u8 foreign);

#endif /* _UPROBES_OWNER_H */
