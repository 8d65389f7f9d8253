// SPDX-License-Identifier: GPL-2.0
/*
 * LLVM describes stack slots relative to %bp or %sp.  It means the values that
 * these registers hold between the function's prologue and its epilogues.  The
 * unwind table gives the caller's stack pointer at every instruction, from which
 * these values can be computed.
 */
#include "frame_base.h"

#include <dwarf.h>

#include "util/error.h"
#include "elf/text.h"

/* Number of rows of the unwind table that are read; a limit on hostile files. */
#define ROWS_MAX 4096

/* In prologues and epilogues, a row covers one instruction of at most this many bytes. */
#define PROLOGUE_ROW_MAX 7
#define EPILOGUE_ROW_MAX 2

/* Registers in DWARF numbering. */
static u64 stack_pointer(const struct frame *frame)
{
	return frame->info->image->ehdr.e_machine == EM_X86_64 ? 7 : 4;
}

static u64 frame_pointer(const struct frame *frame)
{
	return frame->info->image->ehdr.e_machine == EM_X86_64 ? 6 : 5;
}

/**
 * cfa_at() - find the value of the caller's stack pointer before the call
 * @info: the debug information
 * @addr: address of an instruction
 * @cfa: filled in
 *
 * Return: whether the value is known.
 */
bool cfa_at(const struct debug_info *info, u64 addr, struct cfa *cfa)
{
	if (cfa_in_image(info->image, addr, cfa))
		return true;
	if (!cfa_in_table(dwarf_getcfi(info->dwarf), addr - info->bias, cfa))
		return false;
	cfa->end += info->bias;
	return true;
}

/**
 * struct depth - the depth of the stack in the rows of a function
 * @entry: distance of the caller's stack pointer at the entry
 * @max: the largest distance
 * @row: length of the previous row
 * @last: distance in the previous row
 * @unclear: calls push their arguments, so @max is not the distance in the body
 */
struct depth {
	s64 entry;
	s64 max;
	u64 row;
	s64 last;
	bool unclear;
};

static void look_at(struct depth *depth, s64 offset, u64 len)
{
	bool partly = offset < depth->max && offset != depth->entry;

	if (partly && len > EPILOGUE_ROW_MAX)
		depth->unclear = true;
	if (offset > depth->max) {
		if (depth->last != depth->entry &&
		    depth->row > PROLOGUE_ROW_MAX)
			depth->unclear = true;
		depth->max = offset;
	}
	depth->last = offset;
	depth->row = len;
}

static bool find_end(const struct frame *frame, u64 *end)
{
	Dwarf_Die function = frame->function;
	Dwarf_Addr base, first, last;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(&function, at, &base, &first, &last)) > 0) {
		if (first + frame->info->bias != frame->start)
			continue;
		*end = last + frame->info->bias;
		return true;
	}
	return false;
}

/* Find the depth of the stack in the body, if all rows are relative to the stack pointer. */
static bool find_depth(const struct frame *frame, u64 end, struct depth *depth)
{
	u64 addr = frame->start;
	unsigned int rows = 0;
	struct cfa cfa;

	for (; addr < end; addr = cfa.end) {
		if (rows++ == ROWS_MAX || !cfa_at(frame->info, addr, &cfa) ||
		    cfa.reg != stack_pointer(frame) || cfa.stored)
			return false;
		if (addr == frame->start)
			depth->entry = cfa.offset;
		look_at(depth, cfa.offset, cfa.end - addr);
	}
	return !depth->unclear;
}

/* Find the first row that is relative to @reg: a frame pointer does not change in the body. */
static bool find_pointed(const struct frame *frame, u64 end, u64 reg,
			 struct cfa *cfa)
{
	u64 addr = frame->start;
	unsigned int rows = 0;

	for (; addr < end && rows < ROWS_MAX; addr = cfa->end, rows++) {
		if (!cfa_at(frame->info, addr, cfa))
			return false;
		if (cfa->reg == reg)
			return !cfa->stored;
	}
	return false;
}

/**
 * frame_base_distance() - get the distance from a frame base up to the caller's stack pointer
 * @frame: an instruction of the function
 * @reg: the register that holds the frame base according to the debug information
 * @distance: set to the distance
 *
 * Return: whether the distance is known.
 */
bool frame_base_distance(const struct frame *frame, u64 reg, s64 *distance)
{
	struct depth depth = { 0 };
	struct cfa cfa;
	bool known;
	u64 end;

	if (!find_end(frame, &end))
		return false;
	if (reg != stack_pointer(frame)) {
		known = find_pointed(frame, end, reg, &cfa);
		*distance = cfa.offset;
	} else {
		known = find_depth(frame, end, &depth);
		*distance = depth.max;
	}
	return known;
}

/* Check for a pop: if the stack is realigned, the unwind table does not show the epilogue. */
static bool is_pop(const struct frame *frame)
{
	struct instruction insn;
	struct error *err;

	err = text_instruction(frame->info->image, frame->addr, &insn);
	error_free(err);
	return !err && insn.decoded.map == UINSN_MAP_1 &&
	       insn.decoded.opcode >= 0x58 && insn.decoded.opcode <= 0x5f;
}

/**
 * frame_is_set_up() - check whether a register holds its value of the body
 * @frame: the instruction
 * @reg: the stack pointer or the frame pointer
 *
 * Return: false in the prologue or an epilogue, or if this is not known.
 */
bool frame_is_set_up(const struct frame *frame, u64 reg)
{
	u64 sp = stack_pointer(frame), end;
	struct depth depth = { 0 };
	struct cfa now;

	if (!cfa_at(frame->info, frame->addr, &now) || !find_end(frame, &end))
		return false;
	if (now.reg == frame_pointer(frame))
		return reg != sp || !is_pop(frame);
	return now.reg == sp && reg == sp && find_depth(frame, end, &depth) &&
	       now.offset == depth.max;
}

/**
 * frame_register_holds() - check whether a location list is right about a register
 * @frame: the instruction
 * @reg: the register
 *
 * LLVM does not end an entry of a location list where an epilogue begins, so the
 * entry can be wrong in the epilogue.
 */
bool frame_register_holds(const struct frame *frame, u64 reg)
{
	u64 sp = stack_pointer(frame), fp = frame_pointer(frame);
	Dwarf_Die function = frame->function;
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if ((reg != sp && reg != fp) ||
	    !dwarf_attr_integrate(&function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation(&attr, &ops, &n) || n != 1 ||
	    (ops[0].atom != DW_OP_reg0 + sp && ops[0].atom != DW_OP_reg0 + fp))
		return true;
	/* In code without frame pointers, the frame pointer is like any other register. */
	if (reg == fp && ops[0].atom == DW_OP_reg0 + sp)
		return true;
	return frame_is_set_up(frame, reg);
}
