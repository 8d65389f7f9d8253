/* SPDX-License-Identifier: GPL-2.0 */
/* The dynamic linker's cache, which maps library names to files. */
#ifndef _USERSPACE_LDCACHE_H
#define _USERSPACE_LDCACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "types.h"

struct error;

#define LDCACHE_PATH "/etc/ld.so.cache"

/**
 * struct ldcache - a cache read into memory
 * @bytes: the whole cache, with a NUL appended
 * @size: bytes without that NUL
 * @entries: offset of the first entry
 * @entry_size: bytes of an entry
 * @n: number of entries
 * @strings: offset that the string offsets of an entry are relative to
 */
struct ldcache {
	char *bytes;
	size_t size;
	size_t entries;
	size_t entry_size;
	size_t n;
	size_t strings;
};

struct error *ldcache_open(const char *path, struct ldcache *cache);
void ldcache_close(struct ldcache *cache);
bool ldcache_entry(const struct ldcache *cache, size_t index,
		   const char **name, const char **path);

#endif /* _USERSPACE_LDCACHE_H */
