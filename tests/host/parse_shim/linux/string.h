/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_STRING_H
#define _SHIM_LINUX_STRING_H

#include <string.h>

/* Like the kernel's function: a NUL in @s is a character like any other. */
static inline char *strnstr(const char *s, const char *what, size_t len)
{
	size_t n = strlen(what);

	for (; len >= n; s++, len--) {
		if (!memcmp(s, what, n))
			return (char *)s;
	}
	return NULL;
}

#endif /* _SHIM_LINUX_STRING_H */
