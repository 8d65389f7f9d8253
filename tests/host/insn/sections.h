/* SPDX-License-Identifier: GPL-2.0 */
/* The executable sections of an object file, for tests. */
#ifndef INSN_SECTIONS_H
#define INSN_SECTIONS_H

#include "decode.h"

struct code_section {
	const char *name;
	const u8 *text;
	size_t size;
	u64 addr;
	enum uinsn_mode mode;
};

typedef void (*visit_section)(const struct code_section *section, void *data);
typedef void (*visit_function)(u64 addr, void *data);

/*
 * Calls visit for every section of x86 code in the file. Returns how many there
 * were, -1 when it is no x86 object file that can be read.
 */
int visit_code_sections(const char *path, visit_section visit, void *data);

/*
 * Calls visit with the address of every function that symbols with a size, unwind
 * tables or Go's tables tell of, with some more than once. Returns how many,
 * -1 when it is no x86 object file that can be read.
 */
int visit_functions(const char *path, visit_function visit, void *data);

#endif /* INSN_SECTIONS_H */
