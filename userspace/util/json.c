// SPDX-License-Identifier: GPL-2.0
#include "json.h"

#include <stdbool.h>

#include "types.h"

/* Return the length of the UTF-8 character at @s, or 0 if the bytes are not UTF-8 (RFC 3629). */
static size_t utf8_len(const unsigned char *s, size_t len)
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

/**
 * json_string() - write a JSON string
 * @out: the output file
 * @s: the bytes of the string
 * @len: number of bytes
 *
 * Write control characters in the form \u001b. Write a byte that is not valid UTF-8 as
 * the character whose number is the value of the byte.
 */
void json_string(FILE *out, const char *s, size_t len)
{
	putc('"', out);
	for (size_t i = 0; i < len; i++) {
		unsigned char c = s[i];
		size_t n;

		if (c == '"' || c == '\\') {
			fprintf(out, "\\%c", c);
		} else if (c >= 0x20 && c < 0x7f) {
			putc(c, out);
		} else {
			n = utf8_len((const unsigned char *)s + i, len - i);
			/* U+0080 to U+009f are control characters, too. */
			if (n == 2 && c == 0xc2 && (unsigned char)s[i + 1] < 0xa0)
				fprintf(out, "\\u%04x", (unsigned char)s[i + 1]);
			else if (n)
				fwrite(s + i, 1, n, out);
			else
				fprintf(out, "\\u%04x", c);
			i += n ? n - 1 : 0;
		}
	}
	putc('"', out);
}
