/* SPDX-License-Identifier: GPL-2.0 */
/* What the first instructions of a function do with its registers. */
#ifndef _USERSPACE_PROLOGUE_H
#define _USERSPACE_PROLOGUE_H

#include <stdbool.h>

#include "elf/text.h"

/* Registers of general purpose, and %xmm0 to %xmm15. */
#define PROLOGUE_REGS 32

/**
 * struct prologue - what the first instructions of a function have done
 * @held: for each register, by its encoding, the one whose value at the entry
 *	it holds now, of vector registers the lower half; PROLOGUE_REGS for none
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
