/* SPDX-License-Identifier: GPL-2.0 */
/* The value of an expression of the source code, and its location. */
#ifndef _USERSPACE_VALUE_H
#define _USERSPACE_VALUE_H

#include <stdbool.h>
#include <stddef.h>

#include "location.h"

struct error;

/**
 * struct value - the value of the part of an expression that is evaluated so far
 * @info: the debug information
 * @location: location of the value
 * @type: its type, if @typed
 * @typed: false for void
 * @dimension: number of the array's indices that have been applied
 * @start: for a value in pieces, the offset of its first byte
 * @field: the value is a bit field
 * @bits: number of bits of a bit field, or of a part of a register
 * @bit_offset: offset of the first of these bits from @location
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

/* Number of bits that are fetched of a register. */
#define REGISTER_BITS 64

struct error *value_part(struct value *value, u64 offset, u64 size,
			 const char *what);
struct error *value_scattered(const struct value *value, const char *what);
struct error *value_deref(struct value *value, const char *what);
struct error *value_member(struct value *value, const char *name, size_t len,
			   const char *what);
struct error *value_index(struct value *value, u64 index, const char *what);

#endif /* _USERSPACE_VALUE_H */
