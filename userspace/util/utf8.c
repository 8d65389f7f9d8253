// SPDX-License-Identifier: GPL-2.0
#include "utf8.h"

#include <stdbool.h>

#include "types.h"

/**
 * utf8_len() - get the length of a character of several bytes (RFC 3629)
 * @s: the bytes
 * @len: number of bytes, not 0
 *
 * Return: its bytes; 0 if there is no UTF-8 at @s.
 */
size_t utf8_len(const unsigned char *s, size_t len)
{
	u32 c = s[0], least;
	size_t n;

	if (c < 0xc2 || c > 0xf4)
		return 0;
	n = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
	least = n == 2 ? 0x80 : n == 3 ? 0x800 : 0x10000;
	if (n > len)
		return 0;
	c &= 0x7f >> n;
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	return c >= least && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) ? n : 0;
}
