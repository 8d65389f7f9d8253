/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACER_FETCH_H
#define _TRACER_FETCH_H

#include <linux/ptrace.h>
#include <linux/types.h>

#include "trace/parse/def.h"

/**
 * struct tracer_fetch - state of fetching the arguments of one hit
 * @regs: the task's registers
 * @ip: address of the probed instruction
 * @entry: the record's entry; the places of strings are relative to it
 * @used: bytes of the entry that are used; strings go behind them
 * @size: bytes that the entry may take
 * @trap: this is the trap: absent pages are not brought in
 * @ring: the hit comes from a ring: memory is not read
 * @absent: an argument could not be fetched in the trap; task context may succeed
 */
struct tracer_fetch {
	const struct pt_regs *regs;
	unsigned long ip;
	u8 *entry;
	size_t used;
	size_t size;
	bool trap;
	bool ring;
	bool absent;
};

/* Load the register of an argument with tracer_arg::in_register. */
static inline u64 tracer_register(const struct pt_regs *regs, const struct tracer_arg *arg)
{
	return *(const u64 *)((const u8 *)regs + arg->insns->offset);
}

bool tracer_fetch_args(struct tracer_fetch *f, const struct tracer_def *def);

#endif /* _TRACER_FETCH_H */
