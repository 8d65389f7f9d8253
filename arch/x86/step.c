// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of tasks that execute out of line: at the beginning and the end of a step, and on the
 * way back from inside a slot.
 */
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/sched/task_stack.h>
#include <linux/signal.h>
#include <linux/uaccess.h>

#include <asm/syscall.h>
#include <asm/ucontext.h>

#include "arch.h"
#include "ssol_emit.h"

/* Get the register for a number of ModRM, if it is one that ssol_scratch() may return. */
static unsigned long *step_scratch(struct pt_regs *regs, int reg)
{
	switch (reg) {
	case 5:
		return &regs->bp;
	case 6:
		return &regs->si;
	case 7:
		return &regs->di;
	default:
		return NULL;
	}
}

static void step_load(struct ssol_regs *to, struct pt_regs *from, int scratch)
{
	unsigned long *reg = step_scratch(from, scratch);

	to->ip = from->ip;
	to->sp = from->sp;
	to->flags = from->flags;
	to->cx = from->cx;
	to->r11 = from->r11;
	to->scratch = reg ? *reg : 0;
}

static void step_store(struct pt_regs *to, const struct ssol_regs *from, int scratch)
{
	unsigned long *reg = step_scratch(to, scratch);

	to->ip = from->ip;
	to->sp = from->sp;
	to->flags = from->flags;
	to->cx = from->cx;
	to->r11 = from->r11;
	if (reg)
		*reg = from->scratch;
}

/**
 * arch_step_begin() - make a task execute the plain copy of an instruction under TF
 * @plan: the instruction
 * @addr: its address
 * @slot: address of its copy
 * @step: set to what arch_step_end() needs
 * @regs: user registers, ip at @addr
 */
void arch_step_begin(const struct ssol_plan *plan, unsigned long addr, unsigned long slot,
		     struct ssol_step *step, struct pt_regs *regs)
{
	int scratch = ssol_scratch(plan, addr, slot);
	struct ssol_regs r;

	step_load(&r, regs, scratch);
	ssol_before_step(plan, addr, slot, step, &r);
	step_store(regs, &r, scratch);
}

/**
 * arch_step_end() - correct the registers after a step
 * @plan: the instruction
 * @addr: its address
 * @slot: address of its copy
 * @step: from arch_step_begin()
 * @regs: user registers in the debug exception, changed to those of the program
 *
 * Context: the trap.
 * Return: 1 if the step is complete; 0 if it continues (a repeated string instruction traps after
 * each round); -EFAULT if the stack cannot be written, although the instruction has just done so.
 */
int arch_step_end(const struct ssol_plan *plan, unsigned long addr, unsigned long slot,
		  const struct ssol_step *step, struct pt_regs *regs)
{
	int scratch = ssol_scratch(plan, addr, slot);
	struct ssol_poke poke;
	struct ssol_regs r;

	step_load(&r, regs, scratch);
	if (!ssol_after_step(plan, addr, slot, step, &r, &poke))
		return 0;
	step_store(regs, &r, scratch);
	if (poke.size && copy_to_user_nofault((void __user *)(unsigned long)poke.at,
					      &poke.value, poke.size))
		return -EFAULT;
	return 1;
}

/**
 * arch_step_abort() - correct the registers of a task whose step has not completed
 * @plan: the instruction
 * @addr: its address
 * @slot: address of its copy
 * @step: from arch_step_begin()
 * @regs: user registers, changed to those of the program
 */
void arch_step_abort(const struct ssol_plan *plan, unsigned long addr, unsigned long slot,
		     const struct ssol_step *step, struct pt_regs *regs)
{
	int scratch = ssol_scratch(plan, addr, slot);
	struct ssol_regs r;

	step_load(&r, regs, scratch);
	ssol_abort_step(plan, addr, slot, step, &r);
	step_store(regs, &r, scratch);
}

/**
 * arch_slot_unwind() - correct the registers of a task that is anywhere in a slot
 * @plan: the instruction
 * @addr: its address
 * @slot: its slot
 * @regs: user registers, changed to those of the program
 *
 * Return: whether the instruction has been executed; true if the ip is not in the slot.
 */
bool arch_slot_unwind(const struct ssol_plan *plan, unsigned long addr, unsigned long slot,
		      struct pt_regs *regs)
{
	struct ssol_state state;

	if (!ssol_unwind(plan, addr, slot, regs->ip, &state))
		return true;
	regs->ip = state.ip;
	regs->sp += state.sp;
	if (state.set_cx || (state.set_cx_if && regs->cx == state.old_cx))
		regs->cx = state.cx;
	return state.done;
}

/**
 * arch_slot_done() - check whether a task in a slot has executed its instruction
 * @plan: the instruction
 * @addr: its address
 * @slot: its slot
 * @regs: user registers
 *
 * Return: whether it has; true if the ip is not in the slot.
 */
bool arch_slot_done(const struct ssol_plan *plan, unsigned long addr, unsigned long slot,
		    const struct pt_regs *regs)
{
	struct ssol_state state;

	return !ssol_unwind(plan, addr, slot, regs->ip, &state) || state.done;
}

