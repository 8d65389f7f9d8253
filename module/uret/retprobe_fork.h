/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return probes: what a forked child gets of its parent's calls.
 */
#ifndef _UPROBES_RETPROBE_FORK_H
#define _UPROBES_RETPROBE_FORK_H

#include "retprobe.h"

void retprobe_adopt_files(struct uret_instance **copies, struct image *image,
			  const struct image *parent);
void retprobe_restore(struct uret_instance **copies, struct mm_struct *mm);
void retprobe_discard_later(struct uret_instance **copies);
void retprobe_discard_flush(void);
void utask_copied_not(struct utask *utask);
void retprobe_release(struct utask *utask);

#endif /* _UPROBES_RETPROBE_FORK_H */
