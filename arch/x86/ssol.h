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

#include "ssol_types.h"

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
