/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The conditions of the torture's probes.
 */
#ifndef _TESTS_TORTURE_CONDITION_H
#define _TESTS_TORTURE_CONDITION_H

#include <linux/ptrace.h>

#include <uprobes/uprobes.h>

/*
 * Conditions on the first argument of a function, x, and on the second one, ~x.  The first two
 * always hold, the others do not.
 */
static const struct uprobe_condition conditions[] = {
	{ .reg = UPROBE_REG(di), .compare = UPROBE_NE, .value = 0x123456789abcdefULL },
	{ .reg = UPROBE_REG(sp), .compare = UPROBE_GT, .value = 4096 },
	{ .reg = UPROBE_REG(di), .compare = UPROBE_BITS, .value = 1 },
	{ .reg = UPROBE_REG(di), .size = 1, .compare = UPROBE_LT, .value = 16 },
	{ .reg = UPROBE_REG(si), .size = 2, .is_signed = true, .compare = UPROBE_GE,
	  .value = -100 },
	{ .reg = UPROBE_REG(si), .size = 4, .compare = UPROBE_LE, .value = 0xffffff00 },
	{ .reg = UPROBE_REG(di), .size = 8, .compare = UPROBE_EQ, .value = 7 },
};

#define ALWAYS_HOLD	2

static bool holds(const struct uprobe_condition *c, const struct pt_regs *regs)
{
	u64 reg = *(const unsigned long *)((const char *)regs + c->reg), value = c->value;
	unsigned int shift = 64 - 8 * (c->size ?: 8);

	reg <<= shift;
	value <<= shift;
	switch (c->compare) {
	case UPROBE_EQ:
		return reg == value;
	case UPROBE_NE:
		return reg != value;
	case UPROBE_LT:
		return reg < value;
	case UPROBE_LE:
		return reg <= value;
	case UPROBE_GT:
		return reg > value;
	case UPROBE_GE:
		return c->is_signed ? (s64)reg >= (s64)value : reg >= value;
	default:
		return reg & value;
	}
}

#endif /* _TESTS_TORTURE_CONDITION_H */
