// SPDX-License-Identifier: GPL-2.0
/*
 * The types that a fetch argument can have.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "def.h"

#define NUMBERS(bits)							\
	{ "u" #bits, "u" #bits, bits == 64 ? "%Lu" : "%u", (bits) / 8,	\
	  false, TRACER_PRINT_UNSIGNED },				\
	{ "s" #bits, "s" #bits, bits == 64 ? "%Ld" : "%d", (bits) / 8,	\
	  true, TRACER_PRINT_SIGNED },					\
	{ "x" #bits, "u" #bits, bits == 64 ? "0x%Lx" : "0x%x", (bits) / 8, \
	  false, TRACER_PRINT_HEX }

static const struct tracer_type types[] = {
	NUMBERS(8),
	NUMBERS(16),
	NUMBERS(32),
	NUMBERS(64),
	{ "char", "char", "'%c'", 1, false, TRACER_PRINT_CHAR },
	{ "string", "__data_loc char[]", "\\\"%s\\\"", 4,
	  true, TRACER_PRINT_STRING },
	{ "ustring", "__data_loc char[]", "\\\"%s\\\"", 4,
	  true, TRACER_PRINT_STRING },
};

/**
 * tracer_type_find() - a type by its name
 * @name: u32, string and so on; bitfields are the parser's
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
