// SPDX-License-Identifier: GPL-2.0
/*
 * Signals and tasks that execute out of line.
 */
#include <linux/freezer.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "signal.h"
#include "arch.h"
#include "out_of_line.h"
#include "resumption.h"
#include "ssol.h"
#include "base/compat.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/slots.h"
#include "core/task.h"
#include "jump/pad_area.h"
#include "jump/pad_trap.h"
#include "jump/ring.h"
#include "uret/uretprobe_return.h"

/*
 * Check whether a fault is among the pending signals of the current task.  @begun: the
 * instruction of the hit has been executed in part, so a SIGTRAP is that of a watchpoint.  The
 * debug exception of a watchpoint comes behind its instruction (Intel SDM 3B, 18.3), so its
 * signal can be delayed.
 */
static bool fault_pending(bool begun)
{
	const unsigned long faults = sigmask(SIGSEGV) | sigmask(SIGBUS) | sigmask(SIGILL) |
				     sigmask(SIGFPE) | sigmask(SIGSYS) |
				     (begun ? 0 : sigmask(SIGTRAP));

	/* Faults are sent to the thread, not to the process; a blocked one is not delivered. */
	return READ_ONCE(current->pending.signal.sig[0]) & ~current->blocked.sig[0] & faults;
}

/* Check whether the current task is being stopped by SIGSTOP, which cannot be blocked. */
static bool stop_pending(void)
{
	return (READ_ONCE(current->pending.signal.sig[0]) |
		READ_ONCE(current->signal->shared_pending.signal.sig[0])) & sigmask(SIGSTOP);
}

/*
 * Check whether the signals of the current task can be delayed by one instruction.  A fault
 * cannot: it may be the instruction's own.  Nor can anything that ends, stops or freezes the
 * task, or that the kernel itself wants done.  @begun as for fault_pending().
 */
static bool signals_can_wait(bool begun)
{
	return !fault_pending(begun) && !__fatal_signal_pending(current) && !stop_pending() &&
	       !test_thread_flag(TIF_NOTIFY_SIGNAL) && !freezing(current) &&
	       !(READ_ONCE(current->jobctl) & (JOBCTL_PENDING_MASK | JOBCTL_TRAP_FREEZE));
}

/* Set before tasks are released.  Read with interrupts off: before the machine stops, or after. */
static bool delays_over;

/**
 * signal_delay_no_more() - delay no signal from the next stop of the machine on
 *
 * Context: any.
 */
void signal_delay_no_more(void)
{
	WRITE_ONCE(delays_over, true);
}

/*
 * Delay the signals of the current task until it has executed the instruction of a hit.  Return
 * false if that cannot be: the task is stepped, its signals have been delayed too often, or they
 * cannot wait.  @begun as for fault_pending().
 */
static bool signal_delay(struct utask *utask, const struct site *site,
			 const struct pt_regs *regs, bool stepped, bool begun)
{
	if (stepped || utask->signals.delays >= SIGNAL_MAX_DELAYS || READ_ONCE(delays_over) ||
	    !arch_step_plain(site->plan) || !out_of_line_intact(site, regs))
		return false;
	clear_thread_flag(TIF_SIGPENDING);
	/* A sender sets the flag last, so a signal sent before it was cleared is seen here. */
	smp_mb__after_atomic();
	if (!signals_can_wait(begun)) {
		set_thread_flag(TIF_SIGPENDING);
		return false;
	}
	utask->signals.delays++;
	return true;
}

/* Likewise for a task in a slot that is executed without steps: step the task through it. */
static bool signal_delay_in_slot(struct site *site, struct pt_regs *regs)
{
	bool begun = out_of_line_begun(site, regs);
	struct utask *utask;

	/* The kernel has to see where a restartable sequence is interrupted. */
	if (site->step || compat_in_rseq() || out_of_line_done(site, regs))
		return false;
	utask = utask_get(current);
	if (!utask || !signal_delay(utask, site, regs, arch_stepped(regs->flags), begun))
		return false;
	utask->signals.delayed = site;
	utask->signals.delayed_steps = 0;
	utask->signals.watched = begun ? arch_watched(current) : 0;
	arch_set_stepped(regs, true);
	return true;
}

/**
 * signal_fault_waits() - end the delay: a fault of the current task waits for another program
 *
 * That program may in turn wait for a signal handler of the task.
 *
 * Context: any.
 */
void signal_fault_waits(void)
{
	struct utask *utask = utask_find(current);

	if (!utask || !utask->signals.delays)
		return;
	utask->signals.delays = SIGNAL_MAX_DELAYS;
	set_thread_flag(TIF_SIGPENDING);
}

