/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's classes of characters. Above ASCII, they are those of Latin-1: 160 is a space, 161
 * to 191 and the signs of multiplication and division are punctuation. The others are letters, of
 * which 223 and 255 have no counterpart in the other case.
 */
#ifndef _SHIM_LINUX_CTYPE_H
#define _SHIM_LINUX_CTYPE_H

#include <ctype.h>
#include <stdbool.h>

static inline bool shim_isupper(unsigned char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 192 && c <= 222 && c != 215);
}

static inline bool shim_islower(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 223 && c != 247);
}

static inline bool shim_isdigit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static inline bool shim_isspace(unsigned char c)
{
	return (c >= '\t' && c <= '\r') || c == ' ' || c == 160;
}

static inline bool shim_ispunct(unsigned char c)
{
	if (c > 160)
		return c < 192 || c == 215 || c == 247;
	return c > ' ' && c < 127 && !shim_isupper(c) && !shim_islower(c) && !shim_isdigit(c);
}

static inline bool shim_isalpha(unsigned char c)
{
	return shim_isupper(c) || shim_islower(c);
}

static inline bool shim_isalnum(unsigned char c)
{
	return shim_isalpha(c) || shim_isdigit(c);
}

static inline unsigned char shim_tolower(unsigned char c)
{
	return shim_isupper(c) ? c + 32 : c;
}

static inline unsigned char shim_toupper(unsigned char c)
{
	return shim_islower(c) ? c - 32 : c;
}

static inline bool shim_isxdigit(unsigned char c)
{
	return shim_isdigit(c) || (c >= 'A' && c <= 'F') || (c >= 'a' && c <= 'f');
}

#undef isupper
#undef islower
#undef isdigit
#undef isspace
#undef ispunct
#undef isalpha
#undef isalnum
#undef isxdigit
#undef isascii
#undef tolower
#undef toupper
#define isupper(c)	shim_isupper(c)
#define islower(c)	shim_islower(c)
#define isdigit(c)	shim_isdigit(c)
#define isspace(c)	shim_isspace(c)
#define ispunct(c)	shim_ispunct(c)
#define isalpha(c)	shim_isalpha(c)
#define isalnum(c)	shim_isalnum(c)
#define isxdigit(c)	shim_isxdigit(c)
#define isascii(c)	((unsigned char)(c) < 128)
#define tolower(c)	shim_tolower(c)
#define toupper(c)	shim_toupper(c)

#endif /* _SHIM_LINUX_CTYPE_H */
