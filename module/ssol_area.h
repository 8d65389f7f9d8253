/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SSOL areas: where probed instructions execute out of line.
 *
 * An area is a shmem file of SSOL_AREA_SIZE bytes, mapped private, readable
 * and executable into one address space, and into those that were forked from
 * it since, at the same address.  It starts with the return trampoline, after
 * which slots are handed out one after the other and never taken back: a
 * thread may sleep in a slot, or hold its address in a signal frame, for as
 * long as it likes.  The mapping stays when the module goes, for the same
 * reason; the file has none of the module's code behind it.
 *
 * struct ssol_area is reference counted by the images that hand out its slots;
 * with the last one it lets go of the file, which lives on in its mappings.
 */
#ifndef _UPROBES_SSOL_AREA_H
#define _UPROBES_SSOL_AREA_H

#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/refcount.h>

#include "arch.h"

#define SSOL_AREA_SIZE		(256UL << 10)

/* Slots start at multiples of this, so that short ones share a cache line. */
#define SSOL_SLOT_ALIGN		16UL

/**
 * struct ssol_area - one area
 * @refs: images that use it
 * @file: what is mapped
 * @base: where, in every address space that has it
 * @lock: protects @used and the writing of slots
 * @used: bytes handed out, from the start of the area
 * @page: the page that was written last, dirty and with a reference; or NULL
 * @page_nr: which one that is
 */
struct ssol_area {
	refcount_t refs;
	struct file *file;
	unsigned long base;
	struct mutex lock;
	unsigned long used;
	struct page *page;
	pgoff_t page_nr;
};

struct ssol_area *ssol_area_create(struct mm_struct *mm, unsigned long near);
bool ssol_area_mapped(const struct ssol_area *area, struct mm_struct *mm);
struct ssol_area *ssol_area_get(struct ssol_area *area);
void ssol_area_put(struct ssol_area *area);
long ssol_area_add_slot(struct ssol_area *area, const struct ssol_plan *plan,
			unsigned long addr, bool step);

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
