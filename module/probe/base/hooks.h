/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks that the kernel calls the module's hooks.
 *
 * The module follows tasks and mappings mostly by kprobes. Kprobes can be switched off without
 * notice: by kprobes/enabled in debugfs, or by kernel.ftrace_enabled if they are at the beginning
 * of a function. Probes would then harm programs. A kprobe can also miss a call, and a kernel can
 * lack a function.
 */
#ifndef _UPROBES_HOOKS_H
#define _UPROBES_HOOKS_H

struct kprobe;
struct kretprobe;

/**
 * struct hook_ops - functions of events/ for lower layers, which cannot call events/ directly
 * @watch_tasks: follow fork, exec, exit and signals from now on; 0 or a negative errno
 * @watch_maps: follow new mappings for one more user; 0 or a negative errno
 * @try_maps: check whether new mappings are seen; 0 or a negative errno
 * @unwatch_maps: undo one @watch_maps
 * @watch_syscalls: prepare for a probe on an instruction that makes system calls
 *
 * All of them may sleep.
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
void hook_missed(const char *function);
void hook_seen(void);
void hook_fault_seen(void);
bool hook_faults_seen(void);
void hooks_watch(struct kprobe *kp);
void hooks_watch_return(struct kretprobe *rp);

#endif /* _UPROBES_HOOKS_H */
