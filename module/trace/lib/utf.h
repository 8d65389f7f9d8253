/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Conversion of UTF-16 and UTF-32 to UTF-8.
 */
#ifndef _TRACER_UTF_H
#define _TRACER_UTF_H

#include <linux/types.h>

/**
 * struct tracer_utf - a text that is being converted
 * @unit: bytes of an input character: 2 or 4
 * @high: the first half of a surrogate pair of UTF-16, or 0
 * @buf: where UTF-8 goes
 * @size: room there
 * @len: bytes there
 * @cut: a character did not fit
 */
struct tracer_utf {
	u8 unit;
	u16 high;
	u8 *buf;
	size_t size;
	size_t len;
	bool cut;
};

bool tracer_utf_put(struct tracer_utf *utf, u32 c);
void tracer_utf_end(struct tracer_utf *utf);

#endif /* _TRACER_UTF_H */
