/* SPDX-License-Identifier: GPL-2.0 */
/* One instruction with a state to run it from. */
#ifndef INSN_TRIAL_H
#define INSN_TRIAL_H

#include "decode.h"
#include "machine.h"

/**
 * struct trial - what one run starts from
 * @insn: the instruction
 * @text: its bytes, operands adjusted so that they name mapped memory
 * @addr: where it is in the code region
 * @cpu: registers
 * @memory: contents of data, stack and low memory
 */
struct trial {
	struct uinsn insn;
	u8 text[UINSN_MAX_LEN];
	u64 addr;
	struct cpu cpu;
	u8 memory[3][DATA_SIZE];
};

u32 trial_random(void);
void trial_seed(u64 seed);

/*
 * A trial of the encoding in text, decoded as insn: most memory operands and
 * branch targets in mapped memory, a few anywhere.
 */
void trial_make(struct trial *trial, const struct layout *layout, const struct uinsn *insn,
		const u8 *text);

/* Put the trial's memory contents into the child's. */
void trial_load_memory(const struct trial *trial);

/* A register of the ModRM numbering, 0 to 15. */
unsigned long long *trial_register(struct user_regs_struct *regs, unsigned int number);

#endif /* INSN_TRIAL_H */
