/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which status flags an instruction reads and writes, and which flags no instruction reads any
 * more. A pad that changes only the latter need not save them.
 *
 * All functions here are pure, and can be called in any context.
 */
#ifndef UPROBES_ARCH_X86_STATUS_H
#define UPROBES_ARCH_X86_STATUS_H

#include "decode.h"

#define STATUS_CF	0x0001
#define STATUS_PF	0x0004
#define STATUS_AF	0x0010
#define STATUS_ZF	0x0040
#define STATUS_SF	0x0080
#define STATUS_OF	0x0800

/** STATUS_ALL - the status flags, by their bits in the flags register. */
#define STATUS_ALL	(STATUS_CF | STATUS_PF | STATUS_AF | STATUS_ZF | STATUS_SF | STATUS_OF)

/**
 * struct status - what an instruction does with the status flags
 * @reads: flags that it may depend on
 * @writes: flags whose values afterwards do not depend on those before. The manual may call such a
 *	value undefined. It is not listed if a processor is known to keep the old value then.
 */
struct status {
	u16 reads;
	u16 writes;
};

/**
 * status_of() - find out what an instruction does with the status flags
 * @insn: the instruction, of 64-bit code
 * @text: its bytes
 * @status: the result
 *
 * Source: Intel SDM vol. 1, appendix A, and the instructions' pages in vol. 2.
 *
 * Return: false if that is not known.
 */
bool status_of(const struct uinsn *insn, const u8 *text, struct status *status);

/**
 * status_live() - find the flags whose values the program may still use
 * @text: text from the next instruction on
 * @len: number of bytes that are known
 *
 * Follow the text up to the first branch.
 *
 * Return: a set of flags, which has each flag that may be read before it is written.
 */
unsigned int status_live(const u8 *text, size_t len);

#endif /* UPROBES_ARCH_X86_STATUS_H */
