/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that cannot fail, strings, growing arrays. */
#ifndef _USERSPACE_UTIL_H
#define _USERSPACE_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* On lack of memory these print a sentence and exit with STATUS_RUNTIME. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap);

/*
 * Make room for one more element in an array that has @count of @cap
 * elements; the capacity doubles, so that appending stays linear.
 */
#define GROW(array, count, cap)						\
	do {								\
		if ((count) == (cap)) {					\
			(cap) = (cap) ? 2 * (cap) : 16;			\
			(array) = xreallocarray((array), (cap),		\
						sizeof(*(array)));	\
		}							\
	} while (0)

/**
 * struct arena - strings that live until all of them die together
 * @head: newest chunk
 */
struct arena {
	struct arena_chunk *head;
};

char *arena_strndup(struct arena *arena, const char *s, size_t n);
void arena_free(struct arena *arena);

bool str_starts(const char *s, const char *prefix);
bool str_ends(const char *s, const char *suffix);
bool str_printable(const char *s);
bool parse_u64(const char *s, uint64_t *value);
uint32_t crc32_update(uint32_t crc, const void *data, size_t len);

#endif /* _USERSPACE_UTIL_H */
