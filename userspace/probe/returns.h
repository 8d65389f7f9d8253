/* SPDX-License-Identifier: GPL-2.0 */
/* How the returns of functions are probed. */
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
 * @at_sites: by probes on @sites, not by replacing return addresses
 * @early: some of @sites are jumps to another function, before the value is known
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
