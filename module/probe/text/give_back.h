/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Give private pages of text back, where the file has the same.
 */
#ifndef _UPROBES_GIVE_BACK_H
#define _UPROBES_GIVE_BACK_H

struct mm_struct;
struct probed_mm;
struct text_edit;

unsigned long text_give_back(struct probed_mm *parent, struct mm_struct *mm, unsigned long start);
void text_give_back_edited(struct probed_mm *pmm, const struct text_edit *edits, unsigned int n);

#endif /* _UPROBES_GIVE_BACK_H */
