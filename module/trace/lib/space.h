/* SPDX-License-Identifier: GPL-2.0 */
/*
 * White space between the words that users write to the control directory.
 *
 * Only the white space of ASCII counts.  The kernel's isspace(), and with it strim()
 * and skip_spaces(), use Latin-1, where 0xa0 is a space.  In UTF-8, 0xa0 does not end a
 * word: it is the last byte of U+00E0 (an "a" with a grave accent) and of other characters.
 */
#ifndef _TRACER_SPACE_H
#define _TRACER_SPACE_H

#include <linux/string.h>
#include <linux/types.h>

static inline bool tracer_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Return the first character of @s that is not white space. */
static inline char *tracer_skip_space(const char *s)
{
	while (tracer_is_space(*s))
		s++;
	return (char *)s;
}

/* Remove the white space around @s, in place. */
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
