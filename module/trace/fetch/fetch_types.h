/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a fetch.
 */
#ifndef _TRACER_FETCH_TYPES_H
#define _TRACER_FETCH_TYPES_H

#include <linux/types.h>

struct pt_regs;

/**
 * struct tracer_fetch - state of fetching the arguments of one hit
 * @regs: the task's registers
 * @ip: address of the probed instruction
 * @entry: the record's entry; the places of strings are relative to it
 * @used: bytes of the entry that are used; strings go behind them
 * @size: bytes that the entry may take
 * @values: with @ring, its values, if it comes out of a block; the bytes in memory are among them
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
	const u64 *values;
	bool trap;
	bool ring;
	bool absent;
};

#endif /* _TRACER_FETCH_TYPES_H */
