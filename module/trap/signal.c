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
#include "ssol.h"
#include "ssol_emit.h"
#include "base/compat.h"
#include "base/hooks.h"
#include "base/ksym.h"
#include "core/probed_mm.h"
#include "core/site.h"
#include "core/site_table.h"
#include "core/slots.h"
#include "core/task.h"
#include "uret/uretprobe_return.h"

/**
 * signal_add_resumption() - note that a hit is handled and its instruction is not
 *	executed
 * @utask: state of the current task
 * @site: where the hit was
 * @regs: its registers, with the ip at the site
 *
 * More of them than signal handlers that interrupt each other right at a
 * breakpoint do not happen; the oldest is forgotten and would count as a hit.
 *
 * Context: any.
 */
void signal_add_resumption(struct utask *utask, struct site *site, const struct pt_regs *regs)
{
	if (utask->signals.nr_resumptions == SIGNAL_MAX_RESUMPTIONS) {
		memmove(&utask->signals.resumptions[0], &utask->signals.resumptions[1],
			sizeof(utask->signals.resumptions) - sizeof(utask->signals.resumptions[0]));
		utask->signals.nr_resumptions--;
	}
	utask->signals.resumptions[utask->signals.nr_resumptions++] = (struct resumption) {
		.site = site,
		.sp = regs->sp,
		.digest = arch_regs_digest(regs),
		.restart = regs->ip != site->key.addr,
	};
	WRITE_ONCE(site->pmm->resumptions, true);
}

/*
 * Whether a fault is among the signals that the current task is to see; @begun: the
 * instruction of the hit has been executed in part, so that a SIGTRAP is that of a watchpoint.
 * As that is a trap and comes behind what it is about (Intel SDM 3B, 18.3), it can wait.
 */
static bool fault_pending(bool begun)
{
	const unsigned long faults = sigmask(SIGSEGV) | sigmask(SIGBUS) | sigmask(SIGILL) |
				     sigmask(SIGFPE) | sigmask(SIGSYS) |
				     (begun ? 0 : sigmask(SIGTRAP));

	/* Faults are sent to the thread, not to the process; a blocked one is not delivered. */
	return READ_ONCE(current->pending.signal.sig[0]) & ~current->blocked.sig[0] & faults;
}

/**
 * signal_note_resumption() - a hit is handled, and a signal comes before its instruction is
 *	executed: note that
 * @site: where the hit was
 * @regs: its registers, with the ip at the site, or behind a system call that is
 *	to be restarted there
 *
 * Context: any; the current task.
 */
void signal_note_resumption(struct site *site, const struct pt_regs *regs)
{
	struct utask *utask = utask_get(current);

	if (utask)
		signal_add_resumption(utask, site, regs);
}

/* Whether somebody stops the current task, by a signal that no program can handle or block. */
static bool stop_pending(void)
{
	return (READ_ONCE(current->pending.signal.sig[0]) |
		READ_ONCE(current->signal->shared_pending.signal.sig[0])) & sigmask(SIGSTOP);
}

/*
 * Whether the signals of the current task may come an instruction later.  Not a fault,
 * which may be the instruction's own, nor what ends, stops or freezes the task; and what
 * the kernel itself wants done with them is done.  @begun as above.
 */
static bool signals_can_wait(bool begun)
{
	return !fault_pending(begun) && !__fatal_signal_pending(current) && !stop_pending() &&
	       !test_thread_flag(TIF_NOTIFY_SIGNAL) && !freezing(current) &&
	       !(READ_ONCE(current->jobctl) & (JOBCTL_PENDING_MASK | JOBCTL_TRAP_FREEZE));
}

/* Set before tasks are released; read with interrupts off, and so before that or after. */
static bool delays_over;

/**
 * signal_delay_no_more() - from the next time that the machine is stopped, no signal waits
 *
 * Context: any.
 */
void signal_delay_no_more(void)
{
	WRITE_ONCE(delays_over, true);
}

/*
 * Whether a slot is as it was written.  The program can change it, and signals would wait for
 * whatever it executes there.
 */
static bool slot_intact(const struct site *site)
{
	u8 want[SSOL_SLOT_MAX], is[SSOL_SLOT_MAX];
	int len = site->step ? ssol_emit_step(&site->plan, site->key.addr, site->slot, want) :
			       ssol_emit(&site->plan, site->key.addr, site->slot, want);

	return len > 0 && !copy_from_user_nofault(is, (const void __user *)site->slot, len) &&
	       !memcmp(is, want, len);
}

