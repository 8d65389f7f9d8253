// SPDX-License-Identifier: GPL-2.0
/*
 * The only resolver of kernel symbols that are not exported.
 */
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "ksym.h"

struct tracepoint_query {
	const char *name;
	struct tracepoint *found;
};

static void tracepoint_match(struct tracepoint *tp, void *data)
{
	struct tracepoint_query *query = data;

	if (!strcmp(tp->name, query->name))
		query->found = tp;
}

/**
 * ksym_tracepoint() - a tracepoint of the kernel proper
 * @name: its name
 *
 * Context: may sleep.
 * Return: the tracepoint, which stays for ever, or NULL.
 */
struct tracepoint *ksym_tracepoint(const char *name)
{
	struct tracepoint_query query = { .name = name };

	for_each_kernel_tracepoint(tracepoint_match, &query);
	return query.found;
}

static void redirect_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
}

/**
 * ksym_redirect() - register a kprobe whose handler may have the kernel go on elsewhere
 * @kp: with a name and a handler; registered again by this function only
 *
 * A kprobe that is a breakpoint may be optimised into a jump, which ignores a changed ip; a
 * post_handler keeps it from being.  One that is a call of ftrace's follows the ip, and must
 * not have a post_handler: beside somebody else's kprobe without one,
 * disarm_kprobe_ftrace() of kernel/kprobes.c would look for it in the wrong list, and leave
 * it armed.  Live patches and BPF programs (fexit) on the function are not disturbed then.
 *
 * Context: may sleep.
 * Return: 0 or a negative errno.
 */
int ksym_redirect(struct kprobe *kp)
{
	struct kprobe fresh = { .symbol_name = kp->symbol_name, .pre_handler = kp->pre_handler };
	int ret;

	*kp = fresh;
	ret = register_kprobe(kp);
	if (ret || kp->flags & KPROBE_FLAG_FTRACE)
		return ret;
	unregister_kprobe(kp);
	*kp = fresh;
	kp->post_handler = redirect_post;
	return register_kprobe(kp);
}

/**
 * ksym_map_function() - the kernel function to which new mappings are shown
 *
 * It is called with the vm_area_struct as its only argument, once for each new
 * mapping and each one whose protection has changed, with the mmap lock held
 * for writing.  uprobe_mmap() is not told of the latter.
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_map_function(void)
{
	return "perf_event_mmap";
}

/**
 * ksym_fork_function() - the kernel function that makes a child
 *
 * It copies the address space, and what sleeps on the way to the fork event
 * does so before it returns.
 *
 * Return: its name, for a kretprobe.
 */
const char *ksym_fork_function(void)
{
	return "copy_process";
}

/**
 * ksym_signal_function() - the kernel function that looks at a task's signals
 *
 * It is called by the task on its way to user mode, before anybody (signal
 * frame, debugger, core dump) sees the task's user registers, and runs its
 * task work first.
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_signal_function(void)
{
	return "get_signal";
}

/**
 * ksym_ptrace_function() - the kernel function in which a task stops for its
 *	tracer, other than for a signal
 *
 * It is called by the task itself at system calls and other events, before the
 * tracer sees its user registers.
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_ptrace_function(void)
{
	return "ptrace_notify";
}

/**
 * ksym_syscall_filter_function() - kernel functions that judge a system call by where it is made
 * @i: 0, the one for filters of seccomp, or 1, the one for the user's dispatch
 *
 * They are called by the task itself, with its user registers as the call has left them,
 * when there is something to judge by.
 *
 * Return: a name, for a kprobe.
 */
const char *ksym_syscall_filter_function(unsigned int i)
{
	return i ? "syscall_user_dispatch" : "__secure_computing";
}

/**
 * ksym_userfault_function() - the kernel function in which a fault waits for another program
 *
 * It is called by the task itself, and is not in a kernel without userfaultfd().
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_userfault_function(void)
{
	return "handle_userfault";
}

/**
 * ksym_rseq_function() - the kernel function that looks at a restartable
 *	sequence
 * @i: 0, or 1 for kernels without the first
 *
 * The first is called by the task on its way to user mode after a context
 * switch, but also with any task work; it ends the sequence when the ip is
 * elsewhere.  Since 6.19 ("rseq: ... generic entry") that is done on the last
 * steps to user mode, and only after a context switch and when membarrier()
 * asks for it, which the second is the interrupt for.
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_rseq_function(unsigned int i)
{
	return i ? "ipi_rseq" : "__rseq_handle_notify_resume";
}

/**
 * ksym_text_function() - kernel functions that are not to do what they would to our breakpoints
 * @i: of its own uprobes 0, the one that takes a breakpoint out, and 1, since 6.18, the one
 *	that a task calls at a hit of its own to make a call of a breakpoint; 2, the one by
 *	which a task sends itself a signal for a breakpoint that is nobody's
 *
 * A kernel without uprobes has but the last.
 *
 * Return: a name, for a kprobe.
 */
const char *ksym_text_function(unsigned int i)
{
	static const char * const names[] = {
		"set_orig_insn",
		"arch_uprobe_optimize",
		"force_sig",
	};

	return names[i];
}

/**
 * ksym_access_function() - kernel functions by which others reach into memory
 * @i: 0, the one for files of /proc; 1, the one for ptrace(); or 2, the one by which the
 *	kernel's own uprobes, where there are any, put a breakpoint in
 *
 * Return: a name, for a kretprobe.
 */
const char *ksym_access_function(unsigned int i)
{
	static const char * const names[] = {
		"access_remote_vm",
		"ptrace_access_vm",
		"set_swbp",
	};

	return names[i];
}

/**
 * ksym_callchain_function() - the kernel function that unwinds a program's stack for perf and BPF
 *
 * Return: its name, for a kretprobe.
 */
const char *ksym_callchain_function(void)
{
	return "perf_callchain_user";
}

/**
 * ksym_sigreturn_function() - system calls by which signal handlers return
 * @i: 0 to 3
 *
 * Return: a name, for a kprobe.
 */
const char *ksym_sigreturn_function(unsigned int i)
{
	static const char * const names[] = {
		"__x64_sys_rt_sigreturn",
		"__ia32_compat_sys_rt_sigreturn",
		"__ia32_compat_sys_sigreturn",
		"__x64_compat_sys_x32_rt_sigreturn",
	};

	return names[i];
}
