// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching to kernel events on behalf of the other files.  All events arrive where nothing may
 * sleep.  Work that has to sleep is deferred to task work of the task concerned, which runs
 * before the task runs user code.
 *
 * The module attaches to the task events with the first probe, and detaches when it is unloaded:
 * calls of return-probed functions outlive their probes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/task.h>

#include "task_events.h"
#include "arch.h"
#include "foreign.h"
#include "forks.h"
#include "rseq.h"
#include "syscall_filter.h"
#include "attach/fork.h"
#include "attach/mapping.h"
#include "attach/unwinder.h"
#include "base/compat.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "base/reserve.h"
#include "core/probe_file.h"
#include "core/probed_mm.h"
#include "core/task.h"
#include "jump/jump.h"
#include "jump/ring.h"
#include "trap/pad_fault.h"
#include "trap/resumption.h"
#include "trap/signal.h"
#include "uret/uretprobe.h"
#include "uret/uretprobe_fork.h"

/*
 * Number of children that may exist and have not run yet.  For more children, memory is
 * allocated, which a real-time kernel cannot do where forks are reported.
 */
#define FORK_RESERVE	(IS_ENABLED(CONFIG_PREEMPT_RT) ? 1024 : 64)

/**
 * struct fork_event - work that a forked child has to do
 * @work: run by the child before it runs user code
 * @parent: probed mm of the parent, with a reference; NULL if it has none, and
 *	a registration may have missed the child
 * @copied: from pmm_fork_begins()
 * @calls: copies of the calls of the parent (calls.h)
 */
struct fork_event {
	struct callback_head work;
	struct probed_mm *parent;
	struct copy_mark copied;
	struct uret_instance *calls;
};

static struct reserve fork_reserve;

/* Protects tasks_watched. */
static DEFINE_MUTEX(watch_mutex);
static bool tasks_watched;

static void fork_work(struct callback_head *work)
{
	struct fork_event *event = container_of(work, struct fork_event, work);
	struct mm_struct *mm = current->mm;
	struct probed_mm *child = NULL;
	bool applied = false, removed;

	if (!mm) {
		uretprobe_discard_later(&event->calls);
		goto out;
	}

	if (!event->parent) {
		mapping_apply(mm);
		goto out;
	}
	if (probe_files_any() || READ_ONCE(event->parent->attached.heirs)) {
		child = pmm_get(mm);
		if (IS_ERR(child))
			child = NULL;
	} else {
		child = pmm_find(mm);
	}
	if (child && !pmm_fork(child, event->parent, &event->copied)) {
		mapping_apply(mm);
		applied = true;
		pmm_fork_consumers(child, event->parent);
	} else if (READ_ONCE(event->parent->attached.heirs)) {
		pr_warn_ratelimited("no memory: process %d is not probed as its parent is\n",
				    current->tgid);
	}
	if (event->calls && child && child->uret.trampoline == event->parent->uret.trampoline) {
		/* If the return probes are gone, nothing else watches the child's unwinders. */
		unwinder_watch_now(child);
		uretprobe_adopt_files(&event->calls, child, event->parent);
		unwinder_watched(child);
		unwinder_sweep();
	} else {
		uretprobe_restore(&event->calls, mm);
	}
	removed = pmm_fork_restore(event->parent, mm, &event->copied);
	/* A tracer may look at the registers before any code of the program is executed. */
	signal_forked(event->parent);
	if (child) {
		/* Once more, for places where the parent's breakpoints were in the way. */
		if (removed || !applied)
			mapping_apply(mm);
		pmm_put(child);
	}
out:
	if (event->parent) {
		pmm_fork_ends(event->parent);
		pmm_put(event->parent);
	}
	if (!reserve_refill(&fork_reserve, event))
		kfree(event);
	task_work_end();
}

/*
 * Queue the work of a child that has copies of its parent's breakpoints and exchanged return
 * addresses.  Called before the child can run; takes over the reference of @pmm.
 */
