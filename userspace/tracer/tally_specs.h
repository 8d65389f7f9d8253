/* SPDX-License-Identifier: GPL-2.0 */
/* What is to be counted, as it is written on the command line. */
#ifndef _USERSPACE_TALLY_SPECS_H
#define _USERSPACE_TALLY_SPECS_H

#include <stdbool.h>

struct error;
struct options;
struct tally;

struct error *tally_add_spec(struct tally *tally, const char *text,
			     const struct options *options, bool latency);

#endif /* _USERSPACE_TALLY_SPECS_H */
