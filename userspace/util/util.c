// SPDX-License-Identifier: GPL-2.0
#include "util.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "error.h"

static _Noreturn void out_of_memory(void)
{
	fputs("uprobe: out of memory; free some, or name a smaller file\n",
	      stderr);
	exit(STATUS_RUNTIME);
}

void *xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xreallocarray(void *old, size_t n, size_t size)
{
	void *p = reallocarray(old, n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t n)
{
	char *copy;

	n = strnlen(s, n);
	copy = xmalloc(n + 1);
	memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s;

	if (vasprintf(&s, fmt, ap) < 0)
		out_of_memory();
	return s;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

/**
 * grow() - make room for one more element in an array
 * @array: the array, NULL before the first one
 * @n: elements in it
 * @cap: capacity of the array in elements; doubles when the array is full, so
 *	that the cost of appending stays linear
 * @size: bytes of an element
 *
 * Return: the array, which may have moved.
 */
void *grow(void *array, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return array;
	*cap = *cap ? 2 * *cap : 16;
	return xreallocarray(array, *cap, size);
}

#define ARENA_CHUNK 65536

struct arena_chunk {
	struct arena_chunk *next;
	size_t used, size;
	char bytes[];
};

/**
 * arena_strndup() - copy a string into an arena
 * @arena: the arena, all zero before its first use
 * @s: the string
 * @n: copy at most this many bytes of it
 *
 * Return: the copy; it lives until arena_free().
 */
char *arena_strndup(struct arena *arena, const char *s, size_t n)
{
	struct arena_chunk *chunk = arena->head;
	size_t len = strnlen(s, n);
	char *copy;

	if (!chunk || chunk->size - chunk->used <= len) {
		size_t size = len < ARENA_CHUNK ? ARENA_CHUNK : len + 1;

		chunk = xmalloc(sizeof(*chunk) + size);
		chunk->next = arena->head;
		chunk->used = 0;
		chunk->size = size;
		arena->head = chunk;
	}
	copy = chunk->bytes + chunk->used;
	memcpy(copy, s, len);
	copy[len] = '\0';
	chunk->used += len + 1;
	return copy;
}

void arena_free(struct arena *arena)
{
	while (arena->head) {
		struct arena_chunk *next = arena->head->next;

		free(arena->head);
		arena->head = next;
	}
}

bool str_starts(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n >= m && strcmp(s + n - m, suffix) == 0;
}

/**
 * name_end() - find the end of a name
 * @p: where it begins
 *
 * Return: the first character from @p on that is no letter, digit or underscore.
 */
const char *name_end(const char *p)
{
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return p;
}

/* Return the length of the control character that @s begins with, or 0 if there is none. */
static unsigned int control_bytes(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	if (p[0] == 0xc2 && p[1] >= 0x80 && p[1] <= 0x9f)
		return 2;
	return p[0] < 0x20 || p[0] == 0x7f;
}

/**
 * str_printable() - check whether a string is safe to show on a terminal
 * @s: a string from an untrusted file
 *
 * Control bytes, and the C1 controls in their UTF-8 form, can reprogram a
 * terminal and can forge lines of output.
 */
bool str_printable(const char *s)
{
	for (; *s; s++) {
		if (control_bytes(s))
			return false;
	}
	return true;
}

/**
 * path_escape() - write a path as one word of uprobe_events
 * @path: the path
 *
 * Write white space, control characters, '#' and '\\' as octal escapes such as \040.
 * The control file decodes these escapes. The result is also safe on a terminal.
 *
 * Return: the word, from malloc().
 */
char *path_escape(const char *path)
{
	char *word = xmalloc(4 * strlen(path) + 1), *out = word;

	while (*path) {
		unsigned int escaped = control_bytes(path);

		if (!escaped && strchr(" #\\", *path))
			escaped = 1;
		if (!escaped)
			*out++ = *path++;
		while (escaped--)
			out += sprintf(out, "\\%03o", (unsigned char)*path++);
	}
	*out = '\0';
	return word;
}

/** path_unescape() - undo path_escape(), in place */
void path_unescape(char *word)
{
	char *out = word;

	while (*word) {
		if (word[0] == '\\' && word[1] >= '0' && word[1] <= '3' &&
		    word[2] >= '0' && word[2] <= '7' &&
		    word[3] >= '0' && word[3] <= '7') {
			*out++ = (word[1] - '0') << 6 | (word[2] - '0') << 3 |
				 (word[3] - '0');
			word += 4;
		} else {
			*out++ = *word++;
		}
	}
	*out = '\0';
}

/**
 * parse_u64() - parse a whole string as a number
 * @s: decimal, or hexadecimal with 0x; no sign, no blanks
 * @value: set to the number
 *
 * Return: whether @s is such a number.
 */
bool parse_u64(const char *s, u64 *value)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	const char *digits = hex ? s + 2 : s;
	char *end;

	if (!*digits ||
	    digits[strspn(digits, hex ? "0123456789abcdefABCDEF" :
					"0123456789")])
		return false;
	errno = 0;
	*value = strtoull(digits, &end, hex ? 16 : 10);
	return !errno && !*end;
}

/**
 * crc32_update() - compute the CRC that .gnu_debuglink uses
 * @crc: 0, or the result of the call for the preceding bytes
 * @data: bytes
 * @len: number of bytes
 *
 * The polynomial is that of IEEE 802.3, bits reversed; see "Separate Debug
 * Files" in the GDB manual.
 */
u32 crc32_update(u32 crc, const void *data, size_t len)
{
	static u32 table[256];
	const unsigned char *p = data;

	if (!table[1]) {
		for (u32 i = 0; i < 256; i++) {
			u32 c = i;

			for (int bit = 0; bit < 8; bit++)
				c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
			table[i] = c;
		}
	}
	crc = ~crc;
	while (len--)
		crc = table[(crc ^ *p++) & 0xff] ^ (crc >> 8);
	return ~crc;
}

/** now_ms() - read the monotonic clock, in milliseconds */
u64 now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ull + ts.tv_nsec / 1000000;
}
