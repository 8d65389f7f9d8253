// SPDX-License-Identifier: GPL-2.0
/*
 * Registers by name.
 *
 * A bare name (%ax, %di, %ip ...) is a name of the kernel and means the whole
 * register.  So it cannot mean the 16-bit register that the assembler calls by this
 * name.  All other names (%rax, %eax, %al, %r8d ...) mean the same as in assembler.
 */
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "regs.h"
#include "def.h"

#define REG(_name, _size, field, byte)					\
	{ .name = (_name), .size = (_size),				\
	  .offset = offsetof(struct pt_regs, field) + (byte) }

static const struct tracer_reg regs[] = {
	REG("ax", 8, ax, 0), REG("rax", 8, ax, 0), REG("eax", 4, ax, 0),
	REG("al", 1, ax, 0), REG("ah", 1, ax, 1),
	REG("bx", 8, bx, 0), REG("rbx", 8, bx, 0), REG("ebx", 4, bx, 0),
	REG("bl", 1, bx, 0), REG("bh", 1, bx, 1),
	REG("cx", 8, cx, 0), REG("rcx", 8, cx, 0), REG("ecx", 4, cx, 0),
	REG("cl", 1, cx, 0), REG("ch", 1, cx, 1),
	REG("dx", 8, dx, 0), REG("rdx", 8, dx, 0), REG("edx", 4, dx, 0),
	REG("dl", 1, dx, 0), REG("dh", 1, dx, 1),
	REG("si", 8, si, 0), REG("rsi", 8, si, 0), REG("esi", 4, si, 0),
	REG("sil", 1, si, 0),
	REG("di", 8, di, 0), REG("rdi", 8, di, 0), REG("edi", 4, di, 0),
	REG("dil", 1, di, 0),
	REG("bp", 8, bp, 0), REG("rbp", 8, bp, 0), REG("ebp", 4, bp, 0),
	REG("bpl", 1, bp, 0),
	REG("sp", 8, sp, 0), REG("rsp", 8, sp, 0), REG("esp", 4, sp, 0),
	REG("spl", 1, sp, 0),
	REG("r8", 8, r8, 0), REG("r8d", 4, r8, 0),
	REG("r8w", 2, r8, 0), REG("r8b", 1, r8, 0),
	REG("r9", 8, r9, 0), REG("r9d", 4, r9, 0),
	REG("r9w", 2, r9, 0), REG("r9b", 1, r9, 0),
	REG("r10", 8, r10, 0), REG("r10d", 4, r10, 0),
	REG("r10w", 2, r10, 0), REG("r10b", 1, r10, 0),
	REG("r11", 8, r11, 0), REG("r11d", 4, r11, 0),
	REG("r11w", 2, r11, 0), REG("r11b", 1, r11, 0),
	REG("r12", 8, r12, 0), REG("r12d", 4, r12, 0),
	REG("r12w", 2, r12, 0), REG("r12b", 1, r12, 0),
	REG("r13", 8, r13, 0), REG("r13d", 4, r13, 0),
	REG("r13w", 2, r13, 0), REG("r13b", 1, r13, 0),
	REG("r14", 8, r14, 0), REG("r14d", 4, r14, 0),
	REG("r14w", 2, r14, 0), REG("r14b", 1, r14, 0),
	REG("r15", 8, r15, 0), REG("r15d", 4, r15, 0),
	REG("r15w", 2, r15, 0), REG("r15b", 1, r15, 0),
	REG("ip", 8, ip, 0), REG("rip", 8, ip, 0), REG("eip", 4, ip, 0),
	REG("flags", 8, flags, 0), REG("rflags", 8, flags, 0),
	REG("eflags", 4, flags, 0),
	REG("orig_ax", 8, orig_ax, 0),
	/* Only the selector: newer kernels keep other data in the bits above it. */
	REG("cs", 2, cs, 0), REG("ss", 2, ss, 0),
};

/**
 * tracer_reg_find() - find a register by its name
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
