/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copy or clear a few bytes, if their number is known only at run time.
 *
 * If the number is not constant, memcpy() is a repeated string instruction.  The start of
 * that instruction alone takes longer than a whole call of a function below.
 */
#ifndef _TRACER_WORDS_H
#define _TRACER_WORDS_H

#include <linux/string.h>
#include <linux/types.h>

/* Load a number of @size bytes, or its lower eight.  @from need not be aligned. */
static __always_inline u64 tracer_load(const void *from, unsigned int size)
{
	u64 whole = 0;
	u32 half;
	u16 quarter;

	switch (size) {
	case 8:
		memcpy(&whole, from, 8);
		return whole;
	case 4:
		memcpy(&half, from, 4);
		return half;
	case 2:
		memcpy(&quarter, from, 2);
		return quarter;
	case 1:
		return *(const u8 *)from;
	default:
		memcpy(&whole, from, size < 8 ? size : 8);
		return whole;
	}
}

/* Store the lower @size bytes of a number, at most eight. */
static __always_inline void tracer_store(void *to, u64 value, unsigned int size)
{
	switch (size) {
	case 8:
		memcpy(to, &value, 8);
		break;
	case 4:
		memcpy(to, &value, 4);
		break;
	case 2:
		memcpy(to, &value, 2);
		break;
	case 1:
		*(u8 *)to = value;
		break;
	default:
		memcpy(to, &value, size);
		break;
	}
}

static inline void tracer_copy(void *to, const void *from, size_t len)
{
	u8 *dst = to;
	const u8 *src = from;

	if (len > 256) {
		memcpy(to, from, len);
		return;
	}
	for (; len > 32; len -= 32, dst += 32, src += 32)
		memcpy(dst, src, 32);
	if (len >= 8) {
		/* Copy the last eight bytes first; the loop may copy some of them again. */
		memcpy(dst + len - 8, src + len - 8, 8);
		for (; len > 8; len -= 8, dst += 8, src += 8)
			memcpy(dst, src, 8);
		return;
	}
	for (; len; len--)
		*dst++ = *src++;
}

static inline void tracer_clear(void *to, size_t len)
{
	u8 *dst = to;

	if (len > 256) {
		memset(to, 0, len);
		return;
	}
	for (; len >= 8; len -= 8, dst += 8)
		memset(dst, 0, 8);
	if (len & 4) {
		memset(dst, 0, 4);
		dst += 4;
	}
	if (len & 2) {
		memset(dst, 0, 2);
		dst += 2;
	}
	if (len & 1)
		*dst = 0;
}

#endif /* _TRACER_WORDS_H */
