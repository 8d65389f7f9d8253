/* SPDX-License-Identifier: GPL-2.0 */
/* Suggest names similar to a name that does not exist. */
#ifndef _USERSPACE_SUGGEST_H
#define _USERSPACE_SUGGEST_H

#include "symbols.h"

#define SUGGESTIONS_MAX 6

unsigned int edit_distance(const char *a, const char *b, unsigned int limit);
size_t suggest(const struct symbols *syms, const char *name,
	       const struct symbol *best[SUGGESTIONS_MAX]);

#endif /* _USERSPACE_SUGGEST_H */
