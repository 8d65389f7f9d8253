/* SPDX-License-Identifier: GPL-2.0 */
/* The dynamic symbol table of a file without section headers. */
#ifndef _USERSPACE_DYNAMIC_H
#define _USERSPACE_DYNAMIC_H

#include "elf_image.h"

/**
 * struct dynamic_tables - a symbol table and its names
 * @symbols: the symbols
 * @strings: the names
 */
struct dynamic_tables {
	Elf_Data *symbols;
	Elf_Data *strings;
};

bool dynamic_find(const struct elf_image *img, struct dynamic_tables *tables);

#endif /* _USERSPACE_DYNAMIC_H */
