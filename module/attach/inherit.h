/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a forked child has of its parent's breakpoints, and keeps.
 */
#ifndef _UPROBES_INHERIT_H
#define _UPROBES_INHERIT_H

#include "core/image.h"

struct copy_mark;
struct utask;

int image_inherit(struct image *child, struct image *parent, const struct copy_mark *copied);
void image_inherit_consumers(struct image *child, struct image *parent);
void image_disinherit(struct image *parent, struct mm_struct *mm, const struct copy_mark *copied);
void image_copy_begins(struct image *parent, unsigned long start);
void image_fork_begins(struct image *parent, struct utask *utask, struct copy_mark *copied);
void image_fork_ends(struct image *parent);

#endif /* _UPROBES_INHERIT_H */
