/* SPDX-License-Identifier: GPL-2.0 */
/* How the hits of an aggregate are found: with a trap each, and why, or without. */
#ifndef _USERSPACE_TRAPS_H
#define _USERSPACE_TRAPS_H

#include <stddef.h>

struct aggregate;

/**
 * struct traps_reason - places whose hits are found in the same way
 * @why: why each hit traps, in the module's words, or "no trap"
 * @places: number of places
 */
struct traps_reason {
	char *why;
	size_t places;
};

/**
 * struct traps - all places at one moment
 * @v: the reasons, those of the most places first
 * @n: number of @v
 * @places: number of all places
 */
struct traps {
	struct traps_reason *v;
	size_t n;
	size_t places;
};

void traps_look(struct traps *traps, const struct aggregate *aggregate);
void traps_print(const struct traps *traps);
void traps_free(struct traps *traps);

#endif /* _USERSPACE_TRAPS_H */
