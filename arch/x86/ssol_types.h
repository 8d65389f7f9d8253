/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The plan for an instruction, which ssol.c makes and ssol_emit.c reads, and the state of the
 * program for an address inside a slot.
 */
#ifndef UPROBES_ARCH_X86_SSOL_TYPES_H
#define UPROBES_ARCH_X86_SSOL_TYPES_H

#include "decode.h"

/** SSOL_SLOT_MAX - the largest size of a slot, in bytes. */
#define SSOL_SLOT_MAX 64

/**
 * enum ssol_kind - what a slot does for its instruction
 * @SSOL_SKIP: nothing; a trap may go to the next address at once
 * @SSOL_COPY: the instruction itself, with a rip-relative displacement corrected
 * @SSOL_ONWARD: as %SSOL_COPY, but without a jump back (ret, indirect jumps)
 * @SSOL_JUMP: relative jump, with a new displacement
 * @SSOL_JCC: conditional jump, with a new displacement
 * @SSOL_LOOP: loop or jrcxz, which goes to a jump at the end of the slot
 * @SSOL_CALL: push of the return address, jump
 * @SSOL_CALL_REG: the same for a call through a register
 * @SSOL_CALL_MEM: the same for a call through memory
 * @SSOL_SYSCALL: syscall, then a load of rcx with the original address
 * @SSOL_XBEGIN: xbegin, whose abort address is a jump at the end of the slot
 * @SSOL_STEP: the instruction needs a step
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
 * struct ssol_plan - how one instruction executes at another address; plain data
 * @insn: the decoded instruction
 * @text: its bytes
 * @kind: enum ssol_kind
 * @pushes_return: the instruction is a call. A task with a user shadow stack must not execute its
 *	slot: the slot pushes the return address on only one of the two stacks, so the return
 *	would raise a control protection exception. In a step, the copy pushes the address
 *	behind itself on both stacks; see struct ssol_poke. A shadow stack makes no difference
 *	to other instructions.
 */
struct ssol_plan {
	struct uinsn insn;
	u8 text[UINSN_MAX_LEN];
	u8 kind;
	bool pushes_return;
};

/** ssol_len() - get the length of the instruction in bytes. */
static inline unsigned int ssol_len(const struct ssol_plan *plan)
{
	return plan->insn.len;
}

/** ssol_fixed_len() - get the length without the displacement and immediate at its end. */
static inline unsigned int ssol_fixed_len(const struct ssol_plan *plan)
{
	return plan->insn.disp_size ? plan->insn.disp_at :
	       plan->insn.imm_size ? plan->insn.imm_at : plan->insn.len;
}

/** ssol_is_skip() - check whether the trap may go to the next address, without a slot. */
static inline bool ssol_is_skip(const struct ssol_plan *plan)
{
	return plan->kind == SSOL_SKIP;
}

/** ssol_is_syscall() - check for a system call, in which the task may sleep, fork or exec. */
static inline bool ssol_is_syscall(const struct ssol_plan *plan)
{
	return plan->insn.class == UINSN_SYSCALL || plan->insn.class == UINSN_SYSENTER ||
	       plan->insn.class == UINSN_INT;
}

/** ssol_needs_step() - check whether the instruction can execute under TF only. */
static inline bool ssol_needs_step(const struct ssol_plan *plan)
{
	return plan->kind == SSOL_STEP;
}

/**
 * struct ssol_state - the state of the program that an address inside a slot stands for
 * @ip: the program's ip
 * @cx: the value for rcx, if @set_cx or @set_cx_if is set
 * @old_cx: the value that rcx must have for @set_cx_if
 * @sp: number to add to the stack pointer
 * @set_cx: syscall has left the slot's address in rcx
 * @set_cx_if: the kernel may be about to restart a syscall that has left the
 *	slot's address in rcx: if rcx is @old_cx, it must become @cx
 * @done: the instruction is complete, and only jumps remain; if not, it
 *	has had no effect (once @sp is applied), and @ip is its own address
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

#endif /* UPROBES_ARCH_X86_SSOL_TYPES_H */
