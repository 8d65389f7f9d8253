/* SPDX-License-Identifier: GPL-2.0 */
/* Symbol versions of a dynamic symbol table: what f@V and f@@V mean. */
#ifndef _USERSPACE_VERSIONS_H
#define _USERSPACE_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "elf_image.h"
#include "types.h"

/**
 * struct version - one entry of a version table
 * @name: the version, NULL if the file does not name it
 * @library: for an imported version, the library that has it
 */
struct version {
	const char *name;
	const char *library;
};

/**
 * struct versions - the version tables of a file
 * @v: by version index; the strings belong to the file
 * @n: number of entries in @v
 * @versym: version index of each dynamic symbol, NULL without versions
 */
struct versions {
	struct version *v;
	size_t n;
	Elf_Data *versym;
};

void versions_load(const struct elf_image *img, struct versions *versions);
void versions_free(struct versions *versions);
bool versions_of(const struct versions *versions, size_t symbol,
		 struct version *version, bool *hidden);

#endif /* _USERSPACE_VERSIONS_H */
