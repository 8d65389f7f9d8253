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
 * Call visit for every section of x86 code in the file. Return the number of sections, -1 if it
 * is no x86 object file that can be read.
 */
int visit_code_sections(const char *path, visit_section visit, void *data);

/*
 * Call visit with the address of every function that has a symbol with a size, or that is in an
 * unwind table or in Go's table; with some addresses more than once. Return the number of calls,
 * -1 if it is no x86 object file that can be read.
 */
int visit_functions(const char *path, visit_function visit, void *data);

#endif /* INSN_SECTIONS_H */