static void fork_copied(struct task_struct *child, struct utask *utask, struct probed_mm *pmm)
{
	struct fork_event *event = reserve_take(&fork_reserve);

	if (!event && !IS_ENABLED(CONFIG_PREEMPT_RT))
		event = kmalloc(sizeof(*event), GFP_ATOMIC | __GFP_NOWARN | __GFP_ACCOUNT);
	if (!event)
		goto lost;
	event->parent = pmm;
	pmm_fork_begins(pmm, utask, &event->copied);
	event->calls = utask ? utask->fork.calls : NULL;
	if (utask)
		utask->fork.calls = NULL;
	if (!task_work_begin(child, &event->work, fork_work))
		return;
	if (pmm)
		pmm_fork_ends(pmm);
	if (utask)
		utask->fork.calls = event->calls;
	reserve_give(&fork_reserve, event);
lost:
	if (utask)
		utask_copied_not(utask);
	pr_warn("no memory: process %d keeps the breakpoints of its parent\n",
		task_tgid_nr(child));
	if (pmm)
		pmm_put_not_last(pmm);
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct utask *utask;
	struct probed_mm *pmm;
	bool spreading;

	/* A child that shares the address space shares its calls. */
	if (!child->mm || child->mm == parent->mm)
		return;
	utask = utask_find(parent);
	spreading = mapping_spreading();
	/* See the probed mm of a registration that has just ended; pairs with mapping_await(). */
	smp_rmb();
	pmm = pmm_find(parent->mm);
	if (pmm || spreading)
		fork_copied(child, utask, pmm);
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm)
{
	struct utask *utask = utask_find(task);

	if (utask) {
		utask->mm = task->mm;
		utask_copied_not(utask);
		signal_exec(utask, task_pt_regs(task));
	}
}

static void task_exits(void *data, struct task_struct *task)
{
	struct utask *utask = utask_find(task);
	unsigned long flags;

	/* It loses its ids soon. */
	local_irq_save(flags);
	rings_empty_here();
	local_irq_restore(flags);
	if (utask)
		utask_drop(utask);
}

COMPAT_EXIT_HOOK(on_exit, task_exits)

static int on_signals(struct kprobe *kp, struct pt_regs *regs)
{
	struct utask *utask;
	bool waits;

	hook_seen();
	if (!current->mm || current->flags & PF_KTHREAD)
		return 0;
	waits = signal_prepare(task_pt_regs(current), true);
	/* signal_prepare() may have made the utask. */
	utask = utask_find(current);
	if (utask)
		utask->signals.looked = true;
	if (!waits)
		return 0;
	/* The function returns 0: there is no signal. */
	arch_return_zero(regs);
	return 1;
}

static struct kprobe signal_kprobe;

static int on_ptrace(struct kprobe *kp, struct pt_regs *regs)
{
	signal_show();
	return 0;
}

static struct kprobe ptrace_kprobe;

static int on_userfault(struct kprobe *kp, struct pt_regs *regs)
{
	signal_fault_waits();
	return 0;
}

static struct kprobe userfault_kprobe;

static void forbid_work(struct callback_head *work)
{
	struct utask *utask = container_of(work, struct utask, forbid.work);
	struct probed_mm *pmm = current->mm ? pmm_find(current->mm) : NULL;

	utask->forbid.queued = false;
	if (pmm) {
		jumps_end_recording(pmm);
		pmm_put(pmm);
	}
	utask_work_done(utask);
	task_work_end();
}

static int on_forbid(struct kprobe *kp, struct pt_regs *regs)
{
	struct probed_mm *pmm;
	struct utask *utask;
	bool forbids;

	rcu_read_lock();
	pmm = current->mm ? pmm_lookup(current->mm) : NULL;
	forbids = pmm && ring_forbid(pmm);
	rcu_read_unlock();
	if (!forbids)
		return 0;
	utask = utask_get_aside(current);
	if (!utask) {
		pr_warn_ratelimited("no memory: process %d must not read the clock any more, and may die of it\n",
				    task_tgid_nr(current));
		return 0;
	}
	if (utask->forbid.queued)
		return 0;
	utask->forbid.queued = true;
	/* If the task does not run user code any more, it needs none. */
	if (task_work_begin(current, &utask->forbid.work, forbid_work))
		utask->forbid.queued = false;
	return 0;
}

static struct kprobe clock_kprobes[2];

