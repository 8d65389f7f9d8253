// SPDX-License-Identifier: GPL-2.0
/*
 * Reading blocks: each hit becomes a record.
 */
#include <linux/math64.h>
#include <linux/string.h>

#include "block.h"
#include "buffer.h"

/* A hit has the time and the number of its values, its number with its address, and the values. */
#define HIT_WORDS	2U

/* Get the hit at byte @at.  Return NULL if there is none. */
static const u64 *hit_at(const struct tracer_block *block, u32 at)
{
	return at + HIT_WORDS * sizeof(u64) <= block->hits.size ?
	       &block->hits.words[at / sizeof(u64)] : NULL;
}

/**
 * tracer_block_time() - get the time of a hit
 * @block: the block
 * @at: where the hit begins, in bytes
 * @oldest: the time of the hit before it; 0 for the first one
 *
 * The program can have forged it.  So it is neither older nor later than it can be.
 *
 * Context: any.
 * Return: the time, in nanoseconds.
 */
u64 tracer_block_time(const struct tracer_block *block, u32 at, u64 oldest)
{
	const struct uprobe_block *hits = &block->hits;
	const u64 *hit = hit_at(block, at);
	u64 time = hits->now;
	s64 ago;

	if (hit) {
		/* The counter lacks its highest eight bits. */
		ago = (s64)((hits->ticks << 8) - (*hit & ~(u64)TRACER_BLOCK_VALUES)) >> 8;
		if (ago > 0)
			time -= mul_u64_u32_shr(ago, hits->mult, hits->shift);
	}
	oldest = oldest ?: hits->oldest;
	return (s64)(time - oldest) < 0 ? oldest : time;
}

/**
 * tracer_block_record() - make a record of a hit
 * @block: the block
 * @at: where the hit begins, in bytes
 * @record: where to put the record, %TRACER_FORM_VALUES
 * @len: set to its length
 *
 * Context: any.
 * Return: the number of bytes of the hit, or 0 if there is none.
 */
u32 tracer_block_record(const struct tracer_block *block, u32 at, struct tracer_record *record,
			size_t *len)
{
	const u64 *hit = hit_at(block, at);
	u32 values;

	if (!hit)
		return 0;
	values = (hit[0] & TRACER_BLOCK_VALUES) * sizeof(u64);
	if (values > block->hits.size - at - HIT_WORDS * sizeof(u64))
		return 0;
	*record = (struct tracer_record) {
		.tgid = block->tgid,
		.form = TRACER_FORM_VALUES,
		.entry = {
			.type = hit[1] >> TRACER_BLOCK_ID,
			/* What a trap would have found. */
			.flags = TRACER_IRQS_OFF,
			.pid = block->pid,
			.ip = hit[1] & ((1ULL << TRACER_BLOCK_ID) - 1),
		},
	};
	memcpy(record->comm, block->comm, sizeof(record->comm));
	memcpy((u8 *)record + sizeof(*record), hit + HIT_WORDS, values);
	*len = sizeof(*record) + values;
	return HIT_WORDS * sizeof(u64) + values;
}
