/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read text of another address space.
 */
#ifndef _UPROBES_READ_H
#define _UPROBES_READ_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "arch.h"

/**
 * text_same() - check whether text is unchanged, except for breakpoints
 * @there: the text now
 * @text: the text before
 * @len: number of bytes of each
 *
 * Another probed instruction may begin inside this one, behind a prefix that a jump skips.
 */
static inline bool text_same(const u8 *there, const u8 *text, size_t len)
{
	while (len && (*there == *text || *there == ARCH_BREAKPOINT)) {
		there++;
		text++;
		len--;
	}
	return !len;
}

/**
 * struct text_reader - the state of reads at many places, which should be in ascending order
 * @mm: the address space, in use
 * @page: the page that was read last, with a reference; or NULL
 * @base: address of @page
 */
struct text_reader {
	struct mm_struct *mm;
	struct page *page;
	unsigned long base;
};

bool text_probeable(const struct vm_area_struct *vma);
const char *text_refusal(const struct vm_area_struct *vma);
bool text_bring(struct mm_struct *mm, unsigned long addr);
int text_reader_read(struct text_reader *reader, unsigned long addr, u8 *buf, size_t len);
void text_reader_end(struct text_reader *reader);
struct page *page_get(struct mm_struct *mm, unsigned long addr, unsigned int flags);

/* Tests replace this macro, to make it fail without page_get(). */
#ifndef text_page
#define text_page(mm, addr, flags)	page_get(mm, addr, flags)
#endif

#endif /* _UPROBES_READ_H */
