/* SPDX-License-Identifier: GPL-2.0 */
/* Format times and bars for people. */
#ifndef _USERSPACE_HISTOGRAM_H
#define _USERSPACE_HISTOGRAM_H

#include <stdio.h>

#include "types.h"

#define DURATION_LEN 32

void duration_text(u64 ns, char text[DURATION_LEN]);
void histogram_print_bar(FILE *out, u64 n, u64 most);

#endif /* _USERSPACE_HISTOGRAM_H */
