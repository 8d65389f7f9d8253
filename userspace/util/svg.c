// SPDX-License-Identifier: GPL-2.0
#include "svg.h"

#include <string.h>

#include "utf8.h"

/**
 * svg_begin() - write the first tag
 * @out: the output file
 * @width: of the picture
 * @height: of the picture
 */
void svg_begin(FILE *out, unsigned int width, unsigned int height)
{
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\">\n",
		width, height, width, height);
}

/**
 * svg_text() - write text, also as the value of an attribute
 * @out: the output file
 * @text: the text; what is no character in XML becomes a question mark
 */
void svg_text(FILE *out, const char *text)
{
	size_t left = strlen(text), n;

	for (; left; text += n, left -= n) {
		n = (unsigned char)*text < 0x80 ? 1 : utf8_len((const unsigned char *)text, left);
		if (!n || (unsigned char)*text < ' ' || !strncmp(text, "\xef\xbf\xbe", 3) ||
		    !strncmp(text, "\xef\xbf\xbf", 3)) {
			putc('?', out);
			n = n ? n : 1;
		} else if (*text == '<') {
			fputs("&lt;", out);
		} else if (*text == '>') {
			fputs("&gt;", out);
		} else if (*text == '&') {
			fputs("&amp;", out);
		} else if (*text == '"') {
			fputs("&quot;", out);
		} else {
			fwrite(text, 1, n, out);
		}
	}
}
