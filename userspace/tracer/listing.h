/* SPDX-License-Identifier: GPL-2.0 */
/* The events of a control directory, with their counts. */
#ifndef _USERSPACE_LISTING_H
#define _USERSPACE_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "control.h"

struct error;

/**
 * struct listed - a site of an event
 * @kind: 'p' or 'r'
 * @group: the event's group
 * @event: its name
 * @rest: the rest of its line: the place and the arguments
 * @counted: @counts is known
 * @counts: hits and misses of the probe
 */
struct listed {
	char kind;
	const char *group;
	const char *event;
	const char *rest;
	bool counted;
	struct counts counts;
};

/**
 * struct listing - the contents of uprobe_events and uprobe_profile
 * @v: the sites
 * @n: number of @v
 * @cap: capacity of @v
 * @text: the text that the strings of @v point into
 */
struct listing {
	struct listed *v;
	size_t n;
	size_t cap;
	char *text;
};

struct error *listing_read(const char *dir, struct listing *listing);
void listing_free(struct listing *listing);
bool listing_first(const struct listing *listing, size_t i);

#endif /* _USERSPACE_LISTING_H */
