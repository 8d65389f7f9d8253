/* SPDX-License-Identifier: GPL-2.0 */
/* The specifications on the command line of the places to count. */
#ifndef _USERSPACE_AGGREGATE_SPECS_H
#define _USERSPACE_AGGREGATE_SPECS_H

struct error;
struct options;
struct aggregate;

struct error *aggregate_add_spec(struct aggregate *aggregate, const char *text,
				 const struct options *options);

#endif /* _USERSPACE_AGGREGATE_SPECS_H */
