// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of tasks that execute out of line: going into a step and out of
 * it, and back from the middle of a slot.
 */
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/signal.h>
#include <linux/uaccess.h>

#include <asm/syscall.h>
#include <asm/ucontext.h>

#include "arch.h"

/* The register with a number of ModRM, where ssol_scratch() may name it. */
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
 * arch_step_begin() - go on with the plain copy of an instruction, under TF
 * @plan: the instruction
 * @addr: where it is
 * @slot: where its copy is
 * @step: keeps what arch_step_end() will want
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
 * arch_step_end() - registers after the step
 * @plan: the instruction
 * @addr: where it is
 * @slot: where its copy is
 * @step: from arch_step_begin()
 * @regs: user registers in the debug trap, made those of the program
 *
 * Context: the trap.
 * Return: 1 when the step is over; 0 when it goes on (repeated string
 * instructions trap after each round); -EFAULT when the stack cannot be
 * written, which the instruction has just done.
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
 * arch_step_abort() - registers of a task whose step did not come to its end
 * @plan: the instruction
 * @addr: where it is
 * @slot: where its copy is
 * @step: from arch_step_begin()
 * @regs: user registers, made those of the program
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
 * arch_slot_unwind() - registers of a task that is somewhere in a slot
 * @plan: the instruction
 * @addr: where it is
 * @slot: its slot
 * @regs: user registers, made those of the program
 *
 * Return: whether the instruction has been executed.
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

/* Where a near return goes to, and what it leaves of the stack; false when not known. */
static bool emulate_return(const struct ssol_plan *plan, const struct pt_regs *regs,
			   unsigned long *to, unsigned long *sp)
{
	const struct uinsn *insn = &plan->insn;
	size_t word = insn->mode == UINSN_MODE_64 ? 8 : 4;

	/*
	 * A narrow one differs between vendors; the kernel's own accesses know no
	 * alignment check; other stacks may begin elsewhere.
	 */
	if (insn->operand_size == 2 || arch_stack_fixed() ||
	    (regs->flags & X86_EFLAGS_AC && !IS_ALIGNED(regs->sp, word)) ||
	    (insn->mode == UINSN_MODE_32 && (regs->ss != __USER_DS || regs->sp > U32_MAX)))
		return false;
	*to = 0;
	if (copy_from_user_nofault(to, (const void __user *)regs->sp, word))
		return false;
	*sp = regs->sp + word;
	if (insn->imm_size)
		*sp += plan->text[insn->imm_at] | plan->text[insn->imm_at + 1] << 8;
	if (insn->mode == UINSN_MODE_32)
		*sp = (u32)*sp;
	return true;
}

/**
 * arch_emulate() - execute a near return or a relative jump in the processor's place
 * @plan: the instruction
 * @addr: where it is
 * @not_to: an address that it is not executed for
 * @regs: user registers, changed if it is executed
 *
 * Not where somebody single-steps, who wants the trap behind it, nor what a prefix
 * makes undefined.
 *
 * Context: any; the task itself. Memory that is not there is not brought in.
 * Return: whether it is executed; else nothing has changed.
 */
bool arch_emulate(const struct ssol_plan *plan, unsigned long addr, unsigned long not_to,
		  struct pt_regs *regs)
{
	const struct uinsn *insn = &plan->insn;
	unsigned long to, sp = regs->sp;

	if (arch_stepped(regs->flags) || insn->encoding != UINSN_LEGACY)
		return false;
	if (plan->kind == SSOL_JUMP)
		to = uinsn_target(insn, addr);
	else if (plan->kind != SSOL_ONWARD || insn->class != UINSN_RET ||
		 !emulate_return(plan, regs, &to, &sp))
		return false;
	/* A fault would be that of the instruction. */
	if (to == not_to || to >= arch_limit(insn->mode))
		return false;
	regs->ip = to;
	regs->sp = sp;
	/* As with every instruction that comes to its end (SDM vol. 3, 18.3.1.1). */
	regs->flags &= ~X86_EFLAGS_RF;
	return true;
}

/**
 * arch_syscall_restarts() - whether the kernel may execute a system call anew
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
 * arch_syscall_restarts_after() - the same, when a signal handler is called
 * @regs: user registers in the system call
 * @restart: the handler was installed with SA_RESTART
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
 * arch_sigreturn_ip() - where a signal handler returns to
 *
 * When rt_sigreturn() is called, the return address of the handler has been popped
 * from the kernel's frame, which goes on with a ucontext.
 *
 * Context: any; the current task, in the 64-bit system call.
 * Return: the user ip, or 0 when the frame cannot be read.
 */
unsigned long arch_sigreturn_ip(void)
{
	struct ucontext __user *uc = (void __user *)task_pt_regs(current)->sp;
	unsigned long ip;

	return copy_from_user_nofault(&ip, &uc->uc_mcontext.ip, sizeof(ip)) ? 0 : ip;
}

/**
 * arch_regs_digest() - a number that tells register contents apart
 * @regs: user registers; ip, sp, flags and segments do not count
 *
 * Return: the same number for the same contents.
 */
u64 arch_regs_digest(const struct pt_regs *regs)
{
	const u32 *gprs = (const u32 *)regs;
	size_t n = offsetof(struct pt_regs, orig_ax) / sizeof(*gprs);

	return (u64)jhash2(gprs, n, 1) << 32 | jhash2(gprs, n, 2);
}