/**
 * signal_delay_end() - end the delay of a task's signals
 * @utask: its state; signals are delayed
 * @regs: its registers
 *
 * Context: the task itself, or it does not run.
 */
void signal_delay_end(struct utask *utask, struct pt_regs *regs)
{
	if (utask->signals.delayed) {
		arch_set_stepped(regs, false);
		/* The kernel has forgotten the watchpoints at the last step. */
		if (utask->signals.watched)
			arch_set_watched(utask->task, utask->signals.watched);
	}
	utask->signals.delayed = NULL;
	utask->signals.delays = 0;
	set_tsk_thread_flag(utask->task, TIF_SIGPENDING);
}

/**
 * signal_exec() - reset the state of the current task, which has a new address space
 * @utask: its state
 * @regs: its registers at the start of the new program
 *
 * A program that has tampered with its SSOL area may have called execve() within a slot.  The
 * sites of the old program are gone, so no signal is delayed for one of them any longer.
 *
 * Context: any, before the task runs user code.
 */
void signal_exec(struct utask *utask, struct pt_regs *regs)
{
	utask->step.site = NULL;
	if (utask->signals.delays)
		signal_delay_end(utask, regs);
	utask->signals.nr_resumptions = 0;
	utask->signals.returned_to = 0;
	utask->signals.unwound = NULL;
	utask->passed_on.site = NULL;
	utask->passed_on.reported = NULL;
}

/**
 * signal_delay_step() - handle the debug exception of a task whose signals are delayed
 * @utask: its state; it goes through a slot
 * @regs: its registers
 *
 * Context: the trap.
 */
void signal_delay_step(struct utask *utask, struct pt_regs *regs)
{
	const struct site *site = utask->signals.delayed;

	if (!out_of_line_done(site, regs)) {
		if (++utask->signals.delayed_steps < SIGNAL_MAX_STEPS) {
			/* The program may have changed the slot, and code in it may clear TF. */
			arch_set_stepped(regs, true);
			return;
		}
		/*
		 * The program has changed the slot.  Deliver the signals where the task is: do not
		 * delay them once more before slot_leave().
		 */
		signal_delay_end(utask, regs);
		utask->signals.delays = SIGNAL_MAX_DELAYS;
		return;
	}
	out_of_line_leave(site, regs);
	signal_delay_end(utask, regs);
}

/*
 * Take the task out of a slot.  Return whether the instruction is still to be executed, if only
 * to restart a system call.
 */
static bool unwind_slot(struct site *site, struct pt_regs *regs)
{
	struct utask *utask;

	/*
	 * Behind an interrupted system call, the kernel may move the ip back to the
	 * instruction, which then is the breakpoint.
	 */
	if (arch_slot_unwind(site->plan, site->key.addr, site_slot(site), regs) &&
	    !arch_syscall_restarts(regs)) {
		/* The kernel may decide so later, as after a ptrace stop: remember the site. */
		utask = ssol_is_syscall(site->plan) ? utask_get(current) : NULL;
		if (utask)
			utask->signals.unwound = site;
		return false;
	}
	return true;
}

/*
 * Handle a system call that was taken out of its slot when it began, because an observer looked
 * at it.  Now the call may have to be restarted, or the next observer looks at it.
 */
static void unwound_before(struct utask *utask, const struct pt_regs *regs)
{
	struct site *site = utask->signals.unwound;
	bool behind;

	behind = arch_in_syscall(regs) &&
		 regs->ip == site->key.addr + ssol_len(site->plan);
	if (behind && !arch_syscall_restarts(regs))
		return;
	utask->signals.unwound = NULL;
	if (behind)
		signal_add_resumption(utask, site, regs);
}

/*
 * Return the state of the current task, or NULL if its slots are gone.  That is so if execve()
 * has failed so late that the address space has been exchanged: the task is about to die.
 */
static struct utask *utask_in_slot(void)
{
	struct utask *utask = utask_find(current);

	return utask && utask->mm == current->mm ? utask : NULL;
}

