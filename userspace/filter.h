/* SPDX-License-Identifier: GPL-2.0 */
/* Event filters, for tracers that have none of their own. */
#ifndef _USERSPACE_FILTER_H
#define _USERSPACE_FILTER_H

#include <stdbool.h>

struct error;
struct event_line;
struct filter;
struct paths;

struct error *filter_parse(const char *text, struct filter **filter);
bool filter_matches(const struct filter *filter,
		    const struct event_line *event);
const char *filter_unknown_name(const struct filter *filter,
				const struct paths *fields);
void filter_free(struct filter *filter);

#endif /* _USERSPACE_FILTER_H */
