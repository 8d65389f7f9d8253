/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finding a few symbols in ELF files by name.
 */
#ifndef _UPROBES_ELF_SYMBOL_H
#define _UPROBES_ELF_SYMBOL_H

#include <linux/types.h>

struct target;

/**
 * struct elf_symbol - a symbol to be found
 * @name: its name
 * @offset: where it is in the file; 0 when it is not, or not defined there
 */
struct elf_symbol {
	const char *name;
	u64 offset;
};

bool elf_symbols_find(const struct target *target, struct elf_symbol *symbols, unsigned int n,
		      const char *const *needs, u64 *allowance);

#endif /* _UPROBES_ELF_SYMBOL_H */
