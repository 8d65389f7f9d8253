/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Give private pages of text back, where the file has the same.
 */
#ifndef _UPROBES_GIVE_BACK_H
#define _UPROBES_GIVE_BACK_H

struct mm_struct;
struct probed_mm;

unsigned long text_give_back(struct probed_mm *parent, struct mm_struct *mm, unsigned long start);

#endif /* _UPROBES_GIVE_BACK_H */
