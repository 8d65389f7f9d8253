/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traps at sites whose breakpoint has been removed, or was never there.
 */
#ifndef _UPROBES_LATE_TRAP_H
#define _UPROBES_LATE_TRAP_H

struct site;

/**
 * enum late - what a trap at a site that is not armed may mean
 * @LATE_FOREIGN: another owner's breakpoint is there, or the text cannot be read (execute-only)
 * @LATE_REMOVED: no breakpoint is there; the trap was in flight when ours was removed.  The task
 *	must execute the text as it is now
 * @LATE_COPIED: our breakpoint is there.  The program has unmapped its own text, and has put a copy
 *	at the same address (for example to have it in huge pages)
 */
enum late {
	LATE_FOREIGN,
	LATE_REMOVED,
	LATE_COPIED,
};

enum late hit_late(const struct site *site);

#endif /* _UPROBES_LATE_TRAP_H */
