/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Return probes: handle a return to the trampoline.
 */
#ifndef _UPROBES_URETPROBE_RETURN_H
#define _UPROBES_URETPROBE_RETURN_H

#include <linux/types.h>

struct probed_mm;
struct pt_regs;
struct site;
struct utask;

bool handle_trampoline(struct site *trampoline, struct pt_regs *regs);
void uretprobe_search(struct utask *utask, struct pt_regs *regs);
void uretprobe_run_sleepable(struct utask *utask, struct pt_regs *regs);
void uretprobe_drop_returning(struct utask *utask);
unsigned long uretprobe_released(struct probed_mm *pmm, const struct pt_regs *regs);

#endif /* _UPROBES_URETPROBE_RETURN_H */
