/* SPDX-License-Identifier: GPL-2.0 */
/* Find shared libraries by name. */
#ifndef _USERSPACE_LIBRARY_H
#define _USERSPACE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>

struct error;

/**
 * struct machine - the class and machine that files need to be loaded together
 * @elf_class: ELFCLASS32 or ELFCLASS64
 * @machine: EM_...
 */
struct machine {
	unsigned int elf_class;
	unsigned int machine;
};

extern const struct machine native_machine;

/**
 * struct paths - a list of files
 * @v: the paths
 * @n: number of @v
 * @cap: capacity of @v
 */
struct paths {
	char **v;
	size_t n;
	size_t cap;
};

void paths_add(struct paths *paths, const char *path);
void paths_free(struct paths *paths);

bool library_name_matches(const char *file, const char *wanted);
struct error *library_find(const char *name, const char *root,
			   const struct machine *machine, struct paths *found,
			   struct paths *others);

#endif /* _USERSPACE_LIBRARY_H */
