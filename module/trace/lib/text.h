/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text put together in a buffer of limited size.
 */
#ifndef _TRACER_TEXT_H
#define _TRACER_TEXT_H

#include <linux/types.h>

/**
 * struct tracer_text - text in the making
 * @buf: where it goes; not NUL-terminated
 * @size: room there
 * @len: length of the whole text, more than @size when it does not fit: the
 *	size to come back with
 * @cut: nobody comes back: what does not fit need not be made, nor counted in @len
 */
struct tracer_text {
	char *buf;
	size_t size;
	size_t len;
	bool cut;
};

static inline bool tracer_text_fits(const struct tracer_text *t)
{
	return t->len <= t->size;
}

/* Is it of no use to go on? */
static inline bool tracer_text_done(const struct tracer_text *t)
{
	return t->cut && !tracer_text_fits(t);
}

void tracer_text_putc(struct tracer_text *t, char c);
void tracer_text_puts(struct tracer_text *t, const char *s);
void tracer_text_escape(struct tracer_text *t, const char *s, size_t len);
void tracer_text_printf(struct tracer_text *t, const char *fmt, ...)
	__printf(2, 3);

#endif /* _TRACER_TEXT_H */
