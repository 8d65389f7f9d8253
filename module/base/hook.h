/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the kernel calls the module where it has asked for that.
 *
 * Most of what the module learns of tasks and mappings it learns by kprobes. They can be
 * switched off behind its back (kprobes/enabled in debugfs; kernel.ftrace_enabled, for those at
 * the beginning of a function), and probes would harm programs then; a call can go unseen;
 * and a kernel can lack a function.
 */
#ifndef _UPROBES_HOOK_H
#define _UPROBES_HOOK_H

struct kprobe;
struct kretprobe;

int hooks_init(void);
void hooks_exit(void);
int hooks_check(void);
void hook_unseen(const char *function);
void hook_seen(void);
void hooks_watch(struct kprobe *kp);
void hooks_watch_return(struct kretprobe *rp);

#endif /* _UPROBES_HOOK_H */
