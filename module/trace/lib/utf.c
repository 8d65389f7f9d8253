// SPDX-License-Identifier: GPL-2.0
#include "utf.h"

/* Replaces an invalid character. */
#define REPLACEMENT 0xfffd

static bool is_high(u32 c)
{
	return c >= 0xd800 && c < 0xdc00;
}

static bool is_low(u32 c)
{
	return c >= 0xdc00 && c < 0xe000;
}

static void put(struct tracer_utf *utf, u32 c)
{
	unsigned int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
	static const u8 marks[] = { 0, 0xc0, 0xe0, 0xf0 };
	u8 *at = utf->buf + utf->len;

	if (utf->cut || utf->size - utf->len <= more) {
		utf->cut = true;
		return;
	}
	*at++ = marks[more] | c >> 6 * more;
	while (more--)
		*at++ = 0x80 | (c >> 6 * more & 0x3f);
	utf->len = at - utf->buf;
}

/**
 * tracer_utf_put() - append a character, or half of one
 * @utf: the text
 * @c: the character
 *
 * Return: whether there is room for more.
 */
bool tracer_utf_put(struct tracer_utf *utf, u32 c)
{
	u32 high = utf->high;

	utf->high = 0;
	if (utf->unit == 2 && high && is_low(c)) {
		put(utf, 0x10000 + ((high - 0xd800) << 10) + (c - 0xdc00));
		return !utf->cut;
	}
	if (high)
		put(utf, REPLACEMENT);
	if (utf->unit == 2 && is_high(c))
		utf->high = c;
	else
		put(utf, is_high(c) || is_low(c) || c > 0x10ffff ? REPLACEMENT : c);
	return !utf->cut;
}

/**
 * tracer_utf_end() - finish a text: replace a first half that has no second one
 * @utf: the text
 */
void tracer_utf_end(struct tracer_utf *utf)
{
	if (utf->high)
		put(utf, REPLACEMENT);
	utf->high = 0;
}
