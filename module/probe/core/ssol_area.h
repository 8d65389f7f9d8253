/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SSOL areas: mappings in which probed instructions execute out of line.
 *
 * An area is a private mapping of SSOL_AREA_SIZE bytes, readable and executable.  All areas map
 * the same file.  This file never changes: it is full of breakpoints.  The first breakpoint is the
 * return trampoline.  If a program discards its pages (MADV_DONTNEED), its slots become the others,
 * and SIGTRAP ends it.
 *
 * Slots are written like breakpoints.  The write makes a private copy of the page, which is charged
 * to the process.  A forked child has copies of these pages.  Parent and child do not see each
 * other's later writes.
 *
 * Slots are handed out one after the other.  A thread may sleep in a slot for any length of time.
 * So the room of a slot is used again only if no thread is found there (attach/reclaim.c).  When
 * the module is unloaded, the mapping stays: a thread may be there, and get a signal there, which
 * puts its address in a signal frame.  The file does not depend on code of the module.
 */
#ifndef _UPROBES_SSOL_AREA_H
#define _UPROBES_SSOL_AREA_H

#include "pmm_types.h"

/*
 * This memory is charged to the program.  At its limit, the program stays unprobed, and is not
 * killed for this.  The pages that slots are written to are allocated like any others of the
 * program.
 */
#define SSOL_GFP		(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

int ssol_area_init(void);
void ssol_area_exit(void);
struct ssol_area *ssol_area_create(struct mm_struct *mm, struct ssol_area *const *areas,
				   unsigned int nr, unsigned long near);
struct ssol_area *ssol_area_copy(const struct ssol_area *area, struct mm_struct *mm);
void ssol_area_free(struct ssol_area *area);
long ssol_area_map(struct mm_struct *mm, unsigned long base, bool inherited);
bool ssol_area_there(struct mm_struct *mm, unsigned long base);
long ssol_map_shared(struct mm_struct *mm, struct file *file, unsigned long *base,
		     unsigned long size);
int ssol_area_write(struct mm_struct *mm, unsigned long base, unsigned long addr, const u8 *code,
		    size_t len);
int ssol_area_emit(const struct ssol_area *area, const struct ssol_plan *plan, unsigned long addr,
		   bool step, u8 *code);

/* The address of the trampoline, to which a return-probed function returns. */
static inline unsigned long ssol_area_trampoline(const struct ssol_area *area)
{
	return area->base;
}

/* Check whether all slots in @area are within reach of text at @addr. */
static inline bool ssol_area_reaches(const struct ssol_area *area, unsigned long addr)
{
	unsigned long end = area->base + SSOL_AREA_SIZE;

	return (addr < area->base ? end - addr : addr - area->base) < ARCH_SLOT_REACH;
}

#endif /* _UPROBES_SSOL_AREA_H */
