/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How to execute one instruction at another address ("single-step out of line",
 * although normally nothing is stepped). ssol_plan_insn() decides this once, when a
 * site is made. ssol_emit() writes the slot: the instruction, rewritten if
 * it depends on its own address, and a jump back to the instruction behind it. The
 * processor executes the slot without another trap.
 *
 * Some slots have several instructions. A thread can be stopped between them,
 * or one of them can fault. ssol_unwind() converts each address inside a slot to the
 * state that the program would have without the probe.
 *
 * The alternative to a slot without a second trap is a step: a plain copy under TF
 * (ssol_emit_step(), ssol_before_step(), ssol_after_step()). A few instructions need a
 * step (ssol_needs_step()). All others can use one.
 *
 * All functions here are pure, and can be called in any context.
 */
#ifndef UPROBES_ARCH_X86_SSOL_H
#define UPROBES_ARCH_X86_SSOL_H

#include "decode.h"

/** SSOL_SLOT_MAX - the largest size of a slot, in bytes. */
#define SSOL_SLOT_MAX 64

/**
 * enum ssol_refusal - why an instruction cannot execute at another address
 * @SSOL_OK: it can
 * @SSOL_REFUSED_INT3: it is a breakpoint, of another owner or of the program itself
 * @SSOL_REFUSED_VENDOR: it is a branch whose length depends on the vendor of the processor
 * @SSOL_REFUSED_ENCLAVE: it tells an enclave its own address, which no slot can correct there
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

/**
 * ssol_refusal_name() - get the text of a refusal
 * @why: the refusal
 *
 * Return: words that continue "cannot probe here:", never NULL.
 */
const char *ssol_refusal_name(enum ssol_refusal why);

/** ssol_kind_name() - get a kind in one word, for statistics and tests. */
const char *ssol_kind_name(enum ssol_kind kind);

/**
 * ssol_plan_insn() - decide how an instruction can execute at another address
 * @plan: result, valid only when 0 is returned
 * @text: the instruction's bytes, without any breakpoint
 * @len: number of bytes; may be more than the instruction has
 * @mode: 32-bit or 64-bit code
 * @why: set to the reason on -EPERM, to SSOL_OK otherwise; may be NULL
 *
 * Return: 0; -EPERM if refused; -EILSEQ if not an instruction; -ENODATA if @len is too
 * short to know.
 */
int ssol_plan_insn(struct ssol_plan *plan, const u8 *text, size_t len,
		   enum uinsn_mode mode, enum ssol_refusal *why);

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

/**
 * ssol_original_ip() - convert an address inside a slot to the program's address
 * @plan: the plan
 * @addr: address of the instruction in the program
 * @slot: address of the slot
 * @ip: any address
 *
 * Return: the program's address; @ip itself if it is not inside the slot.
 */
u64 ssol_original_ip(const struct ssol_plan *plan, u64 addr, u64 slot, u64 ip);

/**
 * struct ssol_regs - the registers that a step uses or changes
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
 * struct ssol_step - registers that are saved during a step
 * @sp: stack pointer before the step
 * @flags: flags before the step
 * @scratch: scratch register before the step
 */
struct ssol_step {
	u64 sp;
	u64 flags;
	u64 scratch;
};

/**
 * struct ssol_poke - a word of memory to write after a step
 * @at: address of the word
 * @value: its value, little-endian
 * @size: its size in bytes; 0 if nothing has to be written
 * @is_return: the word is a return address: if the task has a shadow stack, the top of that
 *	needs the value, too
 */
struct ssol_poke {
	u64 at;
	u64 value;
	u8 size;
	bool is_return;
};

/**
 * ssol_emit_step() - write the plain copy of an instruction, to execute under TF
 * @plan: the plan
 * @addr: address of the instruction in the program
 * @slot: address that the copy will have
 * @buf: room for SSOL_SLOT_MAX bytes
 *
 * Return: number of bytes written. No distance is too far: if an operand is out
 * of reach, the copy addresses it through the register ssol_scratch().
 */
int ssol_emit_step(const struct ssol_plan *plan, u64 addr, u64 slot, u8 *buf);

/**
 * ssol_step_original_ip() - convert an address inside a stepped copy to the program's address
 * @plan: the plan
 * @addr: address of the instruction in the program
 * @slot: address of the copy
 * @ip: an address at which a thread was stopped or faulted
 *
 * Return: the program's address; @ip itself if no thread can be there in a step.
 */
u64 ssol_step_original_ip(const struct ssol_plan *plan, u64 addr, u64 slot, u64 ip);

/**
 * ssol_scratch() - get the register that a step borrows
 * @plan: the plan
 * @addr: address of the instruction in the program
 * @slot: address of the copy
 *
 * Return: the number of the register in ModRM (6 rsi, 7 rdi, 5 rbp), or -1 for none.
 */
int ssol_scratch(const struct ssol_plan *plan, u64 addr, u64 slot);

/**
 * ssol_before_step() - set the registers to execute the plain copy
 * @plan: the plan
 * @addr: address of the instruction in the program
 * @slot: address of the copy
 * @step: set to what ssol_after_step() needs
 * @regs: the thread's registers at the site, changed for the step
 */
void ssol_before_step(const struct ssol_plan *plan, u64 addr, u64 slot,
		      struct ssol_step *step, struct ssol_regs *regs);

/**
 * ssol_after_step() - correct the registers after the debug exception that ends a step
 * @plan: the plan
 * @addr: address of the instruction in the program
 * @slot: address of the copy
 * @step: from ssol_before_step()
 * @regs: the thread's registers in the trap, corrected here
 * @poke: set to a word on the stack that the caller must correct
 *
 * Return: true if the instruction is complete; false if it is a repeated
 * string instruction that has more to do: resume it as it is.
 */
bool ssol_after_step(const struct ssol_plan *plan, u64 addr, u64 slot,
		     const struct ssol_step *step, struct ssol_regs *regs,
		     struct ssol_poke *poke);

/**
 * ssol_abort_step() - restore the registers after a fault (or a signal) instead of the trap
 * @plan: the plan
 * @addr: address of the instruction in the program
 * @slot: address of the copy
 * @step: from ssol_before_step()
 * @regs: the thread's registers, changed to those at the site
 */
void ssol_abort_step(const struct ssol_plan *plan, u64 addr, u64 slot,
		     const struct ssol_step *step, struct ssol_regs *regs);

#endif /* UPROBES_ARCH_X86_SSOL_H */
