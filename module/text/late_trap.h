/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Traps at sites whose breakpoint is not, or no longer, there.
 */
#ifndef _UPROBES_LATE_TRAP_H
#define _UPROBES_LATE_TRAP_H

struct site;

/**
 * enum late - what a trap at a site that is not armed may be
 * @LATE_FOREIGN: somebody else's breakpoint is there
 * @LATE_REMOVED: none is; the trap was under way when ours was removed.  The
 *	task is to execute what is there now
 * @LATE_COPIED: ours is there, as the program has copied its own text to where
 *	it unmapped it (as is done to have it in huge pages)
 */
enum late {
	LATE_FOREIGN,
	LATE_REMOVED,
	LATE_COPIED,
};

enum late hit_late(const struct site *site);

#endif /* _UPROBES_LATE_TRAP_H */
