// SPDX-License-Identifier: GPL-2.0
#include "svg.h"

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
 * @text: the text; control characters become question marks
 */
void svg_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			putc((unsigned char)*text < ' ' ? '?' : *text, out);
		}
	}
}