/* Delay the signals of a task, if it is in a slot.  Return whether they are delayed. */
static bool slot_delays_signals(struct probed_mm *pmm, struct utask *utask, struct pt_regs *regs)
{
	const struct jump *jump;
	struct site *site;

	if (utask && utask->step.site)
		return !compat_in_rseq() &&
		       signal_delay(utask, utask->step.site, regs,
				    arch_stepped(utask->step.state.flags), false);
	if (utask && utask->signals.delayed)
		return signal_delay(utask, utask->signals.delayed, regs, false,
				    out_of_line_begun(utask->signals.delayed, regs));
	site = site_of_slot(pmm, regs->ip);
	jump = site ? NULL : jump_of_pad(pmm, regs->ip);
	if (jump)
		site = jump->site;
	return site && signal_delay_in_slot(site, regs);
}

/*
 * Set the registers of a task that may be in a slot or a pad to those of the program.  @evicted:
 * also if the pads have been evicted.
 */
static void slot_leave(struct probed_mm *pmm, struct utask *utask, struct pt_regs *regs,
		       bool evicted)
{
	struct site *site = utask ? utask->step.site : NULL;
	const struct jump *jump;

	if (site) {
		utask->step.site = NULL;
		if (utask->signals.delays)
			signal_delay_end(utask, regs);
		arch_step_abort(site->plan, site->key.addr, site_slot(site), &utask->step.state,
				regs);
		if (regs->ip == site->key.addr)
			signal_note_resumption(site, regs);
		return;
	}
	if (utask && utask->signals.delayed)
		signal_delay_end(utask, regs);
	if (utask)
		utask->signals.delays = 0;
	site = site_of_slot(pmm, regs->ip);
	if (!site && utask && utask->signals.unwound)
		unwound_before(utask, regs);
	if (site && unwind_slot(site, regs))
		signal_note_resumption(site, regs);
	if (site)
		return;
	jump = evicted ? jump_of_evicted_pad(pmm, regs->ip) : jump_of_pad(pmm, regs->ip);
	if (jump && pad_leave(jump, regs))
		signal_note_resumption(jump->site, regs);
}

/**
 * signal_leave_pad() - take the current task out of a pad that is about to go
 * @pmm: its probed mm
 * @regs: its user registers
 *
 * Context: task work, interrupts off; RCU read side.
 */
void signal_leave_pad(struct probed_mm *pmm, struct pt_regs *regs)
{
	if (jump_of_evicted_pad(pmm, regs->ip))
		slot_leave(pmm, utask_in_slot(), regs, true);
}

/**
 * signal_preempted() - take the current task out of a slot for its restartable sequence
 * @regs: its user registers
 *
 * The task is losing its CPU, or the kernel is about to look at the task's restartable sequence.
 * If the task is in such a sequence (man 2 rseq), the kernel may abort it.  The kernel goes by
 * the ip for that, and an ip in a slot would hide the sequence.
 *
 * Context: preemption off; the scheduler with a run queue locked.
 */
void signal_preempted(struct pt_regs *regs)
{
	struct probed_mm *pmm;

	/* A restartable sequence must not contain a system call. */
	if (arch_in_syscall(regs))
		return;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	if (pmm && (site_of_slot(pmm, regs->ip) || jump_of_pad(pmm, regs->ip)) && compat_in_rseq())
		slot_leave(pmm, utask_in_slot(), regs, false);
	rcu_read_unlock();
}

/**
 * signal_prepare() - prepare the current task before the kernel looks at its signals
 * @regs: its user registers
 * @can_wait: the kernel can be kept from looking.  It would come here again before the
 *	task runs user code if there is still a signal.
 *
 * The kernel runs task work that is queued here before it looks.
 *
 * Context: any; the current task, in the kernel, before its last check for work on the way to user
 * mode.
 * Return: true when the kernel must not look now: the task executes the instruction of
 *	a hit, or calls its handlers, first.
 */
