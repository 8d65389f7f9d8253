/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SSOL areas: where probed instructions execute out of line.
 *
 * An area is a private mapping, readable and executable, of SSOL_AREA_SIZE bytes of one
 * file that all areas are mappings of.  That file never changes: it is full of breakpoints, of
 * which the first is the return trampoline, and the others end a program that has given up its
 * slots.  Slots are written as breakpoints are, into pages that become
 * the process's own by that, and are charged to it.  A forked child has copies of them, and
 * what is written on either side later is not seen on the other.
 *
 * Slots are handed out one after the other and never taken back: a thread may sleep in a
 * slot, or hold its address in a signal frame, for as long as it likes.  The mapping stays
 * when the module goes, for the same reason; the file has none of the module's code behind
 * it.
 */
#ifndef _UPROBES_SSOL_AREA_H
#define _UPROBES_SSOL_AREA_H

#include <linux/mm_types.h>
#include <linux/rcupdate.h>

#include "arch.h"

struct site;

#define SSOL_AREA_SIZE		(256UL << 10)

/* Slots start at multiples of this, so that short ones share a cache line. */
#define SSOL_SLOT_ALIGN		16UL

/* Slots are listed in pieces, as most processes have few. */
#define SLOT_LIST		128
#define SLOT_LISTS		(SSOL_AREA_SIZE / SSOL_SLOT_ALIGN / SLOT_LIST)

/*
 * It is charged to the program. Where that may have no more, it is left unprobed, and not killed
 * for this; but the pages that slots are written to come as any others of its.
 */
#define SSOL_GFP		(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/**
 * struct slot_list - whose slots a part of an area holds
 * @sites: the site whose slot begins there, or NULL; only ever filled in
 */
struct slot_list {
	struct site __rcu *sites[SLOT_LIST];
};

/**
 * struct ssol_area - one area of one address space
 * @base: where it is mapped; constant
 * @used: bytes handed out, from the start of the area; under probed_mm::lock
 * @inherited: the address space was copied with it; constant
 * @lists: whose slots it holds; a list is made under probed_mm::lock when there is something to
 *	put in, and read under RCU
 *
 * Belongs to one image, and is freed with it.
 */
struct ssol_area {
	unsigned long base;
	unsigned long used;
	bool inherited;
	struct slot_list __rcu *lists[SLOT_LISTS];
};

int ssol_area_init(void);
void ssol_area_exit(void);
struct ssol_area *ssol_area_create(struct mm_struct *mm, struct ssol_area *const *areas,
				   unsigned int nr, unsigned long near);
struct ssol_area *ssol_area_copy(const struct ssol_area *area, struct mm_struct *mm);
void ssol_area_free(struct ssol_area *area);
long ssol_area_add_slot(struct ssol_area *area, struct mm_struct *mm,
			const struct ssol_plan *plan, unsigned long addr, bool step);

/* The address that a return-probed function returns to. */
static inline unsigned long ssol_area_trampoline(const struct ssol_area *area)
{
	return area->base;
}

/* Whether a slot in @area can stand for text at @addr. */
static inline bool ssol_area_reaches(const struct ssol_area *area, unsigned long addr)
{
	unsigned long end = area->base + SSOL_AREA_SIZE;

	return (addr < area->base ? end - addr : addr - area->base) < ARCH_SLOT_REACH;
}

#endif /* _UPROBES_SSOL_AREA_H */
