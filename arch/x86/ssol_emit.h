/* SPDX-License-Identifier: GPL-2.0 */
/* Writing slots, and what ssol.c and ssol_emit.c share. */
#ifndef UPROBES_ARCH_X86_SSOL_EMIT_H
#define UPROBES_ARCH_X86_SSOL_EMIT_H

#include "ssol.h"

/* Get the size of the return address that a near call pushes. */
static inline unsigned int ssol_word(const struct uinsn *insn)
{
	return insn->mode == UINSN_MODE_64 ? 8 : insn->operand_size;
}

/* Get the number of the register that ModRM.rm names, 0 to 31. */
unsigned int ssol_register_rm(const struct ssol_plan *plan);

/* Check whether the base of the memory operand is the stack pointer. */
bool ssol_stack_based(const struct ssol_plan *plan);

/*
 * Write the instruction as it must be at address @at, without anything behind it.  Return the
 * number of bytes written, or -ERANGE if a rip-relative operand is out of reach.
 */
int ssol_copy(const struct ssol_plan *plan, u64 addr, u64 at, u8 *buf);

/* Write a jump that will be at address @at.  Return the number of bytes written, at most 21. */
unsigned int ssol_put_jump(enum uinsn_mode mode, u64 at, u64 target, u8 *buf);

/**
 * ssol_emit() - write the slot of an instruction
 * @plan: the plan
 * @addr: address of the instruction in the program
 * @slot: address that the slot will have
 * @buf: room for SSOL_SLOT_MAX bytes
 *
 * Return: number of bytes written; -ERANGE if @slot is too far from the address that a
 * rip-relative operand names (a step with the register form reaches it); -EOPNOTSUPP if
 * ssol_needs_step().
 */
int ssol_emit(const struct ssol_plan *plan, u64 addr, u64 slot, u8 *buf);

/**
 * ssol_unwind() - find the program's state for an address inside a slot
 * @plan: the plan
 * @addr: address of the instruction in the program
 * @slot: address of the slot, as emitted by ssol_emit()
 * @ip: an address at which a thread was stopped or faulted
 * @state: filled in if @ip is inside the slot
 *
 * Return: true if @ip is inside the slot.
 */
bool ssol_unwind(const struct ssol_plan *plan, u64 addr, u64 slot, u64 ip,
		 struct ssol_state *state);

#endif /* UPROBES_ARCH_X86_SSOL_EMIT_H */
