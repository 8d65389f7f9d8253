// SPDX-License-Identifier: GPL-2.0
/*
 * Read the task's SSE registers.
 */
#include <linux/irqflags.h>
#include <linux/sched.h>
#include <linux/thread_info.h>

#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <asm/fpu/types.h>

#include "probe/base/compat.h"
#include "xmm.h"

/*
 * Read a register from the area where the kernel has saved it.  The area has the layout
 * of FXSAVE (Intel SDM vol. 1, 10.5.1).  Registers that have not been used since they were
 * initialised are not stored (13.6); they are 0.
 */
static u64 saved_xmm(unsigned int n)
{
	const struct fpstate *saved = compat_task_fpu(current)->fpstate;
	u64 value;

	if (boot_cpu_has(X86_FEATURE_XSAVE) &&
	    !(saved->regs.xsave.header.xfeatures & XFEATURE_MASK_SSE))
		return 0;
	memcpy(&value, &saved->regs.fxsave.xmm_space[4 * n], sizeof(value));
	return value;
}

/**
 * tracer_xmm_read() - read the lower half of an SSE register of the current task
 * @n: its number, below 16
 *
 * The registers of the CPU are the task's, unless the kernel has used them since the
 * task left user mode.  In that case, the kernel has saved the task's registers first.
 * With interrupts off, the kernel cannot use the registers during the read.
 *
 * Context: any that may read the task's registers.
 */
u64 tracer_xmm_read(unsigned int n)
{
	unsigned long flags;
	u64 value[2] = {};

	local_irq_save(flags);
	if (test_thread_flag(TIF_NEED_FPU_LOAD)) {
		value[0] = saved_xmm(n);
		goto restore;
	}
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
restore:
	local_irq_restore(flags);
	return value[0];
}
