/* SPDX-License-Identifier: GPL-2.0 */
/* How much later programs start because a file that they map is probed. */
#ifndef _USERSPACE_START_COST_H
#define _USERSPACE_START_COST_H

#include <stdbool.h>
#include <stddef.h>

struct options;
struct paths;
struct runner;

bool start_cost_child(int argc, char **argv);
void start_cost_report(const struct paths *files, size_t places, const struct options *options,
		       const struct runner *runner);

#endif /* _USERSPACE_START_COST_H */
