/* SPDX-License-Identifier: GPL-2.0 */
/* Statically defined tracing: the probes that programs define themselves. */
#ifndef _USERSPACE_SDT_H
#define _USERSPACE_SDT_H

#include <stddef.h>

#include "elf/elf_image.h"
#include "types.h"

struct error;

/**
 * struct sdt_site - one place of a probe, as a note describes it
 * @provider: name of its provider; this and the other strings live with the list
 * @name: its name
 * @operands: places of its arguments, in the assembler's syntax
 * @addr: address of the probe
 * @offset: position in the file
 * @semaphore: address of its counter of tracers, 0 without one
 * @semaphore_offset: position of the counter in the file
 * @problem: why it cannot be probed, NULL if it can
 */
struct sdt_site {
	const char *provider;
	const char *name;
	const char *operands;
	u64 addr;
	u64 offset;
	u64 semaphore;
	u64 semaphore_offset;
	const char *problem;
};

/**
 * struct sdt_list - all sites of a file, in order of provider and name
 * @v: the sites
 * @n: number of @v
 * @cap: capacity of @v
 */
struct sdt_list {
	struct sdt_site *v;
	size_t n;
	size_t cap;
};

void sdt_load(const struct elf_image *img, struct sdt_list *list);
void sdt_free(struct sdt_list *list);

#endif /* _USERSPACE_SDT_H */
