/* SPDX-License-Identifier: GPL-2.0 */
/* Decide how the returns of functions are probed. */
#ifndef _USERSPACE_RETURNS_H
#define _USERSPACE_RETURNS_H

#include <stdbool.h>

#include "place.h"

struct error;
struct options;
struct symbols;
struct target;

/**
 * struct returns - how returns are probed
 * @at_sites: probe @sites instead of replacing return addresses
 * @early: a function is also left by jumps to another function, before its value is known
 * @sites: the instructions that return
 */
struct returns {
	bool at_sites;
	bool early;
	struct places sites;
};

struct error *returns_find(struct target *target, struct symbols *syms,
			   const struct options *options,
			   const struct places *places, bool value,
			   struct returns *returns);

#endif /* _USERSPACE_RETURNS_H */
