/* SPDX-License-Identifier: GPL-2.0 */
/* The places in a target that FUNCTION[@FILE|@VERSION][+OFF] stands for. */
#ifndef _USERSPACE_PLACE_H
#define _USERSPACE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "dwarf/code_place.h"
#include "symbols/symbols.h"
#include "target.h"
#include "types.h"

struct error;

/* The checks that --force=WHAT can skip. */
#define FORCE_ALIGN	0x01	/* the place need not be an instruction */
#define FORCE_SIZE	0x02	/* the function's size need not be known */
#define FORCE_RANGE	0x04	/* the place may lie outside the function */
#define FORCE_IFUNC	0x08	/* probe an IFUNC's resolver */
#define FORCE_GO	0x10	/* replace return addresses in Go, OCaml, a VM */

#define FORCE_ALL	"align,size,range,ifunc,go"

/**
 * struct places - all places that a specification stands for
 * @v: the places
 * @n: number of @v
 * @cap: capacity of @v
 */
struct places {
	struct place *v;
	size_t n;
	size_t cap;
};

/**
 * struct place_options - which places to take, and which checks to skip
 * @all: take all functions of a name, and all variants of an IFUNC
 * @pid: the process to probe, or 0 for any; with a process, take all variants of
 *	an IFUNC, because the process may use any of them
 * @inlined: also take the places where a function was inlined
 * @entered: for a function, take the place that each call of it reaches exactly
 *	once
 * @force: FORCE_*
 */
struct place_options {
	bool all;
	bool entered;
	bool inlined;
	pid_t pid;
	unsigned int force;
};

struct error *force_parse(const char *list, unsigned int *force);
void force_report(unsigned int force);
struct error *places_find(struct target *target, struct symbols *syms,
			  const char *spec, const struct place_options *options,
			  struct places *places);
void places_add(struct places *places, const struct place *place);
void places_free(struct places *places);

#endif /* _USERSPACE_PLACE_H */
