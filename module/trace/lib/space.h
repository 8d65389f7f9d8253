/* SPDX-License-Identifier: GPL-2.0 */
/*
 * White space between words, in what is written to the control directory.
 *
 * It is ASCII's.  The kernel's isspace(), and with it strim() and skip_spaces(),
 * are Latin-1's, where 0xa0 is a space: in UTF-8 that is the last byte of U+00E0, an "a" with a
 * grave accent, and of others, and no end of a word.
 */
#ifndef _TRACER_SPACE_H
#define _TRACER_SPACE_H

#include <linux/string.h>
#include <linux/types.h>

static inline bool tracer_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The first character of @s that is no white space. */
static inline char *tracer_skip_space(const char *s)
{
	while (tracer_is_space(*s))
		s++;
	return (char *)s;
}

/* @s without the white space around it, cut off in place. */
static inline char *tracer_trim(char *s)
{
	size_t len;

	s = tracer_skip_space(s);
	len = strlen(s);
	while (len && tracer_is_space(s[len - 1]))
		len--;
	s[len] = '\0';
	return s;
}

#endif /* _TRACER_SPACE_H */
