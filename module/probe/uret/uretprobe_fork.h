/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return probes: the calls of a process in its forked child.
 */
#ifndef _UPROBES_URETPROBE_FORK_H
#define _UPROBES_URETPROBE_FORK_H

struct mm_struct;
struct probed_mm;
struct uret_instance;
struct utask;

void uretprobe_adopt_files(struct uret_instance **copies, struct probed_mm *pmm,
			   const struct probed_mm *parent);
void uretprobe_restore(struct uret_instance **copies, struct mm_struct *mm);
void uretprobe_discard_later(struct uret_instance **copies);
void uretprobe_discard_flush(void);
void utask_copied_not(struct utask *utask);
void uretprobe_release(struct utask *utask);

#endif /* _UPROBES_URETPROBE_FORK_H */
