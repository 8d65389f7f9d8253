// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the task's SSE registers.
 */
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/thread_info.h>

#include <asm/fpu/api.h>

#include "xmm.h"

/**
 * tracer_xmm_read() - the lower half of an SSE register of the current task
 * @n: its number, below 16
 *
 * The registers are the task's unless the kernel has used them since it left
 * user mode; it has saved them then, and loads them again here.  With
 * interrupts off it does not use them meanwhile.
 *
 * Context: any that may look at the task's registers.
 */
u64 tracer_xmm_read(unsigned int n)
{
	unsigned long flags;
	u64 value[2] = {};

	local_irq_save(flags);
	if (test_thread_flag(TIF_NEED_FPU_LOAD))
		switch_fpu_return();
	switch (n) {
#define XMM(n)								\
	case n:								\
		asm volatile("movups %%xmm" #n ", %0" : "=m" (value));	\
		break
	XMM(0);
	XMM(1);
	XMM(2);
	XMM(3);
	XMM(4);
	XMM(5);
	XMM(6);
	XMM(7);
	XMM(8);
	XMM(9);
	XMM(10);
	XMM(11);
	XMM(12);
	XMM(13);
	XMM(14);
	XMM(15);
#undef XMM
	}
	local_irq_restore(flags);
	return value[0];
}
