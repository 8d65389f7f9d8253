/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instructions of one function: where they begin, and where it is left.
 *
 * A function is read from its first byte to its last, as compilers lay it out.
 * Data between instructions, which some assembler sources have, can hide where
 * the next instruction begins; bytes that are no instruction are reported.
 */
#ifndef UPROBES_ARCH_X86_BOUNDARY_H
#define UPROBES_ARCH_X86_BOUNDARY_H

#include "decode.h"

/**
 * boundary_check() - whether an instruction begins at an offset
 * @text: the function's bytes
 * @len: how many there are
 * @mode: 32-bit or 64-bit code
 * @offset: the offset in question, less than @len
 * @begin: on 0 the offset where the instruction begins that @offset is in the
 *	middle of, on -EILSEQ that of the bytes that are no instruction; may be
 *	NULL
 *
 * Return: 1 when one begins there; 0 when not; -EILSEQ when bytes before
 * @offset are no instruction, so that it cannot be told; -EINVAL when @offset
 * is not inside.
 */
int boundary_check(const u8 *text, size_t len, enum uinsn_mode mode, size_t offset,
		   size_t *begin);

/**
 * enum boundary_exit_kind - a way out of a function
 * @BOUNDARY_RET: any return
 * @BOUNDARY_JUMP: a jump to a known address outside; a tail call, mostly
 * @BOUNDARY_JUMP_IF: the same under a condition
 * @BOUNDARY_JUMP_IND: a jump through a register or memory, which may lead
 *	outside or, in a switch, stay
 */
enum boundary_exit_kind {
	BOUNDARY_RET,
	BOUNDARY_JUMP,
	BOUNDARY_JUMP_IF,
	BOUNDARY_JUMP_IND,
};

/**
 * struct boundary_exit - an instruction that leaves a function
 * @offset: where it begins
 * @target: address that it goes to, for BOUNDARY_JUMP and BOUNDARY_JUMP_IF
 * @len: its length
 * @kind: enum boundary_exit_kind
 */
struct boundary_exit {
	size_t offset;
	u64 target;
	u8 len;
	u8 kind;
};

/**
 * boundary_exits() - list the instructions that leave a function
 * @text: the function's bytes
 * @len: how many there are
 * @mode: 32-bit or 64-bit code
 * @addr: the function's address
 * @exits: room for the result, in order of their offsets
 * @room: how many fit
 * @stopped: on an error, the offset of the bytes that are no instruction; may
 *	be NULL
 *
 * Return: how many there are, also when that is more than @room; -EILSEQ when
 * bytes are no instruction, -ENODATA when the last instruction is cut off.
 */
long boundary_exits(const u8 *text, size_t len, enum uinsn_mode mode, u64 addr,
		    struct boundary_exit *exits, size_t room, size_t *stopped);

#endif /* UPROBES_ARCH_X86_BOUNDARY_H */