/*
 * Has the signals of the current task wait until it has executed the instruction of a
 * hit; unless somebody steps it, or they have waited too often.  @begun as above.
 */
static bool signal_delay(struct utask *utask, const struct site *site, bool stepped, bool begun)
{
	if (stepped || utask->signals.delays >= SIGNAL_MAX_DELAYS || READ_ONCE(delays_over) ||
	    !arch_step_plain(&site->plan) || !slot_intact(site))
		return false;
	clear_thread_flag(TIF_SIGPENDING);
	/* Who sends a signal sets the flag last: what has come before it was cleared is seen. */
	smp_mb__after_atomic();
	if (!signals_can_wait(begun)) {
		set_thread_flag(TIF_SIGPENDING);
		return false;
	}
	utask->signals.delays++;
	return true;
}

/* The same for one that goes through a slot that does without steps. */
static bool signal_delay_in_slot(struct site *site, struct pt_regs *regs)
{
	struct utask *utask;

	/* The kernel is to see where a restartable sequence is interrupted. */
	if (site->step || compat_in_rseq() ||
	    arch_slot_done(&site->plan, site->key.addr, site->slot, regs))
		return false;
	utask = utask_get(current);
	if (!utask ||
	    !signal_delay(utask, site, arch_stepped(regs->flags), regs->ip != site->slot))
		return false;
	utask->signals.delayed = site;
	utask->signals.delayed_steps = 0;
	utask->signals.watched = regs->ip != site->slot ? arch_watched(current) : 0;
	arch_set_stepped(regs, true);
	return true;
}

/**
 * signal_fault_waits() - a fault of the current task is going to wait for another program
 *
 * That may wait for a signal handler in turn.
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
 * signal_delay_end() - a task's signals need not wait any longer
 * @utask: its state; signals wait
 * @regs: its registers
 *
 * Context: the task itself, or it does not run.
 */
void signal_delay_end(struct utask *utask, struct pt_regs *regs)
{
	if (utask->signals.delayed) {
		arch_set_stepped(regs, false);
		/* The last step has made the kernel forget them. */
		if (utask->signals.watched)
			arch_set_watched(utask->task, utask->signals.watched);
	}
	utask->signals.delayed = NULL;
	utask->signals.delays = 0;
	set_tsk_thread_flag(utask->task, TIF_SIGPENDING);
}

/**
 * signal_exec() - the current task has another address space now
 * @utask: its state
 * @regs: its registers, those that the new program begins with
 *
 * A program that has turned on its area may have come to that within a slot. Its sites are
 * gone; signals that wait for one of them do so no longer.
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
	utask->passed_on.told = NULL;
}

/**
 * signal_delay_step() - handle the single-step trap of a task whose signals wait
 * @utask: its state; it goes through a slot
 * @regs: its registers
 *
 * Context: the trap.
 */
void signal_delay_step(struct utask *utask, struct pt_regs *regs)
{
	const struct site *site = utask->signals.delayed;

	if (!arch_slot_done(&site->plan, site->key.addr, site->slot, regs)) {
		if (++utask->signals.delayed_steps < SIGNAL_MAX_STEPS) {
			/* The program may have changed the slot, and what is there clear TF. */
			arch_set_stepped(regs, true);
			return;
		}
		/* It has. Its signals come where it is: not held once more before slot_leave(). */
		signal_delay_end(utask, regs);
		utask->signals.delays = SIGNAL_MAX_DELAYS;
		return;
	}
	arch_slot_unwind(&site->plan, site->key.addr, site->slot, regs);
	signal_delay_end(utask, regs);
}

/**
 * signal_resumed() - whether a hit has been handled before a signal came
 * @utask: state of the current task
 * @site: where it is
 * @regs: its registers, with the ip at the site
 *
 * Resumptions newer than the one that is found were left by handlers that did
 * not return, and so may be the one at a place that a task comes to again: a handler
 * has to have returned right to the breakpoint.
 *
 * Context: the trap.
 */
bool signal_resumed(struct utask *utask, const struct site *site, const struct pt_regs *regs)
{
	bool returned = utask->signals.returned_to == site->key.addr ||
			utask->signals.returned_to == SIGNAL_ANYWHERE;
	unsigned int i = utask->signals.nr_resumptions;

	utask->signals.returned_to = 0;
	while (i--) {
		const struct resumption *r = &utask->signals.resumptions[i];

		if (r->site != site || r->sp != regs->sp || (r->handler && !returned) ||
		    (!r->restart && r->digest != arch_regs_digest(regs)))
			continue;
		utask->signals.nr_resumptions = i;
		return true;
	}
	return false;
}

