// SPDX-License-Identifier: GPL-2.0
/*
 * The types that a fetch argument can have.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "type.h"
#include "def.h"

static const struct tracer_type types[] = {
	{ "u8", "u8", 1, false, TRACER_PRINT_UNSIGNED },
	{ "u16", "u16", 2, false, TRACER_PRINT_UNSIGNED },
	{ "u32", "u32", 4, false, TRACER_PRINT_UNSIGNED },
	{ "u64", "u64", 8, false, TRACER_PRINT_UNSIGNED },
	{ "s8", "s8", 1, true, TRACER_PRINT_SIGNED },
	{ "s16", "s16", 2, true, TRACER_PRINT_SIGNED },
	{ "s32", "s32", 4, true, TRACER_PRINT_SIGNED },
	{ "s64", "s64", 8, true, TRACER_PRINT_SIGNED },
	{ "x8", "u8", 1, false, TRACER_PRINT_HEX },
	{ "x16", "u16", 2, false, TRACER_PRINT_HEX },
	{ "x32", "u32", 4, false, TRACER_PRINT_HEX },
	{ "x64", "u64", 8, false, TRACER_PRINT_HEX },
	{ "char", "char", 1, false, TRACER_PRINT_CHAR },
#ifndef UPROBES_NO_FLOAT
	{ "f32", "float", 4, true, TRACER_PRINT_FLOAT },
	{ "f64", "double", 8, true, TRACER_PRINT_FLOAT },
#endif
	{ "string", "__data_loc char[]", 4, true, TRACER_PRINT_STRING, 1 },
	{ "ustring", "__data_loc char[]", 4, true, TRACER_PRINT_STRING, 1 },
	{ "string16", "__data_loc char[]", 4, true, TRACER_PRINT_STRING, 2 },
	{ "string32", "__data_loc char[]", 4, true, TRACER_PRINT_STRING, 4 },
};

/**
 * tracer_type_find() - find a type by its name
 * @name: u32, string and so on; but no bitfield, which the parser handles
 *
 * Return: the type, or NULL.
 */
const struct tracer_type *tracer_type_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (!strcmp(types[i].name, name))
			return &types[i];
	}
	return NULL;
}
