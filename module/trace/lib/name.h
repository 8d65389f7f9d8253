/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The characters of a name.
 */
#ifndef _TRACER_NAME_H
#define _TRACER_NAME_H

#include <linux/ctype.h>
#include <linux/types.h>

static inline bool tracer_starts_name(char c)
{
	return isascii(c) && (isalpha(c) || c == '_');
}

static inline bool tracer_continues_name(char c)
{
	return isascii(c) && (isalnum(c) || c == '_');
}

/**
 * tracer_name_is_good() - check a name of an event or an argument
 * @name: the name
 */
static inline bool tracer_name_is_good(const char *name)
{
	if (!tracer_starts_name(*name))
		return false;
	while (*++name) {
		if (!tracer_continues_name(*name))
			return false;
	}
	return true;
}

#endif /* _TRACER_NAME_H */
