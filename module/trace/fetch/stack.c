// SPDX-License-Identifier: GPL-2.0
/*
 * Walk a user stack by its frame pointers.
 */
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include <uprobes/uprobes.h>

#include "stack.h"

/**
 * struct frame - the two words at a frame pointer
 * @fp: the caller's frame pointer
 * @ret: the return address of the function
 */
struct frame {
	u64 fp;
	u64 ret;
};

static bool read_frame(const struct pt_regs *regs, u64 fp, struct frame *frame)
{
	u32 narrow[2];

	if (user_64bit_mode((struct pt_regs *)regs))
		return !copy_from_user_nofault(frame, (const void __user *)fp,
					       sizeof(*frame));
	if (copy_from_user_nofault(narrow, (const void __user *)fp,
				   sizeof(narrow)))
		return false;
	frame->fp = narrow[0];
	frame->ret = narrow[1];
	return true;
}

/*
 * Check whether the probed instruction is the first one of a function: endbr64, endbr32, or
 * the push of the frame pointer.  The function has no frame then.  The breakpoint has replaced
 * the first byte of the instruction, so look at the bytes behind it.  They are the rest of
 * endbr64 or endbr32, or (behind a push) the mov that makes the frame.  In 64-bit code, that
 * mov has REX.W.  Without REX.W, these bytes are the rest of a mov that is itself the probed
 * instruction.
 */
static bool at_entry(const struct pt_regs *regs)
{
	static const u8 follows64[][3] = {
		{ 0x0f, 0x1e, 0xfa }, { 0x48, 0x89, 0xe5 }, { 0x48, 0x8b, 0xec },
	};
	static const u8 follows32[][3] = {
		{ 0x0f, 0x1e, 0xfb }, { 0x89, 0xe5 }, { 0x8b, 0xec },
	};
	bool wide = user_64bit_mode((struct pt_regs *)regs);
	const u8 (*follows)[3] = wide ? follows64 : follows32;
	unsigned int i;
	u8 text[3];

	if (copy_from_user_nofault(text, (const void __user *)(regs->ip + 1), sizeof(text)))
		return false;
	for (i = 0; i < ARRAY_SIZE(follows64); i++)
		if (!memcmp(text, follows[i], wide || !i ? 3 : 2))
			return true;
	return false;
}

/*
 * Read the word at the stack pointer: at the entry of a function, that is its return address.
 * Return: the word, translated by uprobe_get_pc(), or 0 if it cannot be read.
 */
static u64 read_caller(const struct pt_regs *regs)
{
	u64 caller = 0;

	if (copy_from_user_nofault(&caller, (const void __user *)regs->sp,
				   user_64bit_mode((struct pt_regs *)regs) ? 8 : 4))
		return 0;
	return uprobe_get_pc(NULL, caller, regs->sp);
}

/**
 * tracer_user_stack() - collect the addresses of a user stack, innermost first
 * @regs: the program's registers; their ip is the first address
 * @at: where the ip is
 * @lowest: no frame lies below this address
 * @stack: where to put the addresses
 * @max: room there
 *
 * A function that has no frame yet has its return address at the stack pointer.
 * Programs without frame pointers give fewer addresses, and perhaps wrong ones.
 * The walk ends at the first frame that cannot be valid.  Absent pages are not
 * brought in.
 *
 * Context: any.
 * Return: the number of addresses.
 */
unsigned int tracer_user_stack(const struct pt_regs *regs, enum tracer_at at, u64 lowest,
			       u64 *stack, unsigned int max)
{
	unsigned int ret_offset = user_64bit_mode((struct pt_regs *)regs) ? 8 : 4;
	struct frame frame = { .fp = regs->bp };
	unsigned int n = 0;
	u64 fp;

	stack[n++] = regs->ip;
	if (n < max && (at == TRACER_AT_ENTRY || (at == TRACER_AT_PROBE && at_entry(regs)))) {
		stack[n] = read_caller(regs);
		n += !!stack[n];
	}
	while (n < max) {
		fp = frame.fp;
		if (fp < lowest || !read_frame(regs, fp, &frame) ||
		    !frame.ret)
			break;
		/* For a return-probed call, take the real return address. */
		stack[n++] = uprobe_get_pc(NULL, frame.ret,
					   fp + ret_offset);
		if (frame.fp == fp)
			break;
	}
	return n;
}
