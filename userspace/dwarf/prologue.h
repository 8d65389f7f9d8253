/* SPDX-License-Identifier: GPL-2.0 */
/* The effect of a function's first instructions on the registers. */
#ifndef _USERSPACE_PROLOGUE_H
#define _USERSPACE_PROLOGUE_H

#include <stdbool.h>

#include "elf/text.h"

/* The general-purpose registers, and %xmm0 to %xmm15. */
#define PROLOGUE_REGS 32

/**
 * struct prologue - contents of the registers after some first instructions
 * @held: for each register, by its encoding, the register whose entry value it
 *	holds now, for vector registers in the lower half; PROLOGUE_REGS for none
 * @low: the same for the lowest byte
 */
struct prologue {
	unsigned char held[PROLOGUE_REGS];
	unsigned char low[PROLOGUE_REGS];
};

void prologue_begin(struct prologue *state);
bool prologue_follow(struct prologue *state, const struct instruction *insn);
const char *prologue_stored(const struct prologue *state,
			    const struct instruction *insn, const char **base);

#endif /* _USERSPACE_PROLOGUE_H */
