/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading blocks.
 */
#ifndef _TRACER_BLOCK_H
#define _TRACER_BLOCK_H

#include <linux/types.h>

struct tracer_block;
struct tracer_record;

u64 tracer_block_time(const struct tracer_block *block, u32 at, u64 oldest);
u32 tracer_block_record(const struct tracer_block *block, u32 at, struct tracer_record *record,
			size_t *len);

#endif /* _TRACER_BLOCK_H */
