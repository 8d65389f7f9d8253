/* SPDX-License-Identifier: GPL-2.0 */
/* The readers of our output: tracing a reader would add more output for each line. */
#ifndef _USERSPACE_READERS_H
#define _USERSPACE_READERS_H

#include <stddef.h>
#include <sys/types.h>

struct options;
struct paths;
struct probe_site;

/* The module leaves out 16 processes at most. */
#define READERS_MAX 16

/**
 * struct readers - this process, and the processes that its output goes through
 * @v: process IDs, ours first
 * @n: number of @v
 */
struct readers {
	pid_t v[READERS_MAX];
	size_t n;
};

void readers_find(struct readers *readers, const struct options *options,
		  int fd);
void readers_add_file(struct paths *files, const struct probe_site *site);
void readers_report(const struct readers *readers, const struct paths *files);

#endif /* _USERSPACE_READERS_H */
