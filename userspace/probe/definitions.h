/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The definitions of several probes.
 */
#ifndef _USERSPACE_DEFINITIONS_H
#define _USERSPACE_DEFINITIONS_H

#include "definition.h"

struct error *definitions_make(const struct probe_spec *spec,
			       const struct options *options, u64 max,
			       struct definitions *defs);
struct error *definitions_too_many(u64 n, u64 max);

#endif /* _USERSPACE_DEFINITIONS_H */
