// SPDX-License-Identifier: GPL-2.0
#include "library.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/error.h"
#include "ldcache.h"
#include "util/util.h"

/* The default machine of programs. */
const struct machine native_machine = {
	.elf_class = ELFCLASS64,
	.machine = EM_X86_64,
};

void paths_add(struct paths *paths, const char *path)
{
	paths->v = grow(paths->v, paths->n, &paths->cap, sizeof(*paths->v));
	paths->v[paths->n++] = xstrdup(path);
}

void paths_free(struct paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		free(paths->v[i]);
	free(paths->v);
	memset(paths, 0, sizeof(*paths));
}

/**
 * library_name_matches() - check whether a short name stands for a file name
 * @file: name of a library's file, such as libc.so.6
 * @wanted: libc.so.6, libc.so, libc or c
 */
bool library_name_matches(const char *file, const char *wanted)
{
	size_t n = strlen(wanted);

	if (!n)
		return false;
	for (int with_lib = 0; with_lib < 2; with_lib++) {
		const char *p = file, *rest;

		if (with_lib) {
			if (!str_starts(file, "lib"))
				return false;
			p += 3;
		}
		if (strncmp(p, wanted, n))
			continue;
		rest = p + n;
		if (!*rest)
			return true;
		if (str_starts(rest, ".so") && (!rest[3] || rest[3] == '.'))
			return true;
		if (str_ends(wanted, ".so") && *rest == '.')
			return true;
	}
	return false;
}

static bool is_for(const char *path, const struct machine *machine,
		   struct stat *st)
{
	unsigned char head[20];
	bool ok;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return false;
	ok = !fstat(fd, st) && S_ISREG(st->st_mode) &&
	     pread(fd, head, sizeof(head), 0) == sizeof(head) &&
	     !memcmp(head, ELFMAG, SELFMAG) &&
	     head[EI_CLASS] == machine->elf_class &&
	     head[EI_DATA] == ELFDATA2LSB &&
	     (head[18] | head[19] << 8) == (int)machine->machine;
	close(fd);
	return ok;
}

/**
 * struct search - libraries found so far
 * @name: the name to look for
 * @exact: match only exactly that name
 * @found: the files
 * @ids: identity of each of them
 * @cap: capacity of @ids
 */
struct search {
	const char *name;
	bool exact;
	struct paths *found;
	struct file_id {
		u64 dev, ino;
	} *ids;
	size_t cap;
};

static void add_file(struct search *search, const char *path,
		     const struct stat *st)
{
	struct paths *found = search->found;

	for (size_t i = 0; i < found->n; i++) {
		if (search->ids[i].dev != st->st_dev ||
		    search->ids[i].ino != st->st_ino)
			continue;
		/*
		 * If one file has several names, keep the longest: libz.so.1
		 * says more than the development link libz.so.
		 */
		if (strlen(path) > strlen(found->v[i])) {
			free(found->v[i]);
			found->v[i] = xstrdup(path);
		}
		return;
	}
	search->ids = grow(search->ids, found->n, &search->cap, sizeof(*search->ids));
	search->ids[found->n].dev = st->st_dev;
	search->ids[found->n].ino = st->st_ino;
	paths_add(found, path);
}

static void search_cache(struct search *search, const struct ldcache *cache,
			 const char *root, const struct machine *machine)
{
	for (size_t i = 0; i < cache->n; i++) {
		const char *entry, *path;
		struct stat st;
		char *full;

		if (!ldcache_entry(cache, i, &entry, &path))
			continue;
		if (search->exact ? strcmp(entry, search->name) :
				    !library_name_matches(entry, search->name))
			continue;
		full = xasprintf("%s%s", root, path);
		if (is_for(full, machine, &st))
			add_file(search, full, &st);
		free(full);
	}
}

/**
 * library_find() - find the files that a library name stands for
 * @name: libc.so.6, libc.so, libc or c
 * @root: directory that stands for /, "" for the real one
 * @machine: the machine that the library must be built for
 * @found: filled in, one path for each different file; empty if there is no
 *	such library; to be freed with paths_free() in any case
 *
 * Read the dynamic linker's cache.  An exact name takes precedence over the
 * short forms.
 */
struct error *library_find(const char *name, const char *root,
			   const struct machine *machine, struct paths *found)
{
	struct search search = { .name = name, .found = found };
	struct ldcache cache;
	struct error *err;
	char *path;

	memset(found, 0, sizeof(*found));
	path = xasprintf("%s%s", root, LDCACHE_PATH);
	err = ldcache_open(path, &cache);
	free(path);
	if (err)
		return err;
	search.exact = true;
	search_cache(&search, &cache, root, machine);
	if (!found->n) {
		search.exact = false;
		search_cache(&search, &cache, root, machine);
	}
	free(search.ids);
	ldcache_close(&cache);
	return NULL;
}
