/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_STACK_H
#define _TRACER_STACK_H

#include <linux/types.h>

struct pt_regs;

/**
 * enum tracer_at - where a stack begins
 * @TRACER_AT_ANY: somewhere in a function
 * @TRACER_AT_PROBE: before an instruction, which may be the first one of a function
 * @TRACER_AT_ENTRY: before the first instruction of a function
 */
enum tracer_at {
	TRACER_AT_ANY,
	TRACER_AT_PROBE,
	TRACER_AT_ENTRY,
};

unsigned int tracer_user_stack(const struct pt_regs *regs, enum tracer_at at, u64 lowest,
			       u64 *stack, unsigned int max);

#endif /* _TRACER_STACK_H */
