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

/* Return the length of the UTF-8 character at @s; 1 for a byte that begins none. */
static size_t character_length(const u8 *s, size_t len)
{
	u8 least = 0x80, most = 0xbf;
	size_t n, i;

	n = s[0] < 0xc2 || s[0] > 0xf4 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
	if (n > len)
		return 1;
	/* Reject overlong forms, surrogates, and characters beyond U+10ffff. */
	if (s[0] == 0xe0)
		least = 0xa0;
	else if (s[0] == 0xed)
		most = 0x9f;
	else if (s[0] == 0xf0)
		least = 0x90;
	else if (s[0] == 0xf4)
		most = 0x8f;
	for (i = 1; i < n; i++) {
		if (s[i] < least || s[i] > most)
			return 1;
		least = 0x80;
		most = 0xbf;
	}
	return n;
}

/*
 * Check for a control character: one of ASCII, or U+0080 to U+009f, in UTF-8 or as a
 * single byte of Latin-1.
 */
static bool is_control(const u8 *s, size_t len)
{
	if (len == 1)
		return s[0] < 0x20 || (s[0] >= 0x7f && s[0] < 0xa0);
	return len == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

/* Get the number of bytes up to the first one that may need more than to be copied. */
static size_t plain_length(const u8 *s, size_t len)
{
	size_t n = 0;

	while (n < len && s[n] >= ' ' && s[n] < 0x7f)
		n++;
	return n;
}

static void put_escaped(struct tracer_text *t, u8 c)
{
	static const char hex[] = "0123456789abcdef";

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

/**
 * tracer_text_escape() - append bytes of a traced program
 * @t: the text
 * @s: the bytes
 * @len: their number
 *
 * Each control character is replaced by \n, \t and the like, or by \xNN for each of
 * its bytes.  So no memory of a program can break the line of a record, or send
 * control sequences to a terminal.  A byte becomes at most four.
 */
void tracer_text_escape(struct tracer_text *t, const char *s, size_t len)
{
	size_t i, n;

	for (i = 0; i < len && !tracer_text_done(t); i += n) {
		const u8 *c = (const u8 *)s + i;

		n = plain_length(c, len - i);
		if (n) {
			put(t, s + i, n);
			continue;
		}
		n = character_length(c, len - i);
		if (!is_control(c, n)) {
			put(t, s + i, n);
			continue;
		}
		put_escaped(t, c[0]);
		if (n == 2)
			put_escaped(t, c[1]);
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
