/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find where the instructions of a function begin, and which of them leave the function.
 *
 * The functions here read a function from its first byte to its last, as compilers lay it out.
 * Some assembler sources have data between instructions, which can hide where the next instruction
 * begins.  Bytes that are no instruction are reported.
 */
#ifndef UPROBES_ARCH_X86_BOUNDARY_H
#define UPROBES_ARCH_X86_BOUNDARY_H

#include "decode.h"

/**
 * boundary_check() - check whether an instruction begins at an offset
 * @text: the function's bytes
 * @len: number of bytes
 * @mode: 32-bit or 64-bit code
 * @offset: the offset in question, less than @len
 * @begin: if the result is 0, set to the offset of the instruction that contains @offset; if it is
 *	-EILSEQ, set to the offset of the bytes that are no instruction; may be NULL
 *
 * Return: 1 if an instruction begins there; 0 if not; -EILSEQ if bytes before @offset are no
 * instruction, so that the answer is not known; -EINVAL if @offset is not inside.
 */
int boundary_check(const u8 *text, size_t len, enum uinsn_mode mode, size_t offset,
		   size_t *begin);

/**
 * enum boundary_exit_kind - a way out of a function
 * @BOUNDARY_RET: any return
 * @BOUNDARY_JUMP: a jump to a known address outside; mostly a tail call
 * @BOUNDARY_JUMP_IF: a conditional jump to a known address outside
 * @BOUNDARY_JUMP_IND: a jump through a register or memory, which may leave the function or, in
 *	a switch, stay inside
 */
enum boundary_exit_kind {
	BOUNDARY_RET,
	BOUNDARY_JUMP,
	BOUNDARY_JUMP_IF,
	BOUNDARY_JUMP_IND,
};

/**
 * struct boundary_exit - an instruction that leaves a function
 * @offset: its offset
 * @target: the address that it jumps to, for BOUNDARY_JUMP and BOUNDARY_JUMP_IF
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
 * @len: number of bytes
 * @mode: 32-bit or 64-bit code
 * @addr: the function's address
 * @exits: filled in with the instructions, in order of their offsets
 * @room: number of elements of @exits
 * @stopped: on an error, set to the offset of the bytes that are no instruction; may be NULL
 *
 * Return: the number of instructions, even if it exceeds @room; -EILSEQ if bytes are no
 * instruction, -ENODATA if the last instruction is cut off.
 */
long boundary_exits(const u8 *text, size_t len, enum uinsn_mode mode, u64 addr,
		    struct boundary_exit *exits, size_t room, size_t *stopped);

#endif /* UPROBES_ARCH_X86_BOUNDARY_H */
