// SPDX-License-Identifier: GPL-2.0
#include "json.h"

#include "utf8.h"

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
