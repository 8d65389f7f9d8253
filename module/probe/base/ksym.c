// SPDX-License-Identifier: GPL-2.0
/*
 * Names and lookup of kernel symbols that are not exported.  No other file of uprobes.ko looks them
 * up.
 */
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "ksym.h"
#include "compat.h"

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
 * ksym_tracepoint() - look up a tracepoint of the kernel proper
 * @name: its name
 *
 * Context: may sleep.
 * Return: the tracepoint, which is never freed, or NULL.
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
 * ksym_redirect() - register a kprobe whose handler may change the ip
 * @kp: has a name and a handler; only this function may register it again
 *
 * The kernel may optimise a kprobe that is a breakpoint into a jump, which ignores a changed ip.
 * A post_handler prevents that.
 *
 * A kprobe that ftrace calls follows the ip, and must not have a post_handler.  If another kprobe
 * on the function has none, disarm_kprobe_ftrace() of kernel/kprobes.c would look for ours in the
 * wrong list, and leave it armed.  Without a post_handler, live patches and BPF programs (fexit)
 * on the function are not disturbed either.
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
 * ksym_permission() - look up the kernel function that says who may access another process
 * @addr: set to its address, for arch_call_sealed()
 *
 * Its arguments are the task and a mode, PTRACE_MODE_*.  It returns a bool, and does not sleep
 * except with PREEMPT_RT.
 *
 * Context: may sleep.
 * Return: 0 or a negative errno; -ENOENT if the kernel lacks it.
 */
int ksym_permission(unsigned long *addr)
{
	struct kprobe kp = { .symbol_name = "ptrace_may_access", .flags = KPROBE_FLAG_DISABLED };
	int ret = register_kprobe(&kp);

	if (ret)
		return ret;
	*addr = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	return 0;
}

/**
 * ksym_map_function() - name the kernel function that is called for new mappings
 *
 * The kernel calls it once for each new mapping, and for each mapping whose protection has
 * changed.  The vm_area_struct is its only argument.  The mmap lock is held for writing.
 * The kernel does not call uprobe_mmap() for a changed protection.
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_map_function(void)
{
	return "perf_event_mmap";
}

/**
 * ksym_fork_function() - name the kernel function that creates a child
 *
 * The function copies the address space.  If the task sleeps on the way to the fork event, it
 * does so before the function returns.
 *
 * Return: its name, for a kretprobe.
 */
const char *ksym_fork_function(void)
{
	return "copy_process";
}

/**
 * ksym_signal_function() - name the kernel function that looks at a task's signals
 *
 * The task calls it on its way to user mode, before a signal frame, a debugger or a core dump
 * sees the task's user registers.  The function runs the task work first.
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_signal_function(void)
{
	return "get_signal";
}

/**
 * ksym_ptrace_function() - name the kernel function in which a task stops for its
 *	tracer, other than for a signal
 *
 * The task calls it at system calls and other events, before the tracer sees the task's user
 * registers.
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_ptrace_function(void)
{
	return "ptrace_notify";
}

/**
 * ksym_syscall_filter_function() - name a kernel function that may judge a system call by its ip
 * @i: 0 for filters of seccomp, 1 for syscall user dispatch
 *
 * The task calls it with its user registers as the system call has left them, and only if it has
 * a filter or uses the dispatch.
 *
 * Return: a name, for a kprobe.
 */
const char *ksym_syscall_filter_function(unsigned int i)
{
	return i ? "syscall_user_dispatch" : COMPAT_SECCOMP_FUNCTION;
}

/**
 * ksym_fault_function() - name the kernel function that may fix up a fault of a program
 *
 * The kernel calls it before it sends a signal for a page fault or a general protection fault in
 * user mode, so that code of the vDSO may handle the fault.  If it returns true, there is no
 * signal.  Its arguments are the user registers, the number of the exception, its error code, and
 * the address.  The kernel does not call it for a fault that it can resolve.
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_fault_function(void)
{
	return "fixup_vdso_exception";
}

/**
 * ksym_userfault_function() - name the kernel function in which a fault waits for a program
 *
 * The task that has the fault calls it.  A kernel without userfaultfd() lacks the function.
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_userfault_function(void)
{
	return "handle_userfault";
}

/**
 * ksym_rseq_function() - name the kernel function that looks at a restartable
 *	sequence
 * @i: 0, or 1 for kernels without the first
 *
 * The task calls the first function on its way to user mode after a context switch, but also
 * after any task work.  The function ends the sequence if the ip is outside of it.
 *
 * Since 6.19 ("rseq: ... generic entry") the kernel does that in the last steps to user mode, and
 * only after a context switch or if membarrier() asks for it.  The second function is the
 * interrupt by which membarrier() asks.
 *
 * Return: its name, for a kprobe.
 */
const char *ksym_rseq_function(unsigned int i)
{
	return i ? "ipi_rseq" : "__rseq_handle_notify_resume";
}

/**
 * ksym_text_function() - name a kernel function that must not act on our breakpoints
 * @i: 0 removes a breakpoint of the kernel's uprobes; 1, since 6.18, replaces such a breakpoint by
 *	a call, at a hit of the current task; 2 sends the current task a signal for a breakpoint
 *	that has no owner
 *
 * A kernel without uprobes has only the last one.
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
 * ksym_access_function() - name a kernel function that accesses or changes memory of a process
 * @i: 0 for files of /proc; 1 for ptrace(); 2 inserts a breakpoint of the kernel's uprobes, if the
 *	kernel has them; 3 comes before process_vm_readv() and process_vm_writev(); 4 maps memory,
 *	and takes no lock before
 *
 * Return: a name, for a kretprobe or a kprobe.
 */
const char *ksym_access_function(unsigned int i)
{
	static const char * const names[] = {
		"access_remote_vm",
		"ptrace_access_vm",
		"set_swbp",
		"mm_access",
		"vm_mmap_pgoff",
	};

	return names[i];
}

/**
 * ksym_sigreturn_function() - name a system call by which a signal handler returns
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

/**
 * ksym_clock_function() - name a kernel function by which a task gives up reading the clock
 * @i: 0 for prctl(PR_SET_TSC); 1 for seccomp's strict mode
 *
 * Return: a name, for a kprobe.
 */
const char *ksym_clock_function(unsigned int i)
{
	return i ? "disable_TSC" : "set_tsc_mode";
}
