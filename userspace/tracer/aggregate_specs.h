/* SPDX-License-Identifier: GPL-2.0 */
/* The specifications on the command line of the places to count. */
#ifndef _USERSPACE_AGGREGATE_SPECS_H
#define _USERSPACE_AGGREGATE_SPECS_H

#include <stdbool.h>

struct error;
struct options;
struct tally;

struct error *tally_add_spec(struct tally *tally, const char *text,
			     const struct options *options, bool latency);

#endif /* _USERSPACE_AGGREGATE_SPECS_H */
