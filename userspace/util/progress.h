/* SPDX-License-Identifier: GPL-2.0 */
/* A line on the terminal that tells how far long work has come. */
#ifndef _USERSPACE_PROGRESS_H
#define _USERSPACE_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "types.h"

/**
 * struct progress - work that may take long
 * @what: what is counted, as in "3 of 7 places attached, 4 s left"
 * @since: when it began, in milliseconds
 * @shown: when the line was last written; 0 if there is none
 */
struct progress {
	const char *what;
	u64 since;
	u64 shown;
};

void progress_begin(struct progress *progress, const char *what);
void progress_step(struct progress *progress, size_t done, size_t all);
void progress_chunk(struct progress *progress, size_t done, size_t all);
void progress_end(struct progress *progress);

#endif /* _USERSPACE_PROGRESS_H */