/**
 * arch_pad_leave() - correct the registers of a task that is anywhere in a pad
 * @pad: the pad
 * @at: its address
 * @regs: user registers, changed to those of the program
 * @debt: set to what the hit lacks
 *
 * Return: whether the hit is counted, and the ip is at the first instruction again.
 */
bool arch_pad_leave(const struct pad *pad, unsigned long at, struct pt_regs *regs,
		    struct pad_debt *debt)
{
	struct pad_state state;
	u64 words[5];

	*debt = (struct pad_debt) {};
	if (!pad_unwind(pad, at, regs->ip, regs->flags, &state))
		return false;
	/* The task has just pushed them.  If that page has gone since, nothing can be done. */
	if (state.ax >= 0 && copy_from_user_nofault(words, (void __user *)regs->sp,
						    (state.ax + 1) * sizeof(words[0])))
		return false;
	debt->owes = state.owes;
	debt->at = regs->ax;
	debt->value = state.value < 0 ? regs->dx : words[state.value];
	regs->flags = pad_flags(&state, regs->flags,
				state.status < 0 ? regs->ax : words[state.status]);
	if (state.ax >= 0)
		regs->ax = words[state.ax];
	if (state.cx >= 0)
		regs->cx = words[state.cx];
	if (state.dx >= 0)
		regs->dx = words[state.dx];
	regs->sp += state.sp;
	regs->ip = state.ip;
	/* A hit that has not passed the filter is at the same copy, and is not counted. */
	return state.counted && arch_pad_passes(pad, regs);
}

/**
 * arch_step_plain() - check whether a step completes without waiting for anything
 * @plan: the instruction
 *
 * Some instructions wait in the kernel. Some read, load or delay TF. Repeated string instructions
 * can take any time.
 *
 * Return: whether it completes, in a slot of either kind, unless it faults.
 */
bool arch_step_plain(const struct ssol_plan *plan)
{
	switch (plan->insn.class) {
	case UINSN_COPY:
	case UINSN_NOP:
	case UINSN_ENDBR:
		return true;
	case UINSN_STRING:
		return !(plan->insn.prefixes & (UINSN_PREFIX_F2 | UINSN_PREFIX_F3));
	default:
		return uinsn_class_branches(plan->insn.class);
	}
}

/**
 * arch_syscall_restarts() - check whether the kernel may restart a system call
 * @regs: user registers in the system call, interrupted by a signal
 *
 * Context: the task itself.
 * Return: whether it may.
 */
bool arch_syscall_restarts(const struct pt_regs *regs)
{
	if (syscall_get_nr(current, (struct pt_regs *)regs) == -1)
		return false;
	switch (syscall_get_error(current, (struct pt_regs *)regs)) {
	case -ERESTARTSYS:
	case -ERESTARTNOINTR:
	case -ERESTARTNOHAND:
	case -ERESTART_RESTARTBLOCK:
		return true;
	default:
		return false;
	}
}

/**
 * arch_syscall_restarts_after() - check whether the kernel restarts a system call after a handler
 * @regs: user registers in the system call
 * @restart: the signal handler was installed with SA_RESTART
 *
 * Context: the task itself.
 * Return: whether it will.
 */
bool arch_syscall_restarts_after(const struct pt_regs *regs, bool restart)
{
	switch (syscall_get_error(current, (struct pt_regs *)regs)) {
	case -ERESTARTNOINTR:
		return true;
	case -ERESTARTSYS:
		return restart;
	default:
		return false;
	}
}

/**
 * arch_sigreturn_ip() - get the address that a signal handler returns to
 *
 * When the task calls rt_sigreturn(), it has popped the return address of the handler from the
 * kernel's frame. The next item of the frame is a ucontext.
 *
 * Context: any; the current task, in the 64-bit system call.
 * Return: the user ip, or 0 if the frame cannot be read.
 */
unsigned long arch_sigreturn_ip(void)
{
	struct ucontext __user *uc = (void __user *)task_pt_regs(current)->sp;
	unsigned long ip;

	return copy_from_user_nofault(&ip, &uc->uc_mcontext.ip, sizeof(ip)) ? 0 : ip;
}

/**
 * arch_regs_digest() - compute a number that identifies register contents
 * @regs: user registers; ip, sp, flags and segments are left out
 *
 * Leave out r8 to r15 for 32-bit code, which does not have them: the last return from a system
 * call may have left the flags in r11 (SDM vol. 2, SYSRET).
 *
 * Return: the same number for the same contents.
 */
u64 arch_regs_digest(const struct pt_regs *regs)
{
	const u32 legacy[] = { regs->ax, regs->bx, regs->cx, regs->dx, regs->si, regs->di,
			       regs->bp };
	const u32 *gprs = (const u32 *)regs;
	size_t n = offsetof(struct pt_regs, orig_ax) / sizeof(*gprs);

	if (!user_64bit_mode((struct pt_regs *)regs)) {
		gprs = legacy;
		n = ARRAY_SIZE(legacy);
	}
	return (u64)jhash2(gprs, n, 1) << 32 | jhash2(gprs, n, 2);
}
