/* SPDX-License-Identifier: GPL-2.0 */
/* IFUNCs: symbols whose address is that of a resolver, which chooses a function. */
#ifndef _USERSPACE_IFUNC_H
#define _USERSPACE_IFUNC_H

#include <stddef.h>

#include "symbols.h"

struct error;

/* glibc's largest resolvers choose from about twenty variants. */
#define IFUNC_VARIANTS_MAX 64

/**
 * struct ifunc_variants - the functions of a file that a resolver chooses from
 * @v: their addresses
 * @n: number of @v
 */
struct ifunc_variants {
	u64 v[IFUNC_VARIANTS_MAX];
	size_t n;
};

void ifunc_find_variants(struct symbols *syms, const struct symbol *ifunc,
			 struct ifunc_variants *variants);
struct error *ifunc_refuse(struct symbols *syms, const struct symbol *ifunc);

#endif /* _USERSPACE_IFUNC_H */
