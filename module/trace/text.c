// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>
#include <linux/string.h>

#include "text.h"

static void put(struct tracer_text *t, const char *s, size_t len)
{
	if (t->len < t->size)
		memcpy(t->buf + t->len, s, min(len, t->size - t->len));
	t->len += len;
}

/**
 * tracer_text_putc() - append a character
 * @t: the text
 * @c: the character
 */
void tracer_text_putc(struct tracer_text *t, char c)
{
	put(t, &c, 1);
}

/**
 * tracer_text_puts() - append a string
 * @t: the text
 * @s: the string
 */
void tracer_text_puts(struct tracer_text *t, const char *s)
{
	put(t, s, strlen(s));
}

/**
 * tracer_text_escape() - append what a traced program holds
 * @t: the text
 * @s: the bytes
 * @len: their number
 *
 * Control characters become \n, \t and the like, or \xNN: whatever a program
 * holds in its memory, a record stays on its line and a terminal stays sane.
 */
void tracer_text_escape(struct tracer_text *t, const char *s, size_t len)
{
	static const char hex[] = "0123456789abcdef";
	size_t i;

	for (i = 0; i < len && !tracer_text_done(t); i++) {
		unsigned char c = s[i];

		if (c >= 0x20 && c != 0x7f) {
			tracer_text_putc(t, c);
			continue;
		}
		tracer_text_putc(t, '\\');
		switch (c) {
		case '\n':
			tracer_text_putc(t, 'n');
			break;
		case '\t':
			tracer_text_putc(t, 't');
			break;
		case '\r':
			tracer_text_putc(t, 'r');
			break;
		default:
			tracer_text_putc(t, 'x');
			tracer_text_putc(t, hex[c >> 4]);
			tracer_text_putc(t, hex[c & 15]);
			break;
		}
	}
}

/**
 * tracer_text_printf() - append formatted text, at most 255 characters
 * @t: the text
 * @fmt: as for printk()
 */
void tracer_text_printf(struct tracer_text *t, const char *fmt, ...)
{
	char line[256];
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	if (len > 0)
		put(t, line, min((size_t)len, sizeof(line) - 1));
}
