/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_STACK_H
#define _TRACER_STACK_H

#include <linux/types.h>

#include "trace/parse/def.h"

struct pt_regs;

unsigned int tracer_user_stack(const struct pt_regs *regs, enum tracer_at at, u64 lowest,
			       u64 *stack, unsigned int max);

#endif /* _TRACER_STACK_H */
