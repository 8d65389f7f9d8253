/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Run event filters on a record.
 */
#ifndef _TRACER_MATCH_H
#define _TRACER_MATCH_H

#include <linux/types.h>

struct tracer_filter;
struct tracer_record;

bool tracer_filter_match(const struct tracer_filter *filter,
			 const struct tracer_record *record, size_t len,
			 int cpu);

#endif /* _TRACER_MATCH_H */
