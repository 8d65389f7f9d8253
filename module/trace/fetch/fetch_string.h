/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Strings that have a length, and strings of wide characters.
 */
#ifndef _TRACER_FETCH_STRING_H
#define _TRACER_FETCH_STRING_H

#include <linux/types.h>

struct tracer_arg;
struct tracer_fetch;

void tracer_store_string(struct tracer_fetch *f, const struct tracer_arg *arg, u8 *data,
			 u64 address, u64 len);

#endif /* _TRACER_FETCH_STRING_H */
