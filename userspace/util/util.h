/* SPDX-License-Identifier: GPL-2.0 */
/* Memory allocation that cannot fail, strings, growing arrays. */
#ifndef _USERSPACE_UTIL_H
#define _USERSPACE_UTIL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "compiler.h"
#include "types.h"

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

/* If memory runs out, these functions print a message and exit with STATUS_RUNTIME. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xreallocarray(void *p, size_t n, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);
__printf(1, 2) char *xasprintf(const char *fmt, ...);
char *xvasprintf(const char *fmt, va_list ap);

static inline void free_pointer(void *p)
{
	free(*(void **)p);
}

/* Frees the memory that a local pointer has at the end of its block.  Initialize the pointer. */
#define _cleanup_free_	__attribute__((__cleanup__(free_pointer)))

void *grow(void *array, size_t n, size_t *cap, size_t size);

/**
 * struct arena - strings that are freed all at once
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
const char *name_end(const char *p);
char *path_escape(const char *path);
void path_unescape(char *word);
bool parse_u64(const char *s, u64 *value);
u32 crc32_update(u32 crc, const void *data, size_t len);
u64 now_ms(void);

#endif /* _USERSPACE_UTIL_H */
