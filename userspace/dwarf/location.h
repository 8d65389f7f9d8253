/* SPDX-License-Identifier: GPL-2.0 */
/* The location of a variable at an instruction, in the syntax of uprobe_events. */
#ifndef _USERSPACE_LOCATION_H
#define _USERSPACE_LOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include "debug_info.h"
#include "types.h"

/**
 * struct frame - the instruction at which variables are looked up
 * @info: the debug information
 * @addr: address of the instruction, in terms of the program headers
 * @function: the function that contains the instruction: the function with its
 *	own code, not a function that was inlined into it
 * @start: address of that function's first instruction
 * @entry: address of the first instruction after a stack check; the function has
 *	done nothing up to this address
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
 * enum where - how a location gives a value
 * @WHERE_VALUE: base + offset is the value itself
 * @WHERE_MEMORY: the value is in memory at base + offset
 * @WHERE_PIECES: the value is composed of pieces at several places
 */
enum where {
	WHERE_VALUE,
	WHERE_MEMORY,
	WHERE_PIECES,
};

/**
 * struct location - the location of a value
 * @where: meaning of @base and @offset
 * @base: a fetch argument without its type; NULL means 0
 * @offset: number to add to @base
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
 * @start: offset of the piece in the value
 * @size: bytes
 * @problem: why it cannot be read, or NULL
 * @location: its location; not of %WHERE_PIECES
 */
struct location_piece {
	u64 start;
	u64 size;
	const char *problem;
	struct location location;
};

/* Why the value of a variable without a location cannot be fetched. */
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
