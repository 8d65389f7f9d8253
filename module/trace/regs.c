// SPDX-License-Identifier: GPL-2.0
/*
 * Registers by name.
 *
 * The bare names (%ax, %di, %ip ...) are the kernel's and mean the whole
 * register, so the 16-bit names of the assembler are taken; its other names
 * (%rax, %eax, %al, %r8d ...) mean what they mean there.
 */
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "def.h"

#define REG(_name, _size, field, byte)					\
	{ .name = (_name), .size = (_size),				\
	  .offset = offsetof(struct pt_regs, field) + (byte) }

/* ax, bx, cx, dx: both low bytes have names */
#define REGS_ABCD(c)							\
	REG(#c "x", 8, c##x, 0), REG("r" #c "x", 8, c##x, 0),		\
	REG("e" #c "x", 4, c##x, 0), REG(#c "l", 1, c##x, 0),		\
	REG(#c "h", 1, c##x, 1)

/* si, di, bp, sp */
#define REGS_INDEX(n)							\
	REG(#n, 8, n, 0), REG("r" #n, 8, n, 0), REG("e" #n, 4, n, 0),	\
	REG(#n "l", 1, n, 0)

#define REGS_NUMBERED(n)						\
	REG("r" #n, 8, r##n, 0), REG("r" #n "d", 4, r##n, 0),		\
	REG("r" #n "w", 2, r##n, 0), REG("r" #n "b", 1, r##n, 0)

static const struct tracer_reg regs[] = {
	REGS_ABCD(a), REGS_ABCD(b), REGS_ABCD(c), REGS_ABCD(d),
	REGS_INDEX(si), REGS_INDEX(di), REGS_INDEX(bp), REGS_INDEX(sp),
	REGS_NUMBERED(8), REGS_NUMBERED(9), REGS_NUMBERED(10),
	REGS_NUMBERED(11), REGS_NUMBERED(12), REGS_NUMBERED(13),
	REGS_NUMBERED(14), REGS_NUMBERED(15),
	REG("ip", 8, ip, 0), REG("rip", 8, ip, 0), REG("eip", 4, ip, 0),
	REG("flags", 8, flags, 0), REG("rflags", 8, flags, 0),
	REG("eflags", 4, flags, 0),
	REG("orig_ax", 8, orig_ax, 0),
	/* Only the selector: newer kernels keep other things above it. */
	REG("cs", 2, cs, 0), REG("ss", 2, ss, 0),
};

/**
 * tracer_reg_find() - a register by its name
 * @name: without the '%'
 *
 * Return: the register, or NULL.
 */
const struct tracer_reg *tracer_reg_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		if (!strcmp(regs[i].name, name))
			return &regs[i];
	}
	return NULL;
}
