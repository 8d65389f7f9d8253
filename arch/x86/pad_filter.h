/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filter of a pad: conditions on registers. If a hit fails one of them, it goes on in the pad,
 * and is not counted.
 *
 * All functions here are pure, and can be called in any context.
 */
#ifndef UPROBES_ARCH_X86_PAD_FILTER_H
#define UPROBES_ARCH_X86_PAD_FILTER_H

#include "types.h"

/** PAD_CONDITIONS - the largest number of conditions of a filter. */
#define PAD_CONDITIONS 4

/** PAD_CONDITION_LEN - the largest length of the code of a condition, in bytes. */
#define PAD_CONDITION_LEN 10

/**
 * enum pad_compare - how a register is compared with a value
 * @PAD_EQ: it is equal
 * @PAD_NE: it is not equal
 * @PAD_LT: it is less
 * @PAD_LE: it is less or equal
 * @PAD_GT: it is greater
 * @PAD_GE: it is greater or equal
 * @PAD_BITS: both have a bit in common
 */
enum pad_compare {
	PAD_EQ,
	PAD_NE,
	PAD_LT,
	PAD_LE,
	PAD_GT,
	PAD_GE,
	PAD_BITS,
	/* private: */
	PAD_NR_COMPARES,
};

/**
 * struct pad_condition - a condition on a register; plain data
 * @value: the value, extended to 64 bits as @is_signed says
 * @reg: number of the register, 0 to 15, as in ModRM
 * @size: number of its lower bytes that are compared: 1, 2, 4 or 8
 * @compare: enum pad_compare
 * @is_signed: they are a signed number
 */
struct pad_condition {
	u64 value;
	u8 reg;
	u8 size;
	u8 compare;
	bool is_signed;
};

/**
 * struct pad_filter - a filter; plain data
 * @nr: number of conditions, which must all hold
 * @conditions: the conditions
 */
struct pad_filter {
	u8 nr;
	struct pad_condition conditions[PAD_CONDITIONS];
};

/**
 * pad_condition_valid() - check whether a value fits into its size
 * @condition: the condition
 */
bool pad_condition_valid(const struct pad_condition *condition);

/**
 * pad_condition_holds() - check whether a condition holds
 * @condition: the condition
 * @reg: the register
 */
bool pad_condition_holds(const struct pad_condition *condition, u64 reg);

/* Check whether two conditions are the same. */
bool pad_condition_same(const struct pad_condition *a, const struct pad_condition *b);

/* Check whether two filters have the same conditions, in the same order. */
bool pad_filter_same(const struct pad_filter *a, const struct pad_filter *b);

/**
 * pad_condition_fits() - check whether a condition can be in a pad
 * @condition: the condition
 * @saves: whether the pad saves the flags, for which it uses rsp and rax
 */
bool pad_condition_fits(const struct pad_condition *condition, bool saves);

/**
 * pad_condition_emit() - write the instruction that compares
 * @condition: the condition, which fits
 * @saves: as for pad_condition_fits()
 * @code: room for PAD_CONDITION_LEN bytes
 * @wide: set to true if the last four bytes are the place for the distance from the end of the
 *	instruction to a copy of the value, which has eight bytes
 *
 * Return: number of bytes written.
 */
unsigned int pad_condition_emit(const struct pad_condition *condition, bool saves, u8 *code,
				bool *wide);

/* Get the opcode of the short jump that is taken if the condition does not hold. */
u8 pad_condition_fails(const struct pad_condition *condition);

#endif /* UPROBES_ARCH_X86_PAD_FILTER_H */
