/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of an address space that are under way.
 */
#ifndef _UPROBES_FORK_MARK_H
#define _UPROBES_FORK_MARK_H

#include <linux/types.h>

struct image;

bool image_forks(struct image *image);

#endif /* _UPROBES_FORK_MARK_H */