bool signal_prepare(struct pt_regs *regs, bool can_wait)
{
	struct utask *utask = utask_find(current);
	struct probed_mm *pmm;
	bool waits = false;
	struct site *site;
	unsigned long flags;

	if (utask && utask->hit.queued) {
		/* The work is next on the way to user mode, and then comes the slot. */
		if (can_wait && signals_can_wait(false))
			return true;
		utask->signals.noticed = true;
		return false;
	}

	/* As in the trap: handle_trampoline() may call handlers. */
	local_irq_save(flags);
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	if (pmm && regs->ip == READ_ONCE(pmm->uret.trampoline)) {
		site = site_find(current->mm, regs->ip);
		/* The hits in the ring came before. */
		rings_empty_here();
		if (site)
			handle_trampoline(site, regs);
	} else if (pmm) {
		utask = utask_in_slot();
		waits = can_wait && slot_delays_signals(pmm, utask, regs);
		if (!waits)
			slot_leave(pmm, utask, regs, false);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
	return waits;
}

/**
 * signal_show() - set the registers of the current task to the program's, for an observer
 *
 * The result is the same as that of signal_prepare() if signals cannot be delayed.  Do nothing
 * for a kernel thread.
 *
 * Context: as for signal_prepare().
 */
void signal_show(void)
{
	if (current->mm && !(current->flags & PF_KTHREAD))
		signal_prepare(task_pt_regs(current), false);
}

/**
 * signal_forked() - take the current task, a new process, out of a slot
 * @parent: the address space that its own is a copy of
 *
 * The system call that made the process may have been executed in a slot.  The process has a copy
 * of the slot, even if nothing is probed in it.  Called before the process looks at signals.
 *
 * Context: any, before the task runs user code.
 */
void signal_forked(struct probed_mm *parent)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct site *site;

	rcu_read_lock();
	site = site_of_slot(parent, regs->ip);
	if (site)
		arch_slot_unwind(site->plan, site->key.addr, site_slot(site), regs);
	rcu_read_unlock();
}

/**
 * signal_delivered() - take the current task out of a slot, as a signal is being delivered
 * @regs: its user registers
 *
 * signal_prepare() runs only if the kernel calls the hooked function.  A live patch or an inlined
 * copy bypasses the hook.
 *
 * Context: any; the siglock is held.
 */
void signal_delivered(struct pt_regs *regs)
{
	struct utask *utask = utask_find(current);
	struct probed_mm *pmm;
	unsigned long flags;

	/*
	 * The utask was made after an entry to the kernel that the module has seen.  If the hook
	 * has not been called since, the kernel calls the function past the hook.
	 */
	if (utask && !utask->signals.looked && !READ_ONCE(delays_over))
		hook_missed(ksym_signal_function());
	local_irq_save(flags);
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	if (pmm)
		slot_leave(pmm, utask_in_slot(), regs, false);
	rcu_read_unlock();
	local_irq_restore(flags);
}

/**
 * signal_translate() - translate the address in a signal to the program's
 * @sig: the signal, which the current task has just sent itself
 *
 * With SIGILL, SIGFPE and SIGTRAP, an exception tells where its instruction is.  A tracer may look
 * at the signal before it is delivered, so change the address in the queue.  The signal is the
 * last one there.
 *
 * Context: any; the siglock is held.
 */
void signal_translate(int sig)
{
	struct kernel_siginfo *info = NULL;
	const struct jump *jump;
	struct sigqueue *queued;
	unsigned long addr;
	struct probed_mm *pmm;
	struct site *site;

	if (sig != SIGILL && sig != SIGFPE && sig != SIGTRAP)
		return;
	list_for_each_entry_reverse(queued, &current->pending.list, list) {
		if (queued->info.si_signo == sig) {
			info = &queued->info;
			break;
		}
	}
	/* Without memory the kernel queues no info, and not all signals are from an exception. */
	if (!info || info->si_code <= 0 || info->si_code == SI_KERNEL)
		return;

	addr = (unsigned long)info->si_addr;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	site = pmm ? site_of_slot(pmm, addr) : NULL;
	jump = pmm && !site ? jump_of_pad(pmm, addr) : NULL;
	if (site)
		info->si_addr = (void __user *)site_original_ip(site, addr);
	else if (jump)
		info->si_addr = (void __user *)pad_original_ip(jump, addr);
	rcu_read_unlock();
}

/**
 * signal_passed_on() - note that a tracer gets the signal of a trap that was passed on
 * @info: the SIGTRAP, which the current task has just sent itself
 *
 * If the breakpoint is ours and the tracer's, the tracer now has the instruction executed.  If
 * that is in place, the task hits our breakpoint once more.  The trap may have been passed on to
 * the kernel's uprobes as well; these execute the instruction by themselves.
 *
 * Context: any; the siglock is held.
 */
void signal_passed_on(const struct kernel_siginfo *info)
{
	struct utask *utask = utask_find(current);
	struct site *site = utask ? utask->passed_on.site : NULL;

	/* The SIGTRAP of a step or a watchpoint has another code. */
	if (!site || info <= SEND_SIG_PRIV || info->si_code != SI_KERNEL ||
	    task_pt_regs(current)->ip != site->key.addr + ARCH_BREAKPOINT_LEN)
		return;
	utask->passed_on.site = NULL;
	utask->passed_on.reported = site;
	WRITE_ONCE(site->pmm->passed_on, true);
	WRITE_ONCE(site->pmm->resumptions, true);
}
