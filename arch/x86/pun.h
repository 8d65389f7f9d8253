/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether a jump can stand in the place of an instruction. The jump has five bytes, and most
 * instructions have fewer. So it also covers the instructions behind the first one. The program may
 * jump to those, or a thread may have been stopped there. So each byte of the displacement at which
 * an instruction begins must be one that raises an exception if it is executed. The trap finds the
 * copy of that instruction.
 *
 * A thread that executes the first byte jumps. At the first byte of another instruction it traps.
 *
 * The bytes do not show the following, so the caller ensures it: the text is executed as 64-bit
 * code only, it is not written while the jump is there, and its first five bytes are in one page.
 *
 * All functions here are pure, and can be called in any context.
 */
#ifndef UPROBES_ARCH_X86_PUN_H
#define UPROBES_ARCH_X86_PUN_H

#include "ssol.h"

/** PUN_LEN - length of the jump: E9 and four bytes of displacement. */
#define PUN_LEN 5

/** PUN_INSNS - the largest number of instructions that a jump covers. */
#define PUN_INSNS PUN_LEN

/** PUN_TEXT_MAX - the largest length of the covered instructions, in bytes. */
#define PUN_TEXT_MAX (PUN_LEN - 1 + UINSN_MAX_LEN)

/**
 * enum pun_refusal - why no jump can stand at an address
 * @PUN_OK: one can
 * @PUN_FIRST: the instruction itself needs a trap, or nothing may follow it under the jump
 * @PUN_COVERED: so does an instruction behind it, or it is not known
 * @PUN_ENDS: an instruction within the five bytes does not go on to the next one, and what follows
 *	may be data
 * @PUN_SHORT: the text ends within the covered instructions
 */
enum pun_refusal {
	PUN_OK,
	PUN_FIRST,
	PUN_COVERED,
	PUN_ENDS,
	PUN_SHORT,
	/* private: */
	PUN_NR_REFUSALS,
};

/**
 * struct pun - a place where a jump can stand; plain data
 * @text: the covered instructions
 * @len: number of bytes in @text, at least %PUN_LEN
 * @nr: number of instructions
 * @at: offsets of the instructions; @at[0] is 0
 * @traps: bit k is set if the byte at offset k must raise an exception
 * @calls: one instruction is a call. A task with a user shadow stack must not execute its copy: see
 *	ssol_plan::pushes_return
 */
struct pun {
	u8 text[PUN_TEXT_MAX];
	u8 len;
	u8 nr;
	u8 at[PUN_INSNS];
	u8 traps;
	bool calls;
};

/** pun_refusal_name() - get the text of a refusal, which continues "no jump:". */
const char *pun_refusal_name(enum pun_refusal why);

/**
 * pun_decide() - decide whether a jump can stand in the place of 64-bit code
 * @pun: result, valid only for %PUN_OK
 * @text: the text, without any breakpoint
 * @len: number of bytes that are known; more than %PUN_TEXT_MAX are not needed
 */
enum pun_refusal pun_decide(struct pun *pun, const u8 *text, size_t len);

/**
 * pun_traps() - check whether a byte raises an exception when it is executed as an instruction
 * @byte: the byte
 *
 * These are int3, and bytes that are undefined in 64-bit mode before any other bytes: those with
 * the superscript i64 in Intel SDM vol. 2, table A-2. Prefixes of newer encodings and bytes with
 * an operand do not count.
 */
bool pun_traps(u8 byte);

/** PUN_BYTES - the number of bytes for which pun_traps() is true. */
#define PUN_BYTES 14

/** pun_byte() - get the bytes for which pun_traps() is true, by number; int3 is the first. */
u8 pun_byte(unsigned int nr);

/**
 * pun_jump() - write the jump
 * @pun: where
 * @addr: address of the first instruction
 * @target: address to jump to
 * @jump: set to the five bytes
 *
 * Return: false if the target is out of reach, or its displacement has a byte that does not trap
 * where it must.
 */
bool pun_jump(const struct pun *pun, u64 addr, u64 target, u8 jump[PUN_LEN]);

/**
 * pun_insn_at() - find the covered instruction that begins at an offset
 * @pun: where
 * @offset: the offset
 * @unlocked: set if the offset is behind the LOCK prefix of that instruction. While it has one
 *	thread, a program may jump there (je 1f; lock; 1: cmpxchg ...). The thread must go on one
 *	byte behind the start of the copy.
 *
 * Return: the number of the instruction; -1 if none begins there, or if it begins behind the jump.
 */
int pun_insn_at(const struct pun *pun, unsigned int offset, bool *unlocked);

#endif /* UPROBES_ARCH_X86_PUN_H */
