/* SPDX-License-Identifier: GPL-2.0 */
/*
 * UTF-16 and UTF-32 made UTF-8.
 */
#ifndef _TRACER_UTF_H
#define _TRACER_UTF_H

#include <linux/types.h>

/**
 * struct tracer_utf - a text being converted
 * @unit: bytes of the characters that come in: 2 or 4
 * @high: the first half of a character that takes two of UTF-16, or 0
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
