/* SPDX-License-Identifier: GPL-2.0 */
/* Types of a program, and their names in the tracer. */
#ifndef _USERSPACE_DWARF_TYPE_H
#define _USERSPACE_DWARF_TYPE_H

#include <elfutils/libdw.h>
#include <stdbool.h>

#include "types.h"

/**
 * struct member - a member of a structure, class or union
 * @type: its type
 * @nowhere: only the running program knows its position, as in a virtual base class
 * @offset: bytes from the start
 * @bits: bits of a bit field, 0 for others
 * @bit_offset: bits from the start of the structure, for a bit field
 */
struct member {
	Dwarf_Die type;
	bool nowhere;
	u64 offset;
	unsigned int bits;
	u64 bit_offset;
};

/**
 * struct array_index - one index of an array
 * @elements: number of array elements that one step of the index skips
 * @last: no further index follows
 */
struct array_index {
	u64 elements;
	bool last;
};

bool type_of(Dwarf_Die *die, Dwarf_Die *type);
bool type_target(Dwarf_Die *type, Dwarf_Die *target);
bool type_size(Dwarf_Die *type, u64 *size);
unsigned int type_encoding(Dwarf_Die *type);
bool type_is_pointer(Dwarf_Die *type);
bool tag_has_members(int tag);
bool type_has_members(Dwarf_Die *type);
const char *type_for_tracer(Dwarf_Die *type);
const char *type_array_index(Dwarf_Die *type, unsigned int dimension,
			     struct array_index *array);
char *type_name(Dwarf_Die *type);
void type_place_member(Dwarf_Die *die, struct member *member);
bool type_member(Dwarf_Die *type, const char *name, size_t len,
		 struct member *member);
char *type_member_names(Dwarf_Die *type);

#endif /* _USERSPACE_DWARF_TYPE_H */
