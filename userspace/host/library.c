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

static bool name_matches(const char *file, const char *wanted)
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

/* The file of musl's dynamic linker, ld-musl-ARCHITECTURE.so.1, is all of these libraries. */
#define MUSL_LINKER "ld-musl-"

static bool musl_matches(const char *file, const char *wanted)
{
	static const char *const names[] = {
		"libc.so", "libdl.so", "libm.so", "libpthread.so", "librt.so", "libutil.so",
		"libxnet.so",
	};
	_cleanup_free_ char *alpine = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (name_matches(names[i], wanted))
			return true;
	/* Alpine Linux gives it the name libc.musl-ARCHITECTURE.so.1, too. */
	alpine = xasprintf("libc.%s", file + strlen("ld-"));
	return name_matches(alpine, wanted);
}

/**
 * library_name_matches() - check whether a short name stands for a file name
 * @file: name of a library's file, such as libc.so.6
 * @wanted: libc.so.6, libc.so, libc or c
 */
bool library_name_matches(const char *file, const char *wanted)
{
	return name_matches(file, wanted) ||
	       (str_starts(file, MUSL_LINKER) && musl_matches(file, wanted));
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

/*
 * The subdirectory glibc-hwcaps/x86-64-v3 of a library directory has variants for processors of
 * that level, which ld.so prefers (ld.so(8)).  The levels are those of the psABI; one or a few
 * features tell each of them, as no processor has these without the others.
 *
 * Return: the level of a file; 1 if it is for any processor; -1 if this processor is below.
 */
static int hwcaps_level(const char *path)
{
	static const char subdirectory[] = "/glibc-hwcaps/";
	const char *level = strstr(path, subdirectory);

	if (!level)
		return 1;
	level += strlen(subdirectory);
	__builtin_cpu_init();
	if (str_starts(level, "x86-64-v2/") && __builtin_cpu_supports("sse4.2") &&
	    __builtin_cpu_supports("popcnt"))
		return 2;
	if (str_starts(level, "x86-64-v3/") && __builtin_cpu_supports("avx2") &&
	    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("fma"))
		return 3;
	if (str_starts(level, "x86-64-v4/") && __builtin_cpu_supports("avx512bw") &&
	    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
	    __builtin_cpu_supports("avx512vl"))
		return 4;
	return -1;
}

/**
 * struct search - libraries found so far
 * @name: the name to look for
 * @matches: whether a file name is that name
 * @found: the files
 * @files: more about each of them: its identity, its name in the cache, its hwcaps_level()
 * @cap: capacity of @files
 */
struct search {
	const char *name;
	bool (*matches)(const char *file, const char *wanted);
	struct paths *found;
	struct file {
		u64 dev, ino;
		const char *entry;
		int level;
	} *files;
	size_t cap;
};

static void add_file(struct search *search, const char *entry, const char *path,
		     const struct stat *st)
{
	struct paths *found = search->found;

	for (size_t i = 0; i < found->n; i++) {
		if (search->files[i].dev != st->st_dev ||
		    search->files[i].ino != st->st_ino)
			continue;
		/*
		 * If one file has several names, keep the longest: libz.so.1
		 * says more than the development link libz.so.
		 */
		if (strlen(path) > strlen(found->v[i])) {
			free(found->v[i]);
			found->v[i] = xstrdup(path);
			search->files[i].entry = entry;
		}
		return;
	}
	search->files = grow(search->files, found->n, &search->cap, sizeof(*search->files));
	search->files[found->n] = (struct file){
		.dev = st->st_dev, .ino = st->st_ino, .entry = entry, .level = hwcaps_level(path),
	};
	paths_add(found, path);
}

/* Move the files that ld.so passes over for another variant of the same library to @others. */
static void choose_variants(struct search *search, struct paths *others)
{
	const struct file *files = search->files;
	struct paths all = *search->found;

	memset(search->found, 0, sizeof(all));
	for (size_t i = 0; i < all.n; i++) {
		bool loaded = files[i].level > 0;

		for (size_t j = 0; j < all.n && loaded; j++)
			loaded = files[j].level <= files[i].level ||
				 strcmp(files[j].entry, files[i].entry);
		paths_add(loaded ? search->found : others, all.v[i]);
	}
	paths_free(&all);
}

static bool same_name(const char *file, const char *wanted)
{
	return !strcmp(file, wanted);
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
		if (!search->matches(entry, search->name))
			continue;
		full = xasprintf("%s%s", root, path);
		if (is_for(full, machine, &st))
			add_file(search, entry, full, &st);
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
 * @others: the variants of them that ld.so does not load on this processor are added
 *
 * Read the dynamic linker's cache.  An exact name takes precedence over the
 * short forms, and these over what musl's linker stands for: programs that
 * use glibc do not load that, wherever it is installed.
 */
struct error *library_find(const char *name, const char *root,
			   const struct machine *machine, struct paths *found,
			   struct paths *others)
{
	static bool (*const in_order[])(const char *, const char *) = {
		same_name, name_matches, library_name_matches,
	};
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
	for (size_t i = 0; i < ARRAY_SIZE(in_order) && !found->n; i++) {
		search.matches = in_order[i];
		search_cache(&search, &cache, root, machine);
	}
	choose_variants(&search, others);
	free(search.files);
	ldcache_close(&cache);
	return NULL;
}
