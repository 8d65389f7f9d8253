/* SPDX-License-Identifier: GPL-2.0 */
/* The registers of an x86-64 task, laid out as the kernel does. */
#ifndef _SHIM_LINUX_PTRACE_H
#define _SHIM_LINUX_PTRACE_H

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8;
	unsigned long ax, cx, dx, si, di, orig_ax, ip, cs, flags, sp, ss;
};

#endif /* _SHIM_LINUX_PTRACE_H */