static int on_fault(struct kprobe *kp, struct pt_regs *regs)
{
	struct pt_regs *user;
	bool paged, fetch;

	user = arch_fault_regs(regs, &paged, &fetch);
	if (!user)
		return 0;
	if (paged)
		hook_fault_seen();
	if (!pad_fault(user, fetch))
		return 0;
	/* The fault is fixed up. */
	arch_return_true(regs);
	return 1;
}

static struct kprobe fault_kprobe;

static void on_generate(void *data, int sig, struct kernel_siginfo *info, struct task_struct *task,
			int group, int result)
{
	if (task != current || !current->mm)
		return;
	signal_translate(sig);
	if (sig == SIGTRAP)
		signal_passed_on(info);
}

static void on_deliver(void *data, int sig, struct kernel_siginfo *info, struct k_sigaction *ka)
{
	if (!current->mm)
		return;
	signal_delivered(task_pt_regs(current));
	if (ka->sa.sa_handler != SIG_IGN && ka->sa.sa_handler != SIG_DFL)
		signal_handled(task_pt_regs(current), ka->sa.sa_flags & SA_RESTART);
}

static void on_switch(void *data, bool preempt, struct task_struct *prev,
		      struct task_struct *next, unsigned int prev_state)
{
	if (prev->mm && !(prev->flags & (PF_KTHREAD | PF_EXITING)))
		signal_preempted(task_pt_regs(prev));
	rings_switch(next);
}

/* The hits so far are of a thread with the old name. */
static void on_rename(void *data, struct task_struct *task, const char *comm)
{
	unsigned long flags;

	if (task != current)
		return;
	local_irq_save(flags);
	rings_empty_here();
	local_irq_restore(flags);
}

/* The returns from a signal handler: 64-bit, two of 32-bit programs, and that of x32. */
static struct kprobe sigreturn_kprobes[4];

static int on_sigreturn(struct kprobe *kp, struct pt_regs *regs)
{
	unsigned long ip = kp == &sigreturn_kprobes[0] ? arch_sigreturn_ip() : 0;

	signal_returns(ip ?: SIGNAL_ANYWHERE);
	return 0;
}

/**
 * struct task_event - a tracepoint of the kernel proper
 * @name: its name
 * @fn: the function that it calls
 * @tp: the tracepoint
 */
struct task_event {
	const char *name;
	void *fn;
	struct tracepoint *tp;
};

static struct task_event task_events[] = {
	{ .name = "sched_process_fork", .fn = on_fork },
	{ .name = "sched_process_exec", .fn = on_exec },
	{ .name = "sched_process_exit", .fn = on_exit },
	{ .name = "signal_generate", .fn = on_generate },
	{ .name = "signal_deliver", .fn = on_deliver },
	{ .name = "sched_switch", .fn = on_switch },
	{ .name = "task_rename", .fn = on_rename },
};

/* Compare the types with those of the kernel's headers: CONFIG_CFI_CLANG checks them in calls. */
static void task_events_check(void)
{
	check_trace_callback_type_sched_process_fork(on_fork);
	check_trace_callback_type_sched_process_exec(on_exec);
	check_trace_callback_type_sched_process_exit(on_exit);
	check_trace_callback_type_signal_generate(on_generate);
	check_trace_callback_type_signal_deliver(on_deliver);
	check_trace_callback_type_sched_switch(on_switch);
	check_trace_callback_type_task_rename(on_rename);
}

static void task_events_detach(unsigned int n)
{
	while (n--)
		tracepoint_probe_unregister(task_events[n].tp, task_events[n].fn, NULL);
	tracepoint_synchronize_unregister();
}

static int tracepoints_attach(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(task_events); i++) {
		/* Before those of clients, which may forget a task that exits. */
		ret = tracepoint_probe_register_prio(task_events[i].tp, task_events[i].fn, NULL,
						     TRACEPOINT_DEFAULT_PRIO + 1);
		if (ret) {
			task_events_detach(i);
			return ret;
		}
	}
	return 0;
}