/**
 * signal_handled() - a handler of the program is about to be called
 * @regs: user registers as the handler's frame will show them
 * @restart: a system call that was interrupted is restarted afterwards
 *
 * Context: any; the current task.
 */
void signal_handled(const struct pt_regs *regs, bool restart)
{
	struct utask *utask = utask_find(current);
	struct resumption *r;

	if (!utask || !utask->signals.nr_resumptions)
		return;
	r = &utask->signals.resumptions[utask->signals.nr_resumptions - 1];
	if (r->sp != regs->sp || r->handler)
		return;
	r->handler = true;
	/* The call ends with EINTR instead. */
	if (r->restart && !arch_syscall_restarts_after(regs, restart))
		utask->signals.nr_resumptions--;
}

/**
 * signal_returns() - the current task returns from a signal handler
 * @ip: to there, or SIGNAL_ANYWHERE
 *
 * Context: any.
 */
void signal_returns(unsigned long ip)
{
	struct utask *utask = utask_find(current);

	if (utask)
		utask->signals.returned_to = ip;
}

/* Whether the instruction is still to be executed, if only to restart a system call. */
static bool unwind_slot(struct site *site, struct pt_regs *regs)
{
	struct utask *utask;

	/*
	 * Behind an interrupted system call the kernel may go back to the
	 * instruction, which then is the breakpoint.
	 */
	if (arch_slot_unwind(&site->plan, site->key.addr, site->slot, regs) &&
	    !arch_syscall_restarts(regs)) {
		/* It may decide so only later, as after a stop by a tracer: remember the site. */
		utask = utask_get(current);
		if (utask)
			utask->signals.unwound = site;
		return false;
	}
	return true;
}

/*
 * Somebody has seen the system call when it began; now it may have to be restarted, or
 * the next one looks at it.
 */
static void unwound_before(struct utask *utask, const struct pt_regs *regs)
{
	struct site *site = utask->signals.unwound;
	bool behind;

	behind = arch_in_syscall(regs) &&
		 regs->ip == site->key.addr + ssol_len(&site->plan);
	if (behind && !arch_syscall_restarts(regs))
		return;
	utask->signals.unwound = NULL;
	if (behind)
		signal_add_resumption(utask, site, regs);
}

/*
 * The state of the current task, for what it says of slots; not where an execve() has failed so
 * late that the address space has been exchanged: the task comes here to die.
 */
static struct utask *utask_in_slot(void)
{
	struct utask *utask = utask_find(current);

	return utask && utask->mm == current->mm ? utask : NULL;
}

/* Whether the signals of a task that is in a slot wait. */
static bool slot_delays_signals(struct probed_mm *pmm, struct utask *utask, struct pt_regs *regs)
{
	struct site *site;

	if (utask && utask->step.site)
		return !compat_in_rseq() &&
		       signal_delay(utask, utask->step.site,
				    arch_stepped(utask->step.state.flags), false);
	if (utask && utask->signals.delayed)
		return signal_delay(utask, utask->signals.delayed, false,
				    regs->ip != utask->signals.delayed->slot);
	site = site_of_slot(pmm, regs->ip);
	return site && signal_delay_in_slot(site, regs);
}

/* Makes the registers of a task that may be in a slot those of the program. */
static void slot_leave(struct probed_mm *pmm, struct utask *utask, struct pt_regs *regs)
{
	struct site *site = utask ? utask->step.site : NULL;

	if (site) {
		utask->step.site = NULL;
		if (utask->signals.delays)
			signal_delay_end(utask, regs);
		arch_step_abort(&site->plan, site->key.addr, site->slot, &utask->step.state, regs);
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
}

/**
 * signal_preempted() - the current task is losing its CPU, or the kernel is
 *	about to look at its restartable sequence
 * @regs: its user registers
 *
 * If it is in such a sequence (man 2 rseq), the kernel may abort it, which it
 * tells by the ip: that of a slot would not do.
 *
 * Context: preemption off; the scheduler with a run queue locked.
 */
void signal_preempted(struct pt_regs *regs)
{
	struct probed_mm *pmm;

	/* No system call belongs into such a sequence. */
	if (arch_in_syscall(regs))
		return;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	if (pmm && site_of_slot(pmm, regs->ip) && compat_in_rseq())
		slot_leave(pmm, utask_in_slot(), regs);
	rcu_read_unlock();
}

/**
 * signal_prepare() - the kernel is about to look at the current task's signals
 * @regs: its user registers
 * @can_wait: the kernel can be kept from that, and would come here again before the
 *	task runs user code if there is still something to be looked at
 *
 * Task work that is queued here is done before it looks.
 *
 * Context: any in which the task does not return to user mode.
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
		/* It is next on the way to user mode, and then comes the slot. */
		if (can_wait && signals_can_wait(false))
			return true;
		utask->signals.noticed = true;
		return false;
	}

	/* As in the trap: handlers may be called. */
	local_irq_save(flags);
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	if (pmm && regs->ip == READ_ONCE(pmm->uret.trampoline)) {
		site = site_find(current->mm, regs->ip);
		if (site)
			handle_trampoline(site, regs);
	} else if (pmm) {
		utask = utask_in_slot();
		waits = can_wait && slot_delays_signals(pmm, utask, regs);
		if (!waits)
			slot_leave(pmm, utask, regs);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
	return waits;
}

