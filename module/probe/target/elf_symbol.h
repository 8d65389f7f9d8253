/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Look up a few symbols of an ELF file by name.
 */
#ifndef _UPROBES_ELF_SYMBOL_H
#define _UPROBES_ELF_SYMBOL_H

#include <linux/types.h>

struct target;

/**
 * struct elf_symbol - a symbol to look up
 * @name: its name
 * @offset: its offset in the file; 0 if the file does not have it, or does not define it
 */
struct elf_symbol {
	const char *name;
	u64 offset;
};

bool elf_symbols_find(const struct target *target, struct elf_symbol *symbols, unsigned int n,
		      const char *const *needs, u64 *allowance);

#endif /* _UPROBES_ELF_SYMBOL_H */
