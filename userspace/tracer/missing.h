/* SPDX-License-Identifier: GPL-2.0 */
/* The places in processes that probes were left out of. */
#ifndef _USERSPACE_MISSING_H
#define _USERSPACE_MISSING_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct missing - the places that probes were left out of
 * @places: number of places
 * @event: the event of the first place, in the tracer's words; NULL if there is none
 * @why: the reason there, as in the kernel log
 */
struct missing {
	size_t places;
	char *event;
	char *why;
};

bool missing_take(struct missing *missing, const char *line);
void missing_read(struct missing *missing, int session);
void missing_report(const struct missing *missing, const char *name);
void missing_free(struct missing *missing);

#endif /* _USERSPACE_MISSING_H */
