/* SPDX-License-Identifier: GPL-2.0 */
/* Why there is less to see than one would think. */
#ifndef _USERSPACE_EXPLAIN_H
#define _USERSPACE_EXPLAIN_H

#include <stdbool.h>

struct counts;
struct options;
struct paths;

void explain_drops(const struct counts *counts, const struct options *options);
void explain_conditions(const struct options *options);
void explain_nothing(const struct paths *files, const struct options *options,
		     bool hit);

#endif /* _USERSPACE_EXPLAIN_H */
