// SPDX-License-Identifier: GPL-2.0
/* Find the location of a variable at an instruction. */
#include "location_find.h"

#include <dwarf.h>
#include <string.h>

#include "debug_info.h"
#include "location_entry.h"

/**
 * location_find() - find the location of a variable or parameter
 * @frame: the instruction
 * @variable: the variable or parameter
 * @location: filled in on success; to be freed with location_free()
 *
 * Return: NULL, or why its value cannot be fetched at the instruction, as part of
 * a sentence.
 */
const char *location_find(const struct frame *frame, Dwarf_Die *variable,
			  struct location *location)
{
	u64 addr = frame->addr - frame->info->bias;
	Dwarf_Attribute attr;
	const char *problem;
	Dwarf_Op *ops;
	size_t n;

	memset(location, 0, sizeof(*location));
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attr))
		return location_constant_value(variable, location);
	if (dwarf_getlocation_addr(&attr, addr, &ops, &n, 1) != 1)
		return LOCATION_GONE;
	problem = location_described(frame, &attr, ops, n, location);
	if (!problem)
		problem = location_at_entry(frame, variable, &attr, ops, n,
					    location);
	if (problem)
		location_free(location);
	return problem;
}
