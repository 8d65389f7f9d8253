/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_FETCH_H
#define _TRACER_FETCH_H

#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <linux/types.h>

#include "fetch_types.h"
#include "trace/lib/words.h"
#include "trace/parse/def.h"

/* Load the register of an argument with tracer_arg::in_register. */
static inline u64 tracer_register(const struct pt_regs *regs, const struct tracer_arg *arg)
{
	return *(const u64 *)((const u8 *)regs + arg->insns->offset);
}

/**
 * tracer_store_registers() - store the arguments of a hit, all of which are plain registers
 * @def: the definition
 * @regs: the registers
 * @args: where the arguments are in the record
 * @end: the end of the bits for those that could not be read; they are cleared
 */
static __always_inline void tracer_store_registers(const struct tracer_def *def,
						   const struct pt_regs *regs, u8 *args, u8 *end)
{
	const struct tracer_arg *arg = def->args, *behind = arg + def->nargs;
	u8 *faults;

	for (; arg < behind; arg++)
		tracer_store(args + arg->offset, tracer_register(regs, arg), arg->type->size);
	/* They are so few that a call of memset() takes longer. */
	for (faults = args + def->args_size; faults < end; faults++)
		WRITE_ONCE(*faults, 0);
}

bool tracer_fetch_args(struct tracer_fetch *f, const struct tracer_def *def);

#endif /* _TRACER_FETCH_H */
