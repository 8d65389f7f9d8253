/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Decide which sites get a jump, and when it must go.
 *
 * A site that only counts gets a jump after some traps, so that processes that live for an instant
 * never pay for one.  A worker writes the jumps of a process together.
 *
 * A jump is erased before an event that could see it or conflict with it: a fork, a change of the
 * mapping, a read or write by a debugger, the kernel's uprobes, a probe that needs the trap.  The
 * site then has its breakpoint again, and everything goes on as if there were no jumps.
 */
#ifndef _UPROBES_JUMPS_H
#define _UPROBES_JUMPS_H

#include "core/jump_types.h"
#include "core/site.h"

/* The number of hits by a trap before a site may get a jump. */
extern u8 jump_after;

void jump_hot(struct site *site);

/* Note a hit that only counts.  Increments may be lost.  Context: interrupts off. */
static __always_inline void jump_heat(struct site *site)
{
	u8 after = READ_ONCE(jump_after), heat = READ_ONCE(site->heat);

	if (likely(heat >= after))
		return;
	WRITE_ONCE(site->heat, heat + 1);
	if (heat + 1 == after)
		jump_hot(site);
}

void jumps_exit(void);
bool jump_hidden_text(const struct vm_area_struct *vma);
void jumps_hide_text(struct probed_mm *pmm);
void jumps_allow(bool allowed);
bool jumps_are_allowed(void);
const char *jump_missing(const struct site *site);
void jumps_init(struct probed_mm *pmm);
void jumps_erase_for_read(struct probed_mm *pmm, unsigned long start, unsigned long end);
void jumps_end_counting(struct probed_mm *pmm, struct site **sites, unsigned int n, bool in_use);
void jumps_erase_barred(struct probed_mm *pmm);
void jumps_end_recording(struct probed_mm *pmm);
void jumps_erase_range(struct probed_mm *pmm, unsigned long start, unsigned long end);

#endif /* _UPROBES_JUMPS_H */
