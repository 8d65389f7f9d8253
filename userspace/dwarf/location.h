/* SPDX-License-Identifier: GPL-2.0 */
/* Where a variable is at an instruction, in words of uprobe_events. */
#ifndef _USERSPACE_LOCATION_H
#define _USERSPACE_LOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include "debug_info.h"
#include "types.h"

/**
 * struct frame - the instruction at which variables are looked at
 * @info: the debug information
 * @addr: address of the instruction, as the program headers count
 * @function: the function with the instruction: the one with code of its own,
 *	not one that was inlined into it
 * @start: address of that function's first instruction
 * @entry: and of the first behind a check of the stack; up to there, nothing has
 *	been done
 */
struct frame {
	const struct debug_info *info;
	u64 addr;
	Dwarf_Die function;
	u64 start;
	u64 entry;
};

static inline bool frame_is_entry(const struct frame *frame)
{
	return frame->addr >= frame->start && frame->addr <= frame->entry;
}

/**
 * enum where - what is known of a value
 * @WHERE_VALUE: base + offset is the value itself
 * @WHERE_MEMORY: the value is in memory at base + offset
 * @WHERE_PIECES: it is put together from several places
 */
enum where {
	WHERE_VALUE,
	WHERE_MEMORY,
	WHERE_PIECES,
};

/**
 * struct location - where a value is
 * @where: what @base and @offset mean
 * @base: a fetch argument without its type; NULL means 0
 * @offset: what is added to it
 * @pieces: for %WHERE_PIECES
 * @n: number of @pieces
 */
struct location {
	enum where where;
	char *base;
	s64 offset;
	struct location_piece *pieces;
	size_t n;
};

/**
 * struct location_piece - a part of a value
 * @start: first byte of the value that it holds
 * @size: bytes
 * @problem: why it cannot be read, or NULL
 * @location: where it is; not of %WHERE_PIECES
 */
struct location_piece {
	u64 start;
	u64 size;
	const char *problem;
	struct location location;
};

/* Why the value of a variable that is nowhere cannot be fetched. */
#define LOCATION_GONE "it was optimized away here"

bool location_is_fixed(Dwarf_Attribute *attr);
const char *location_constant_value(Dwarf_Die *variable, struct location *location);
const char *location_described(const struct frame *frame, Dwarf_Attribute *attr,
			       const Dwarf_Op *ops, size_t n, struct location *location);
const char *location_evaluate(const struct frame *frame, Dwarf_Attribute *attr,
			      const Dwarf_Op *ops, size_t n,
			      struct location *location);
bool location_constant(Dwarf_Attribute *attr, s64 *value);
void location_copy(struct location *to, const struct location *from);
void location_free(struct location *location);
void location_deref(struct location *location);

#endif /* _USERSPACE_LOCATION_H */
