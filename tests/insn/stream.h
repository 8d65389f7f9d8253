/* SPDX-License-Identifier: GPL-2.0 */
/* The format of the files that stream_make writes and stream_run reads. */
#ifndef STREAM_H
#define STREAM_H

#include "types.h"

/* Addresses while a stream runs: far from everything else of the program. */
#define STREAM_TEXT	0x20000000
#define STREAM_DATA	0x30000000
#define STREAM_STACK	0x31000000
#define STREAM_SIZE	0x4000		/* of data and of stack, each */
#define STREAM_CELL	(STREAM_DATA + 0x3ff0)	/* for targets of indirect calls */

/*
 * The file of a stream is an ELF file whose only segment is the text, at this offset. Before that,
 * from STREAM_TABLE on, there are the number of instructions, and the offset of each of them in the
 * text, 32 bits each. STREAM_INSIDE marks an instruction that makes no sense without the ones
 * before it: no branch goes there from elsewhere. The last instruction is ud2.
 */
#define STREAM_OFFSET	0x8000
#define STREAM_TABLE	0x100
#define STREAM_INSIDE	0x80000000u
#define STREAM_MAX	((STREAM_OFFSET - STREAM_TABLE) / 4 - 1)

struct stream_random {
	u64 state;
};

static inline struct stream_random stream_seed(u64 a, u64 b)
{
	return (struct stream_random){ ((a * 0x9e3779b97f4a7c15 + b) * 0xd1342543de82ef95) | 1 };
}

/* xorshift64* */
static inline u32 stream_random(struct stream_random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return (u32)(r->state * 0x2545f4914f6cdd1d >> 32);
}

/*
 * Return a value for a register: mostly an address in the data, else a small number, or any number.
 */
static inline u64 stream_value(struct stream_random *r)
{
	u32 kind = stream_random(r) % 8, offset = stream_random(r) % 2048;

	if (kind < 5)
		return STREAM_DATA + STREAM_SIZE / 2 + (kind ? offset & ~63u : offset);
	return kind < 7 ? offset % 256 : (u64)stream_random(r) << 32 | offset;
}

#endif /* STREAM_H */
