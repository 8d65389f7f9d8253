/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probe handlers.
 */
#ifndef _TRACER_HIT_H
#define _TRACER_HIT_H

#include <uprobes/uprobes.h>

void tracer_hit_ring(struct uprobe *u, struct pt_regs *regs);
void tracer_hit_entry(struct uprobe *u, struct pt_regs *regs);
void tracer_hit_entry_task(struct uprobe *u, struct pt_regs *regs);
void tracer_hit_return(struct uretprobe_instance *ri, struct pt_regs *regs);
void tracer_hit_return_task(struct uretprobe_instance *ri, struct pt_regs *regs);

#endif /* _TRACER_HIT_H */
