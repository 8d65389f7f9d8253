/* SPDX-License-Identifier: GPL-2.0 */
/* The file mappings of a running process. */
#ifndef _USERSPACE_PROCESS_H
#define _USERSPACE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

#include "types.h"

struct error;

/**
 * struct mapping - one executable file mapping of a process
 * @start: first address
 * @end: address after the last one
 * @offset: position of @start in the file
 * @dev: with @ino, the file's identity
 * @ino: see @dev
 * @exact: @dev and @ino are those of stat(); if not set, @dev of a file on
 *	overlayfs or btrfs differs from that of stat()
 * @path: the file, as the process sees it
 * @deleted: no directory entry leads to the file any more
 */
struct mapping {
	u64 start;
	u64 end;
	u64 offset;
	u64 dev;
	u64 ino;
	char *path;
	bool exact;
	bool deleted;
};

/**
 * struct mappings - the executable file mappings of a process
 * @v: the mappings, lowest first
 * @n: number of @v
 * @cap: capacity of @v
 */
struct mappings {
	struct mapping *v;
	size_t n;
	size_t cap;
};

pid_t process_reader(pid_t pid);
struct error *process_mappings(pid_t pid, struct mappings *mappings);
bool process_maps(pid_t pid, const char *path);
void mappings_add(struct mappings *maps, const struct mapping *map);
void mappings_free(struct mappings *mappings);
char *process_name(pid_t pid);

#endif /* _USERSPACE_PROCESS_H */