/**
 * signal_show() - somebody is about to look at the registers of the current task
 *
 * They become what they are without probes: signal_prepare() where nothing can wait.  Nothing
 * is done for a task of the kernel's own.
 *
 * Context: as for signal_prepare().
 */
void signal_show(void)
{
	if (current->mm && !(current->flags & PF_KTHREAD))
		signal_prepare(task_pt_regs(current), false);
}

/**
 * signal_forked() - the current task is a new process, and about to look at signals first
 * @parent: the address space that its own is a copy of
 *
 * The system call that made it may have been executed in a slot, of which it has a copy;
 * also where nothing is probed in it.
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
		arch_slot_unwind(&site->plan, site->key.addr, site->slot, regs);
	rcu_read_unlock();
}

/**
 * signal_delivered() - the kernel has looked at the current task's signals, and found one
 * @regs: its user registers
 *
 * Something else in the place of the function that signal_prepare() keeps from looking
 * may not have been kept from it.
 *
 * Context: any; the siglock is held.
 */
void signal_delivered(struct pt_regs *regs)
{
	struct utask *utask = utask_find(current);
	struct probed_mm *pmm;
	unsigned long flags;

	/* What is kept for it was made on a way into the kernel that the module has seen. */
	if (utask && !utask->signals.looked && !READ_ONCE(delays_over))
		hook_unseen(ksym_signal_function());
	local_irq_save(flags);
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	if (pmm)
		slot_leave(pmm, utask_in_slot(), regs);
	rcu_read_unlock();
	local_irq_restore(flags);
}

/**
 * signal_translate() - make the address in a signal that of the program
 * @sig: the signal, which the current task has just sent itself
 *
 * An exception tells with these signals where its instruction is.  A tracer may look at it
 * before it is delivered, so it is changed where it is queued, last.
 *
 * Context: any; the siglock is held.
 */
void signal_translate(int sig)
{
	struct kernel_siginfo *info = NULL;
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
	/* Without memory the kernel queues none; and not all are from an exception. */
	if (!info || info->si_code <= 0 || info->si_code == SI_KERNEL)
		return;

	addr = (unsigned long)info->si_addr;
	rcu_read_lock();
	pmm = pmm_lookup(current->mm);
	site = pmm ? site_of_slot(pmm, addr) : NULL;
	if (site)
		info->si_addr = (void __user *)site_original_ip(site, addr);
	rcu_read_unlock();
}

/**
 * signal_passed_on() - the current task has just sent itself a SIGTRAP
 * @info: the signal
 *
 * For a breakpoint that is ours and a tracer's, the tracer now has the instruction executed:
 * perhaps where it is, where the task runs into ours once more.  The kernel's uprobes, who
 * may have been handed the trap as well, do that by themselves.
 *
 * Context: any; the siglock is held.
 */
void signal_passed_on(const struct kernel_siginfo *info)
{
	struct utask *utask = utask_find(current);
	struct site *site = utask ? utask->passed_on.site : NULL;

	/* Those of steps and watchpoints have another code. */
	if (!site || info <= SEND_SIG_PRIV || info->si_code != SI_KERNEL ||
	    task_pt_regs(current)->ip != site->key.addr + ARCH_BREAKPOINT_LEN)
		return;
	utask->passed_on.site = NULL;
	utask->passed_on.told = site;
	WRITE_ONCE(site->pmm->passed_on, true);
	WRITE_ONCE(site->pmm->resumptions, true);
}
