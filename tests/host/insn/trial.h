/* SPDX-License-Identifier: GPL-2.0 */
/* One instruction, with a state to run it from. */
#ifndef INSN_TRIAL_H
#define INSN_TRIAL_H

#include "decode.h"
#include "machine.h"

/**
 * struct trial - the start of one run
 * @insn: the instruction
 * @text: its bytes, with operands changed to mapped memory
 * @addr: its address in the code region
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
 * Make a trial of the encoding in text, decoded as insn. Most memory operands and branch targets
 * are in mapped memory, a few are anywhere.
 */
void trial_make(struct trial *trial, const struct layout *layout, const struct uinsn *insn,
		const u8 *text);

/* Write the memory contents of the trial to the child's memory. */
void trial_load_memory(const struct trial *trial);

/* Return: a register by its number in ModRM, 0 to 15. */
unsigned long long *trial_register(struct user_regs_struct *regs, unsigned int number);

#endif /* INSN_TRIAL_H */
