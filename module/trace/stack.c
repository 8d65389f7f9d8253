// SPDX-License-Identifier: GPL-2.0
/*
 * Walking a user stack by its frame pointers.
 */
#include <linux/ptrace.h>
#include <linux/uaccess.h>

#include <uprobes/uprobes.h>

#include "stack.h"

/**
 * struct frame - what a frame pointer points to
 * @fp: the caller's frame pointer
 * @ret: where the function returns to
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

/**
 * tracer_user_stack() - addresses of a user stack, innermost first
 * @regs: the task's registers
 * @ip: the probed address, which comes first
 * @stack: where to put them
 * @max: room there
 *
 * Programs without frame pointers have fewer, and perhaps wrong ones: the walk
 * ends at the first frame that cannot be one.  What is not in memory is not
 * brought in.
 *
 * Context: any.
 * Return: their number.
 */
unsigned int tracer_user_stack(const struct pt_regs *regs, unsigned long ip,
			       u64 *stack, unsigned int max)
{
	unsigned int ret_offset = user_64bit_mode((struct pt_regs *)regs) ? 8 : 4;
	struct frame frame = { .fp = regs->bp };
	unsigned int n = 0;
	u64 fp;

	stack[n++] = ip;
	while (n < max) {
		fp = frame.fp;
		if (fp < regs->sp || !read_frame(regs, fp, &frame) ||
		    !frame.ret)
			break;
		/* Of a return-probed call, where it really returns to. */
		stack[n++] = uprobe_get_pc(NULL, frame.ret,
					   fp + ret_offset);
		if (frame.fp == fp)
			break;
	}
	return n;
}
