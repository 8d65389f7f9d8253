/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How to run one instruction somewhere else ("single-step out of line",
 * although normally nothing is stepped). ssol_plan_insn() decides once, when a
 * site is made; ssol_emit() writes the slot: the instruction, rewritten where
 * it depends on its own address, and a jump back to the one behind it. The
 * processor runs the slot without another trap.
 *
 * Some forms take several instructions. A thread can be stopped between them,
 * or one can fault; ssol_unwind() turns every address inside a slot into the
 * state that the program would be in without the probe.
 *
 * A plain copy under TF is the other way: ssol_emit_step(), ssol_before_step()
 * and ssol_after_step(). A few instructions need it (ssol_needs_step()), all
 * others can be made to use it.
 *
 * Everything here is a pure function of its arguments, for any context.
 */
#ifndef UPROBES_ARCH_X86_SSOL_H
#define UPROBES_ARCH_X86_SSOL_H

#include "decode.h"

/** SSOL_SLOT_MAX - no slot is longer. */
#define SSOL_SLOT_MAX 64

/**
 * enum ssol_refusal - why an instruction cannot be run elsewhere
 * @SSOL_OK: it can
 * @SSOL_REFUSED_INT3: it is a breakpoint, somebody else's or the program's own
 * @SSOL_REFUSED_VENDOR: a branch whose length depends on who made the processor
 * @SSOL_REFUSED_ENCLAVE: it passes its own address on, to where no slot can reach
 */
enum ssol_refusal {
	SSOL_OK,
	SSOL_REFUSED_INT3,
	SSOL_REFUSED_VENDOR,
	SSOL_REFUSED_ENCLAVE,
	/* private: */
	SSOL_NR_REFUSALS,
};

/**
 * enum ssol_kind - what a slot does for its instruction
 * @SSOL_SKIP: nothing happens in it; a trap may as well go to the next address
 * @SSOL_COPY: the instruction as it is, a rip-relative displacement re-based
 * @SSOL_ONWARD: the same, but it never comes back (ret, indirect jumps)
 * @SSOL_JUMP: relative jump, re-aimed
 * @SSOL_JCC: conditional jump, re-aimed
 * @SSOL_LOOP: loop or jrcxz, by way of a hop inside the slot
 * @SSOL_CALL: push of the return address, jump
 * @SSOL_CALL_REG: the same for a call through a register
 * @SSOL_CALL_MEM: the same for a call through memory
 * @SSOL_SYSCALL: syscall, then rcx made to hold the original address
 * @SSOL_XBEGIN: transaction whose abort address is re-aimed
 * @SSOL_STEP: only the plain copy under TF will do
 */
enum ssol_kind {
	SSOL_SKIP,
	SSOL_COPY,
	SSOL_ONWARD,
	SSOL_JUMP,
	SSOL_JCC,
	SSOL_LOOP,
	SSOL_CALL,
	SSOL_CALL_REG,
	SSOL_CALL_MEM,
	SSOL_SYSCALL,
	SSOL_XBEGIN,
	SSOL_STEP,
	/* private: */
	SSOL_NR_KINDS,
};

/**
 * struct ssol_plan - how one instruction is run elsewhere; plain data
 * @insn: the decoded instruction
 * @text: its bytes
 * @kind: enum ssol_kind
 * @pushes_return: it is a call. A task with a user shadow stack must not run its
 *	slot, which pushes the return address on one of the two stacks only: the
 *	return would raise a control protection exception. Stepped, the copy
 *	pushes an address of its own on both; see struct ssol_poke. Instructions
 *	without this run as well with a shadow stack as without.
 */
struct ssol_plan {
	struct uinsn insn;
	u8 text[UINSN_MAX_LEN];
	u8 kind;
	bool pushes_return;
};

/**
 * ssol_refusal_name() - a refusal in words
 * @why: the refusal
 *
 * Return: words that continue "cannot probe here:", never NULL.
 */
const char *ssol_refusal_name(enum ssol_refusal why);

/** ssol_kind_name() - a kind in one word, for statistics and tests. */
const char *ssol_kind_name(enum ssol_kind kind);

/**
 * ssol_plan_insn() - decide how an instruction can be run elsewhere
 * @plan: result, valid only when 0 is returned
 * @text: the instruction's bytes, as they are without any breakpoint
 * @len: how many of them there are; more than the instruction is welcome
 * @mode: 32-bit or 64-bit code
 * @why: set to the reason on -EPERM, to SSOL_OK otherwise; may be NULL
 *
 * Return: 0; -EPERM refused; -EILSEQ not an instruction; -ENODATA @len is too
 * short to tell.
 */
int ssol_plan_insn(struct ssol_plan *plan, const u8 *text, size_t len,
		   enum uinsn_mode mode, enum ssol_refusal *why);

/** ssol_len() - length of the instruction in bytes. */
static inline unsigned int ssol_len(const struct ssol_plan *plan)
{
	return plan->insn.len;
}

/** ssol_fixed_len() - the same without the displacement and the immediate, its last bytes. */
static inline unsigned int ssol_fixed_len(const struct ssol_plan *plan)
{
	return plan->insn.disp_size ? plan->insn.disp_at :
	       plan->insn.imm_size ? plan->insn.imm_at : plan->insn.len;
}