/* Without these kprobes nothing can be probed. */
static int signal_kprobes_attach(void)
{
	int ret;

	signal_kprobe.symbol_name = ksym_signal_function();
	signal_kprobe.pre_handler = on_signals;
	ret = ksym_redirect(&signal_kprobe);
	if (ret) {
		pr_err("a kprobe on %s() failed, error %d\n", ksym_signal_function(), ret);
		return ret;
	}
	/* A ptrace stop in the middle of a system call shows the registers, too. */
	ptrace_kprobe = (struct kprobe) {
		.symbol_name = ksym_ptrace_function(),
		.pre_handler = on_ptrace,
	};
	ret = register_kprobe(&ptrace_kprobe);
	if (ret) {
		pr_err("a kprobe on %s() failed, error %d\n", ksym_ptrace_function(), ret);
		unregister_kprobe(&signal_kprobe);
		return ret;
	}
	return 0;
}

static void signal_kprobes_detach(void)
{
	unregister_kprobe(&ptrace_kprobe);
	unregister_kprobe(&signal_kprobe);
}

/* Attach to a function that not every kernel has.  @redirects: the handler may change the ip. */
static void optional_attach(struct kprobe *kp, const char *function, kprobe_pre_handler_t handler,
			    bool redirects)
{
	*kp = (struct kprobe) { .symbol_name = function, .pre_handler = handler };
	if (redirects ? ksym_redirect(kp) : register_kprobe(kp))
		kp->symbol_name = NULL;
	else
		hooks_watch(kp);
}

static void optional_detach(struct kprobe *kp)
{
	if (kp->symbol_name)
		unregister_kprobe(kp);
}

/**
 * task_events_watch() - attach to fork, exec, exit and signals, once
 *
 * Context: may sleep.
 * Return: 0 or a negative errno; -EOPNOTSUPP if kprobes are switched off, or one was bypassed.
 */
int task_events_watch(void)
{
	unsigned int i;
	int ret = hooks_check();

	if (ret)
		return ret;
	mutex_lock(&watch_mutex);
	if (tasks_watched)
		goto unlock;
	ret = tracepoints_attach();
	if (ret)
		goto unlock;
	ret = signal_kprobes_attach();
	if (ret)
		goto detach;
	ret = foreign_watch();
	if (ret)
		goto detach_signals;
	hooks_watch(&signal_kprobe);
	hooks_watch(&ptrace_kprobe);
	forks_watch();
	rseq_watch();
	optional_attach(&userfault_kprobe, ksym_userfault_function(), on_userfault, false);
	optional_attach(&fault_kprobe, ksym_fault_function(), on_fault, true);
	for (i = 0; i < ARRAY_SIZE(sigreturn_kprobes); i++)
		optional_attach(&sigreturn_kprobes[i], ksym_sigreturn_function(i), on_sigreturn,
				false);
	for (i = 0; i < ARRAY_SIZE(clock_kprobes); i++)
		optional_attach(&clock_kprobes[i], ksym_clock_function(i), on_forbid, false);
	tasks_watched = true;
	goto unlock;

detach_signals:
	signal_kprobes_detach();
detach:
	task_events_detach(ARRAY_SIZE(task_events));
unlock:
	mutex_unlock(&watch_mutex);
	return ret;
}

int task_events_init(void)
{
	unsigned int i;

	task_events_check();
	for (i = 0; i < ARRAY_SIZE(task_events); i++) {
		task_events[i].tp = ksym_tracepoint(task_events[i].name);
		if (!task_events[i].tp) {
			pr_err("this kernel has no tracepoint %s\n", task_events[i].name);
			return -ENODEV;
		}
	}
	return reserve_init(&fork_reserve, sizeof(struct fork_event), FORK_RESERVE);
}

/**
 * task_events_exit() - detach from all events
 *
 * On return no event is being handled, but work that an event has begun may be running.
 *
 * Context: may sleep.
 */
void task_events_exit(void)
{
	unsigned int i;

	if (tasks_watched) {
		forks_unwatch();
		foreign_exit();
		rseq_unwatch();
		syscall_unwatch();
		optional_detach(&userfault_kprobe);
		optional_detach(&fault_kprobe);
		for (i = 0; i < ARRAY_SIZE(sigreturn_kprobes); i++)
			optional_detach(&sigreturn_kprobes[i]);
		for (i = 0; i < ARRAY_SIZE(clock_kprobes); i++)
			optional_detach(&clock_kprobes[i]);
		signal_kprobes_detach();
		task_events_detach(ARRAY_SIZE(task_events));
	}
	reserve_exit(&fork_reserve);
}
