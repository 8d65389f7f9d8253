/* SPDX-License-Identifier: GPL-2.0 */
/* What ssol.c and ssol_emit.c share. */
#ifndef UPROBES_ARCH_X86_SSOL_EMIT_H
#define UPROBES_ARCH_X86_SSOL_EMIT_H

#include "ssol.h"

/* Size of what a near call pushes. */
static inline unsigned int ssol_word(const struct uinsn *insn)
{
	return insn->mode == UINSN_MODE_64 ? 8 : insn->operand_size;
}

/* Number of the register that ModRM.rm names, 0 to 31. */
unsigned int ssol_register_rm(const struct ssol_plan *plan);

/* The memory operand's base is the stack pointer. */
bool ssol_stack_based(const struct ssol_plan *plan);

/*
 * The instruction as it has to be at another address, without anything behind
 * it: bytes written, or -ERANGE for a rip-relative operand out of reach.
 */
int ssol_copy(const struct ssol_plan *plan, u64 addr, u64 at, u8 *buf);

/* A jump that stands at an address: bytes written, at most 21. */
unsigned int ssol_put_jump(enum uinsn_mode mode, u64 at, u64 target, u8 *buf);

/**
 * ssol_emit() - write the slot of an instruction
 * @plan: the plan
 * @addr: where the instruction is in the program
 * @slot: where the slot will be
 * @buf: room for SSOL_SLOT_MAX bytes
 *
 * Return: bytes written; -ERANGE when @slot is too far from what a rip-relative
 * operand names (a step with the register form reaches it); -EOPNOTSUPP when
 * ssol_needs_step().
 */
int ssol_emit(const struct ssol_plan *plan, u64 addr, u64 slot, u8 *buf);

/**
 * ssol_unwind() - the program's state for an address inside a slot
 * @plan: the plan
 * @addr: where the instruction is in the program
 * @slot: where the slot is, as emitted by ssol_emit()
 * @ip: an address that a thread was stopped or faulted at
 * @state: result
 *
 * Return: true and @state filled when @ip is inside the slot.
 */
bool ssol_unwind(const struct ssol_plan *plan, u64 addr, u64 slot, u64 ip,
		 struct ssol_state *state);

#endif /* UPROBES_ARCH_X86_SSOL_EMIT_H */
