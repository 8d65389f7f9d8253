// SPDX-License-Identifier: GPL-2.0
/*
 * The general registers by their numbers, and filters on them.
 */
#include <linux/kernel.h>

#include <asm/processor-flags.h>
#include <asm/segment.h>

#include "arch.h"

/* Where struct pt_regs has the registers, by their numbers in ModRM. */
static const u8 offsets[] = {
	offsetof(struct pt_regs, ax), offsetof(struct pt_regs, cx), offsetof(struct pt_regs, dx),
	offsetof(struct pt_regs, bx), offsetof(struct pt_regs, sp), offsetof(struct pt_regs, bp),
	offsetof(struct pt_regs, si), offsetof(struct pt_regs, di), offsetof(struct pt_regs, r8),
	offsetof(struct pt_regs, r9), offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
	offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13), offsetof(struct pt_regs, r14),
	offsetof(struct pt_regs, r15),
};

/**
 * arch_reg_number() - get the number of a general register
 * @offset: its offset in struct pt_regs
 *
 * Context: any.
 * Return: its number in ModRM, 0 to 15, or -EINVAL if no general register is there.
 */
int arch_reg_number(unsigned int offset)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(offsets); i++) {
		if (offsets[i] == offset)
			return i;
	}
	return -EINVAL;
}

/**
 * arch_reg_get() - get a general register
 * @regs: registers
 * @number: its number in ModRM
 *
 * Context: any.
 */
u64 arch_reg_get(const struct pt_regs *regs, unsigned int number)
{
	return *(const unsigned long *)((const u8 *)regs + offsets[number]);
}

/**
 * arch_reg_set() - set a general register
 * @regs: registers
 * @number: its number in ModRM
 * @value: its value
 *
 * Context: any.
 */
void arch_reg_set(struct pt_regs *regs, unsigned int number, u64 value)
{
	*(unsigned long *)((u8 *)regs + offsets[number]) = value;
}

/**
 * arch_regs_user() - set the registers that are alike in all 64-bit user code
 * @regs: registers
 * @ip: the ip
 *
 * Context: any.
 */
void arch_regs_user(struct pt_regs *regs, unsigned long ip)
{
	regs->ip = ip;
	regs->cs = __USER_CS;
	regs->ss = __USER_DS;
	regs->flags = X86_EFLAGS_IF | X86_EFLAGS_FIXED;
	regs->orig_ax = -1;
}

/**
 * arch_pad_passes() - check whether registers meet the conditions of a pad
 * @pad: the pad
 * @regs: user registers
 *
 * Context: any.
 */
bool arch_pad_passes(const struct pad *pad, const struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i + 1 < pad->nr; i++) {
		const struct pad_condition *check = &pad->steps[i].check;

		if (!pad_condition_holds(check, arch_reg_get(regs, check->reg)))
			return false;
	}
	return true;
}

/**
 * arch_filter_passes() - check whether registers pass a filter
 * @filter: the filter
 * @regs: user registers
 *
 * Context: any.
 */
bool arch_filter_passes(const struct pad_filter *filter, const struct pt_regs *regs)
{
	unsigned int i;

	for (i = 0; i < filter->nr; i++) {
		const struct pad_condition *condition = &filter->conditions[i];

		if (!pad_condition_holds(condition, arch_reg_get(regs, condition->reg)))
			return false;
	}
	return true;
}