/** ssol_is_skip() - the trap may just go to the next address; no slot is needed. */
static inline bool ssol_is_skip(const struct ssol_plan *plan)
{
	return plan->kind == SSOL_SKIP;
}

/** ssol_needs_step() - there is no slot without TF for this instruction. */
static inline bool ssol_needs_step(const struct ssol_plan *plan)
{
	return plan->kind == SSOL_STEP;
}

/**
 * struct ssol_state - what an address inside a slot stands for
 * @ip: where the program would be
 * @cx: value for rcx, when @set_cx or @set_cx_if says so
 * @old_cx: what rcx must hold for @set_cx_if
 * @sp: to be added to the stack pointer
 * @set_cx: rcx has the slot's address in it, left there by syscall
 * @set_cx_if: the kernel may be about to restart a syscall that has left the
 *	slot's address in rcx: if rcx is @old_cx, it is to be @cx
 * @done: the instruction is complete, nothing but jumps remain; when not, it
 *	has had no effect (once @sp is applied) and @ip is its own address
 */
struct ssol_state {
	u64 ip;
	u64 cx;
	u64 old_cx;
	s8 sp;
	bool set_cx;
	bool set_cx_if;
	bool done;
};

/**
 * ssol_original_ip() - the address that stands for one inside a slot
 * @plan: the plan
 * @addr: where the instruction is in the program
 * @slot: where the slot is
 * @ip: any address
 *
 * Return: @ip itself when it is not inside the slot.
 */
u64 ssol_original_ip(const struct ssol_plan *plan, u64 addr, u64 slot, u64 ip);

/**
 * struct ssol_regs - the registers that a step can concern
 * @ip: instruction pointer
 * @sp: stack pointer
 * @flags: flags
 * @cx: rcx
 * @r11: r11
 * @scratch: the register that ssol_scratch() names
 */
struct ssol_regs {
	u64 ip;
	u64 sp;
	u64 flags;
	u64 cx;
	u64 r11;
	u64 scratch;
};

/**
 * struct ssol_step - what must be remembered while a step is under way
 * @sp: stack pointer before
 * @flags: flags before
 * @scratch: scratch register before
 */
struct ssol_step {
	u64 sp;
	u64 flags;
	u64 scratch;
};

/**
 * struct ssol_poke - a word of memory to be written after a step
 * @at: where
 * @value: what, little-endian
 * @size: bytes; 0 for nothing to write
 * @is_return: it is a return address: the top of the task's shadow stack, if it
 *	has one, needs it too
 */
struct ssol_poke {
	u64 at;
	u64 value;
	u8 size;
	bool is_return;
};

/**
 * ssol_emit_step() - write the plain copy of an instruction, to be run under TF
 * @plan: the plan
 * @addr: where the instruction is in the program
 * @slot: where the copy will be
 * @buf: room for SSOL_SLOT_MAX bytes
 *
 * Return: bytes written. There is no distance that is too far: an operand out
 * of reach is addressed through the register ssol_scratch().
 */
int ssol_emit_step(const struct ssol_plan *plan, u64 addr, u64 slot, u8 *buf);

/**
 * ssol_step_original_ip() - the address that stands for one in what is stepped
 * @plan: the plan
 * @addr: where the instruction is in the program
 * @slot: where the copy is
 * @ip: an address that a thread was stopped or faulted at
 *
 * Return: @ip itself when no thread comes to be there.
 */
u64 ssol_step_original_ip(const struct ssol_plan *plan, u64 addr, u64 slot, u64 ip);

/**
 * ssol_scratch() - the register that a step borrows
 * @plan: the plan
 * @addr: where the instruction is in the program
 * @slot: where the copy is
 *
 * Return: the register's number as ModRM has it (6 rsi, 7 rdi, 5 rbp), or -1.
 */
int ssol_scratch(const struct ssol_plan *plan, u64 addr, u64 slot);

/**
 * ssol_before_step() - registers for running the plain copy
 * @plan: the plan
 * @addr: where the instruction is in the program
 * @slot: where the copy is
 * @step: keeps what ssol_after_step() will want
 * @regs: the thread's registers at the site, changed for the step
 */
void ssol_before_step(const struct ssol_plan *plan, u64 addr, u64 slot,
		      struct ssol_step *step, struct ssol_regs *regs);

/**
 * ssol_after_step() - registers after the debug trap that ends a step
 * @plan: the plan
 * @addr: where the instruction is in the program
 * @slot: where the copy is
 * @step: from ssol_before_step()
 * @regs: the thread's registers in the trap, corrected here
 * @poke: a word on the stack to be corrected
 *
 * Return: true when the instruction is complete; false when it is a repeated
 * string instruction that has more to do: resume it as it is.
 */
bool ssol_after_step(const struct ssol_plan *plan, u64 addr, u64 slot,
		     const struct ssol_step *step, struct ssol_regs *regs,
		     struct ssol_poke *poke);

/**
 * ssol_abort_step() - registers after a fault (or a signal) in place of the trap
 * @plan: the plan
 * @addr: where the instruction is in the program
 * @slot: where the copy is
 * @step: from ssol_before_step()
 * @regs: the thread's registers, made those of the site again
 */
void ssol_abort_step(const struct ssol_plan *plan, u64 addr, u64 slot,
		     const struct ssol_step *step, struct ssol_regs *regs);

#endif /* UPROBES_ARCH_X86_SSOL_H */
