/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols of a file, of its debug file and of its MiniDebugInfo. */
#ifndef _USERSPACE_SYMBOLS_H
#define _USERSPACE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

#include "elf/elf_image.h"
#include "types.h"
#include "util/util.h"

/**
 * struct symbol - one entry of a symbol table
 * @name: name without version
 * @version: its version, NULL if it has none
 * @library: for an imported symbol, the library that the version names
 * @file: for a local symbol, the source file; NULL if not known
 * @addr: address, in terms of the file's program headers
 * @size: bytes; 0 means not known
 * @type: STT_...
 * @bind: STB_...
 * @defined: false for a symbol that is imported
 * @hidden: only f@VERSION names it, plain f does not
 * @section: it lies in a section; false for constants, which have none
 */
struct symbol {
	const char *name;
	const char *version;
	const char *library;
	const char *file;
	u64 addr;
	u64 size;
	unsigned char type;
	unsigned char bind;
	bool defined;
	bool hidden;
	bool section;
};

/**
 * struct symbols - the symbols of a file
 * @v: the symbols, in no order; several symbols can have the same place
 * @n: number of @v
 * @cap: capacity of @v
 * @image: the file; the caller keeps it open
 * @root: directory that the file's processes see as /, "" for our own
 * @debug: its debug file or MiniDebugInfo, if @have_debug
 * @have_debug: whether @debug is open
 * @full: a table with local functions was found, here or in @debug
 * @unprintable: symbols left out because their names could not be shown
 * @by_addr: functions by address, made by symbols_function_at()
 * @by_addr_n: number of @by_addr
 * @strings: names that had to be copied
 */
struct symbols {
	struct symbol *v;
	size_t n;
	size_t cap;
	const struct elf_image *image;
	const char *root;
	struct elf_image debug;
	bool have_debug;
	bool full;
	size_t unprintable;
	struct symbol **by_addr;
	size_t by_addr_n;
	struct arena strings;
};

void symbols_load(const struct elf_image *img, const char *root,
		  const char *debug_dir, struct symbols *syms);
void symbols_load_dynamic(const struct elf_image *img, struct symbols *syms);
bool symbols_fetch(struct symbols *syms);
void symbols_free(struct symbols *syms);
bool symbol_is_function(const struct symbols *syms, const struct symbol *sym);
const struct symbol *symbols_function_at(struct symbols *syms, u64 addr,
					 u64 *end);

#endif /* _USERSPACE_SYMBOLS_H */
