/* SPDX-License-Identifier: GPL-2.0 */
/* Names of JIT-compiled code, from the file that a JIT compiler writes for perf. */
#ifndef _USERSPACE_PERF_MAP_H
#define _USERSPACE_PERF_MAP_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "types.h"

/**
 * struct perf_map - a file perf-PID.map
 * @path: its path, escaped for messages
 * @f: the file; its position is after the last complete line
 * @dev: with @ino, its identity
 * @ino: see @dev
 * @v: the named code, by address; of entries with one address, the last is the newest
 * @n: number of @v
 * @cap: capacity of @v
 */
struct perf_map {
	char *path;
	FILE *f;
	u64 dev;
	u64 ino;
	struct perf_code {
		u64 start;
		u64 size;
		size_t line;
		char *name;
	} *v;
	size_t n;
	size_t cap;
};

/**
 * struct perf_maps - the files that have been opened
 * @v: the files
 * @n: number of @v
 * @cap: capacity of @v
 */
struct perf_maps {
	struct perf_map **v;
	size_t n;
	size_t cap;
};

struct perf_map *perf_maps_get(struct perf_maps *maps, pid_t tid);
const struct perf_code *perf_map_find(struct perf_map *map, u64 addr);
void perf_maps_free(struct perf_maps *maps);

#endif /* _USERSPACE_PERF_MAP_H */
