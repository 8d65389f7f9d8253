/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Text that is built in a buffer of limited size.
 */
#ifndef _TRACER_TEXT_H
#define _TRACER_TEXT_H

#include <linux/types.h>

/**
 * struct tracer_text - text that is being built
 * @buf: where the text goes; not NUL-terminated
 * @size: room there
 * @len: length of the whole text.  If it is more than @size, the text does not fit,
 *	and the caller can try again with a buffer of this size.
 * @cut: the caller does not try again: text beyond @size need not be built, nor
 *	counted in @len
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

/* Check whether the rest of the text can be skipped. */
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
