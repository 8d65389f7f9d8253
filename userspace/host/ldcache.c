// SPDX-License-Identifier: GPL-2.0
/*
 * Two layouts, both written by glibc's ldconfig (sysdeps/generic/dl-cache.h):
 *
 *   "ld.so-1.7.0" NUL, u32 count, entries { s32 flags; u32 name, path; }
 *     string offsets count from the end of the entries; if the new layout
 *     follows there, 8-byte aligned, the new layout is used
 *   "glibc-ld.so.cache1.1", u32 count, u32 bytes of strings, u8 flags,
 *     padding to 48, entries { s32 flags; u32 name, path, osversion; u64 hwcap; }
 *     string offsets count from the start of this header
 *
 * Ignore the flags of an entry: the ELF header of each file gives its class
 * and machine.
 */
#include "ldcache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/error.h"
#include "util/util.h"

#define OLD_MAGIC "ld.so-1.7.0"
#define OLD_HEADER 16
#define OLD_ENTRY 12
#define NEW_MAGIC "glibc-ld.so.cache1.1"
#define NEW_HEADER 48
#define NEW_ENTRY 24
#define NEW_FLAGS_AT 28
#define NEW_BIG_ENDIAN 3

#define CACHE_MAX (64u << 20)

static u32 get32(const struct ldcache *cache, size_t pos)
{
	u32 v;

	memcpy(&v, cache->bytes + pos, sizeof(v));
	return v;
}

static bool layout_new(struct ldcache *cache, size_t start)
{
	if (start > cache->size || cache->size - start < NEW_HEADER ||
	    memcmp(cache->bytes + start, NEW_MAGIC, strlen(NEW_MAGIC)) ||
	    (cache->bytes[start + NEW_FLAGS_AT] & 3) == NEW_BIG_ENDIAN)
		return false;
	cache->n = get32(cache, start + strlen(NEW_MAGIC));
	cache->entries = start + NEW_HEADER;
	cache->entry_size = NEW_ENTRY;
	cache->strings = start;
	return cache->n <= (cache->size - cache->entries) / NEW_ENTRY;
}

static bool layout(struct ldcache *cache)
{
	size_t end;

	if (layout_new(cache, 0))
		return true;
	if (cache->size < OLD_HEADER ||
	    memcmp(cache->bytes, OLD_MAGIC, strlen(OLD_MAGIC)))
		return false;
	cache->n = get32(cache, OLD_HEADER - 4);
	if (cache->n > (cache->size - OLD_HEADER) / OLD_ENTRY)
		return false;
	end = OLD_HEADER + cache->n * OLD_ENTRY;
	if (layout_new(cache, (end + 7) & ~(size_t)7))
		return true;
	cache->n = get32(cache, OLD_HEADER - 4);
	cache->entries = OLD_HEADER;
	cache->entry_size = OLD_ENTRY;
	cache->strings = end;
	return true;
}

static char *read_all(int fd, size_t *size)
{
	struct stat st;
	size_t done = 0;
	char *bytes;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > CACHE_MAX)
		return NULL;
	bytes = xmalloc(st.st_size + 1);
	while (done < (size_t)st.st_size) {
		ssize_t n = read(fd, bytes + done, st.st_size - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += n;
	}
	bytes[done] = '\0';
	*size = done;
	return bytes;
}

/**
 * ldcache_open() - read a cache
 * @path: normally LDCACHE_PATH
 * @cache: filled in; to be closed with ldcache_close() after success
 */
struct error *ldcache_open(const char *path, struct ldcache *cache)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	memset(cache, 0, sizeof(*cache));
	if (fd < 0)
		return error_new(STATUS_NOT_FOUND,
				 "the library cache %s cannot be read (%s); name the library's file by its path",
				 path, strerror(errno));
	cache->bytes = read_all(fd, &cache->size);
	close(fd);
	if (cache->bytes && layout(cache))
		return NULL;
	ldcache_close(cache);
	return error_new(STATUS_NOT_FOUND,
			 "the library cache %s is damaged or of an unknown kind; name the library's file by its path",
			 path);
}

void ldcache_close(struct ldcache *cache)
{
	free(cache->bytes);
	memset(cache, 0, sizeof(*cache));
}

static const char *string_at(const struct ldcache *cache, u32 offset)
{
	const char *s;

	if (offset >= cache->size - cache->strings)
		return NULL;
	/* The NUL after the last byte of the cache ends any string. */
	s = cache->bytes + cache->strings + offset;
	return *s && str_printable(s) ? s : NULL;
}

/**
 * ldcache_entry() - read one entry of a cache
 * @cache: the cache
 * @index: 0 to cache->n - 1
 * @name: set to the library's name in the form that programs ask for
 * @path: set to the file
 *
 * Return: false for an invalid entry.
 */
bool ldcache_entry(const struct ldcache *cache, size_t index,
		   const char **name, const char **path)
{
	size_t at = cache->entries + index * cache->entry_size;

	*name = string_at(cache, get32(cache, at + 4));
	*path = string_at(cache, get32(cache, at + 8));
	return *name && *path;
}
