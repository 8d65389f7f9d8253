/* SPDX-License-Identifier: GPL-2.0 */
/* Notice that a probed file was replaced: its path leads to another file now. */
#ifndef _USERSPACE_FOLLOW_H
#define _USERSPACE_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "host/library.h"
#include "types.h"

struct error;
struct options;

/**
 * struct followed - a probed file
 * @path: its path
 * @probed: the file that is probed
 * @seen: the file that was there at the last look
 * @below: what processes map, where that is not the file itself, as on overlayfs
 */
struct followed {
	char *path;
	struct stat probed;
	struct stat seen;
	struct stat below;
};

/**
 * struct follow - the probed files of a run
 * @v: the files
 * @n: number of @v
 * @next: when to look again, in milliseconds of the monotonic clock
 * @changed: those that were found replaced at the last look
 */
struct follow {
	struct followed *v;
	size_t n;
	u64 next;
	struct paths changed;
};

void follow_begin(struct follow *follow, const struct paths *files, const struct options *options);
int follow_timeout(const struct follow *follow, int timeout);
bool follow_look(struct follow *follow);
bool follow_has(const struct follow *follow, const char *path);
bool follow_takes(const struct follow *follow, const char *spec);
void follow_report(const struct follow *follow, struct error *err);
void follow_free(struct follow *follow);

#endif /* _USERSPACE_FOLLOW_H */
