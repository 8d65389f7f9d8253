/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the kernel calls the module where it has asked for that.
 *
 * Most of what the module learns of tasks and mappings it learns by kprobes. They can be
 * switched off behind its back (kprobes/enabled in debugfs; kernel.ftrace_enabled, for those at
 * the beginning of a function), and probes would harm programs then; a call can go unseen;
 * and a kernel can lack a function.
 */
#ifndef _UPROBES_HOOKS_H
#define _UPROBES_HOOKS_H

struct kprobe;
struct kretprobe;

/**
 * struct hook_ops - having the kernel's events followed, for those who cannot call events/
 *	as it calls them
 * @watch_tasks: follow fork, exec, exit and signals from now on; 0 or a negative errno
 * @watch_maps: one more wants to know of new mappings; 0 or a negative errno
 * @try_maps: whether new mappings are seen; 0 or a negative errno
 * @unwatch_maps: one less
 * @watch_syscalls: an instruction that makes system calls is going to be probed
 *
 * All may sleep.
 */
struct hook_ops {
	int (*watch_tasks)(void);
	int (*watch_maps)(void);
	int (*try_maps)(void);
	void (*unwatch_maps)(void);
	void (*watch_syscalls)(void);
};

extern const struct hook_ops *hook_ops;

int hooks_init(const struct hook_ops *ops);
void hooks_exit(void);
int hooks_check(void);
void hook_unseen(const char *function);
void hook_seen(void);
void hooks_watch(struct kprobe *kp);
void hooks_watch_return(struct kretprobe *rp);

#endif /* _UPROBES_HOOKS_H */
