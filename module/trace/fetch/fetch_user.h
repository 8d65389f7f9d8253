/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Read memory of the program for a fetch, and keep its strings in the record.
 */
#ifndef _TRACER_FETCH_USER_H
#define _TRACER_FETCH_USER_H

#include <linux/types.h>

struct tracer_fetch;

int tracer_read_user(struct tracer_fetch *f, void *dst, u64 address, size_t len);
void tracer_keep_string(struct tracer_fetch *f, u8 *data, size_t len);

#endif /* _TRACER_FETCH_USER_H */
