/* SPDX-License-Identifier: GPL-2.0 */
/* Event filters, from the user's form to the tracer's form. */
#ifndef _USERSPACE_FILTER_H
#define _USERSPACE_FILTER_H

struct error;
struct fields;
struct filter;

struct error *filter_parse(const char *text, struct filter **filter);
struct error *filter_fit(const struct filter *filter, const char *event,
			 const struct fields *fields, char **text);
void filter_free(struct filter *filter);

#endif /* _USERSPACE_FILTER_H */
