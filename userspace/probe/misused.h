/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _USERSPACE_MISUSED_H
#define _USERSPACE_MISUSED_H

#include <stdbool.h>

struct error;
struct options;

/**
 * struct misused - an option without an effect in a command
 * @given: the user gave it
 * @option: its spelling
 * @instead: end of the sentence that tells the user to leave it out
 */
struct misused {
	bool given;
	const char *option;
	const char *instead;
};

struct error *misused_in_flow(const struct options *options);
struct error *misused_in_stacks(const struct options *options);
struct error *misused_in_trace(const struct options *options);
struct error *misused_in_count(const struct options *options, bool latency);

#endif /* _USERSPACE_MISUSED_H */
