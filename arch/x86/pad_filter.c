// SPDX-License-Identifier: GPL-2.0
/*
 * The filter of a pad: the meaning and the code of conditions.
 */
#include "pad_filter.h"

#define REX		0x40
#define REX_W		0x08
#define REX_R		0x04
#define REX_B		0x01
#define OPERAND_SIZE	0x66

#define REG_AX		0
#define REG_SP		4

/* The middle field of ModRM, for an instruction with an immediate */
#define TEST		0
#define CMP		7

static u64 extend(u64 value, u8 size, bool is_signed)
{
	unsigned int unused = 64 - 8u * size;

	value <<= unused;
	return is_signed ? (u64)((s64)value >> unused) : value >> unused;
}

bool pad_condition_valid(const struct pad_condition *condition)
{
	return condition->value == extend(condition->value, condition->size, condition->is_signed);
}

bool pad_condition_holds(const struct pad_condition *condition, u64 reg)
{
	u64 a = extend(reg, condition->size, condition->is_signed), b = condition->value;
	bool less = condition->is_signed ? (s64)a < (s64)b : a < b;

	switch (condition->compare) {
	case PAD_EQ:
		return a == b;
	case PAD_NE:
		return a != b;
	case PAD_LT:
		return less;
	case PAD_LE:
		return less || a == b;
	case PAD_GT:
		return !less && a != b;
	case PAD_GE:
		return !less;
	default:
		return a & b;
	}
}

bool pad_condition_same(const struct pad_condition *a, const struct pad_condition *b)
{
	return a->value == b->value && a->reg == b->reg && a->size == b->size &&
	       a->compare == b->compare && a->is_signed == b->is_signed;
}

bool pad_filter_same(const struct pad_filter *a, const struct pad_filter *b)
{
	unsigned int i;

	for (i = 0; a->nr == b->nr && i < a->nr; i++)
		if (!pad_condition_same(&a->conditions[i], &b->conditions[i]))
			return false;
	return a->nr == b->nr;
}

/* Check for a value that is no immediate, which has 32 bits and a sign. */
static bool is_wide(const struct pad_condition *condition)
{
	return condition->size == 8 && condition->value != (u64)(s64)(s32)condition->value;
}

bool pad_condition_fits(const struct pad_condition *condition, bool saves)
{
	if (!saves)
		return true;
	/* rax is in memory, and rsp is another one. */
	return condition->reg != REG_SP && !(condition->reg == REG_AX && is_wide(condition));
}

/* cmp value(%rip), %reg; or test %reg, value(%rip) */
static unsigned int emit_wide(const struct pad_condition *condition, u8 *code)
{
	code[0] = REX | REX_W | (condition->reg > 7 ? REX_R : 0);
	code[1] = condition->compare == PAD_BITS ? 0x85 : 0x3b;
	code[2] = (u8)((condition->reg & 7) << 3 | 5);
	uinsn_put32(code + 3, 0);
	return 7;
}

unsigned int pad_condition_emit(const struct pad_condition *condition, bool saves, u8 *code,
				bool *wide)
{
	bool bits = condition->compare == PAD_BITS, bytes = condition->size == 1;
	bool pushed = saves && condition->reg == REG_AX;
	u8 middle = (bits ? TEST : CMP) << 3;
	unsigned int n = 0;

	*wide = is_wide(condition);
	if (*wide)
		return emit_wide(condition, code);
	if (condition->size == 2)
		code[n++] = OPERAND_SIZE;
	/* The lowest bytes of all registers have a name only if there is a REX prefix. */
	code[n++] = REX | (condition->size == 8 ? REX_W : 0) | (condition->reg > 7 ? REX_B : 0);
	code[n++] = bits ? (bytes ? 0xf6 : 0xf7) : (bytes ? 0x80 : 0x81);
	if (pushed) {
		/* (%rsp) */
		code[n++] = middle | 4;
		code[n++] = 0x24;
	} else {
		code[n++] = 0xc0 | middle | (condition->reg & 7);
	}
	if (bytes) {
		code[n++] = (u8)condition->value;
	} else if (condition->size == 2) {
		uinsn_put16(code + n, (u16)condition->value);
		n += 2;
	} else {
		uinsn_put32(code + n, (u32)condition->value);
		n += 4;
	}
	return n;
}

u8 pad_condition_fails(const struct pad_condition *condition)
{
	/* jne, je, jae, ja, jbe, jb; and for signed numbers, jge, jg, jle, jl; je */
	static const u8 below[] = { 0x75, 0x74, 0x73, 0x77, 0x76, 0x72, 0x74 };
	static const u8 less[] = { 0x75, 0x74, 0x7d, 0x7f, 0x7e, 0x7c, 0x74 };

	return (condition->is_signed ? less : below)[condition->compare];
}
