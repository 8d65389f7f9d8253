/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_FETCH_H
#define _TRACER_FETCH_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "fetch_types.h"
#include "trace/parse/def.h"

/* Load the register of an argument with tracer_arg::in_register. */
static inline u64 tracer_register(const struct pt_regs *regs, const struct tracer_arg *arg)
{
	return *(const u64 *)((const u8 *)regs + arg->insns->offset);
}

bool tracer_fetch_args(struct tracer_fetch *f, const struct tracer_def *def);

#endif /* _TRACER_FETCH_H */
