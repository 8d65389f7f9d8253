/* SPDX-License-Identifier: GPL-2.0 */
/* Format counts and latencies for people. */
#ifndef _USERSPACE_HISTOGRAM_H
#define _USERSPACE_HISTOGRAM_H

#include <stdio.h>

#include "aggregate.h"
#include "types.h"

#define DURATION_LEN 32

void duration_text(u64 ns, char text[DURATION_LEN]);
u64 histogram_percentile(const struct aggregate_counts *counts, unsigned int percent);
void histogram_print_bar(FILE *out, u64 n, u64 most);
void histogram_print(FILE *out, const struct aggregate_counts *counts);

#endif /* _USERSPACE_HISTOGRAM_H */
