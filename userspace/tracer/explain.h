/* SPDX-License-Identifier: GPL-2.0 */
/* Explain to the user why fewer events are shown than expected. */
#ifndef _USERSPACE_EXPLAIN_H
#define _USERSPACE_EXPLAIN_H

#include <stdbool.h>

struct counts;
struct options;
struct paths;

void explain_drops(const struct counts *counts, const struct options *options, bool filtered);
void explain_conditions(const struct options *options);
void explain_nothing(const struct paths *files, const struct options *options,
		     bool hit);

#endif /* _USERSPACE_EXPLAIN_H */
