/* SPDX-License-Identifier: GPL-2.0 */
/* Writing slots, and what ssol.c and pad.c need of it. */
#ifndef UPROBES_ARCH_X86_SSOL_EMIT_H
#define UPROBES_ARCH_X86_SSOL_EMIT_H

#include "ssol_types.h"

/**
 * struct ssol_mark - a place in emitted code from which another state of the program begins
 * @ip: the program's ip there
 * @at: offset in the code
 * @sp: number to add to the stack pointer
 * @done: the instruction is complete
 * @set_cx: a system call has left an address of the code in rcx
 */
struct ssol_mark {
	u64 ip;
	u16 at;
	s8 sp;
	bool done;
	bool set_cx;
};

/* One instruction has at most four marks, and a pad has up to five instructions. */
#define SSOL_MARKS	24

/**
 * struct ssol_out - code that is being emitted
 * @buf: the code
 * @slot: address that @buf[0] will have
 * @len: number of bytes in @buf
 * @marks: number of @mark
 * @mark: places at which a thread can be, in ascending order
 */
struct ssol_out {
	u8 *buf;
	u64 slot;
	unsigned int len;
	unsigned int marks;
	struct ssol_mark mark[SSOL_MARKS];
};

/* Mark the end of the code so far. */
void ssol_mark(struct ssol_out *out, u64 ip, bool done, int sp);

/*
 * Find the state for an address, which is not before the first mark; NULL if it is not in the code.
 */
const struct ssol_mark *ssol_mark_of(const struct ssol_out *out, u64 ip);

/*
 * Append an instruction.  If ssol_goes_on(), the program goes on behind the code; else
 * the code has all jumps that it needs.  Return 0, or an error of ssol_emit().
 */
int ssol_emit_insn(struct ssol_out *out, const struct ssol_plan *plan, u64 addr);

/*
 * Check whether a thread can run out of the code of the instruction at its end, on the way to the
 * next instruction.  If not, the code has a jump to there, or the instruction never goes there.
 */
bool ssol_goes_on(const struct ssol_plan *plan);

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
