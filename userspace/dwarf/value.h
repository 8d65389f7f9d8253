/* SPDX-License-Identifier: GPL-2.0 */
/* What an expression of the source code stands for, and where that is. */
#ifndef _USERSPACE_VALUE_H
#define _USERSPACE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "location.h"

struct error;

/**
 * struct value - an expression so far
 * @info: the debug information
 * @location: where the value is
 * @type: its type, if it has @typed
 * @typed: false for void
 * @dimension: so many of the array's indices have been applied
 * @start: its first byte, of one that is in pieces
 * @field: it is a bit field
 * @bits: bits of a bit field, or of a part of a register
 * @bit_offset: the first of them, counted from @location
 */
struct value {
	const struct debug_info *info;
	struct location location;
	Dwarf_Die type;
	bool typed;
	unsigned int dimension;
	u64 start;
	bool field;
	u64 bits;
	u64 bit_offset;
};

/* Registers are fetched as so many bits. */
#define REGISTER_BITS 64

struct error *value_part(struct value *value, u64 offset, u64 size,
			 const char *what);
struct error *value_scattered(const struct value *value, const char *what);
struct error *value_deref(struct value *value, const char *what);
struct error *value_member(struct value *value, const char *name, size_t len,
			   const char *what);
struct error *value_index(struct value *value, u64 index, const char *what);

#endif /* _USERSPACE_VALUE_H */
