/* SPDX-License-Identifier: GPL-2.0 */
/* Find functions by patterns of their names: mem*, ns::*. */
#ifndef _USERSPACE_PATTERN_H
#define _USERSPACE_PATTERN_H

#include <stdbool.h>

#include "types.h"

struct error;
struct matches;
struct probe_spec;
struct symbol;
struct symbols;

bool pattern_has(const char *function);
char *pattern_glob(const char *pattern, bool literal);
u64 pattern_address(const struct symbols *syms, const struct symbol *sym, char kind);
bool pattern_is_name(struct symbols *syms, const char *function);
void pattern_report_stripped(const struct symbols *syms, const struct matches *found);
struct error *pattern_find(const struct probe_spec *spec, struct symbols *syms,
			   struct matches *found);

#endif /* _USERSPACE_PATTERN_H */
