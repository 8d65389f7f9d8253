/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values of the program: registers, words of its stack, and memory.
 */
#ifndef UPROBES_ARCH_X86_PAD_VALUE_H
#define UPROBES_ARCH_X86_PAD_VALUE_H

#include "pad_out.h"

/* Load the address of a byte from the program's stack pointer on, or the word there. */
void pad_put_stack(struct pad_out *o, u8 opcode, unsigned int reg, unsigned int offset);

/*
 * Trap if the word @reg, or a word below it, is on another page than the pushed registers. The page
 * at the stack pointer is there, as a word was pushed on it.
 */
void pad_put_page_check(struct pad_out *o, unsigned int reg);

/*
 * Load a register of the program, or a word of its stack, into rdx. Return the number of the
 * register that has it: one that the pad does not use is not loaded.
 */
unsigned int pad_put_load(struct pad_out *o, unsigned int reg);

/* Load a number in memory into rdx, extended by zeros. */
void pad_put_number(struct pad_out *o, const struct pad_load *load);

/*
 * Record bytes in memory. The record is at rcx + rax. Only rdx changes, so an instruction here that
 * faults can be followed by the tail.
 */
void pad_put_loads(struct pad_out *o, const struct pad_recording *r);

#endif /* UPROBES_ARCH_X86_PAD_VALUE_H */
