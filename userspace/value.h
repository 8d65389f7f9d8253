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
 * @bits: bits of a bit field, 0 for others
 * @bit_offset: its first bit, counted from @location
 */
struct value {
	const struct debug_info *info;
	struct location location;
	Dwarf_Die type;
	bool typed;
	unsigned int bits;
	u64 bit_offset;
};

struct error *value_deref(struct value *value, const char *what);
struct error *value_member(struct value *value, const char *name, size_t len,
			   const char *what);
struct error *value_index(struct value *value, u64 index, const char *what);
struct error *value_fetch(struct value *value, const char *expression,
			  const char *type, char **fetch);

#endif /* _USERSPACE_VALUE_H */
