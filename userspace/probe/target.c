// SPDX-License-Identifier: GPL-2.0
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/debug_file.h"
#include "util/error.h"
#include "host/process.h"
#include "host/running.h"
#include "util/util.h"

/* Make a path absolute: the reader of a definition has another working directory. */
static char *absolute(const char *path)
{
	char *cwd, *full;

	if (path[0] == '/')
		return xstrdup(path);
	while (str_starts(path, "./"))
		for (path += 2; *path == '/'; path++)
			;
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return xstrdup(path);
	full = xasprintf("%s/%s", strcmp(cwd, "/") ? cwd : "", path);
	free(cwd);
	return full;
}

static bool is_program(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && !access(path, X_OK);
}

/* Return the file that a shell would run, or NULL. */
static char *find_in_path(const char *name)
{
	const char *dirs = getenv("PATH"), *end;

	if (!dirs)
		dirs = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	for (;; dirs = end + 1) {
		char *path;

		end = strchrnul(dirs, ':');
		/* An empty entry means the working directory. */
		path = end == dirs ? xasprintf("./%s", name) :
				     xasprintf("%.*s/%s", (int)(end - dirs),
					       dirs, name);
		if (is_program(path))
			return path;
		free(path);
		if (!*end)
			return NULL;
	}
}

static void append_path(struct error *err, const char *path)
{
	char *word = path_escape(path);

	error_append(err, "\n  %s", word);
	free(word);
}

static struct error *several(const char *name, const struct paths *paths)
{
	struct error *err;

	err = error_new(STATUS_NOT_FOUND,
			"%s names %zu different files; name one of them:",
			name, paths->n);
	for (size_t i = 0; i < paths->n; i++)
		append_path(err, paths->v[i]);
	return err;
}

static struct error *nothing_found(const char *name)
{
	const struct machine i386 = {
		.elf_class = ELFCLASS32, .machine = EM_386,
	};
	struct error *err = NULL;
	struct paths paths;
	struct stat st;

	error_free(library_find(name, "", &i386, &paths));
	if (paths.n) {
		err = error_new(STATUS_NOT_FOUND,
				"there is %s for 32-bit programs only; if that is meant, name it by its path:",
				name);
		for (size_t i = 0; i < paths.n; i++)
			append_path(err, paths.v[i]);
	} else if (!stat(name, &st) && S_ISREG(st.st_mode)) {
		err = error_new(STATUS_NOT_FOUND,
				"no program in PATH and no library is called %s; if the file in this directory is meant, write ./%s",
				name, name);
	} else {
		err = error_new(STATUS_NOT_FOUND,
				"no program in PATH, no library that the linker knows and none of a running program is called %s; name the file by its path",
				name);
	}
	paths_free(&paths);
	return err;
}

/*
 * Look for a library that a running program has mapped.  A program such as Java has libraries of
 * its own outside the directories that the linker searches.
 */
static struct error *find_running(const char *name, char **path)
{
	struct paths paths;
	struct error *err;
	pid_t pid;

	running_find(name, &paths, &pid);
	if (!paths.n) {
		err = nothing_found(name);
	} else if (paths.n > 1) {
		err = several(name, &paths);
	} else {
		char *word = path_escape(paths.v[0]);

		err = NULL;
		*path = xstrdup(paths.v[0]);
		remark("%s is what process %d has mapped: %s", name, pid, word);
		free(word);
	}
	paths_free(&paths);
	return err;
}

static struct error *find_by_name(const char *name, char **path)
{
	struct paths paths;
	struct error *err;

	if (!*name)
		return error_new(STATUS_USAGE,
				 "the target is empty; name a program, a library or a path");
	if (strchr(name, '/')) {
		*path = absolute(name);
		return NULL;
	}
	*path = find_in_path(name);
	if (*path) {
		char *full = absolute(*path);

		free(*path);
		*path = full;
		return NULL;
	}
	err = library_find(name, "", &native_machine, &paths);
	if (!err && !paths.n)
		err = find_running(name, path);
	else if (!err && paths.n > 1)
		err = several(name, &paths);
	else if (!err)
		*path = xstrdup(paths.v[0]);
	paths_free(&paths);
	return err;
}

/*
 * Find the libraries that the linker of the process knows under a name.  The file
 * itself can have another name: libc.so.6 can be a link to libc-2.31.so.
 */
static void find_libraries(pid_t pid, const char *name, struct paths *found)
{
	static const struct machine machines[] = {
		{ .elf_class = ELFCLASS64, .machine = EM_X86_64 },
		{ .elf_class = ELFCLASS32, .machine = EM_386 },
	};
	char *root = xasprintf("/proc/%d/root", pid);

	memset(found, 0, sizeof(*found));
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct paths some;

		error_free(library_find(name, root, &machines[i], &some));
		for (size_t j = 0; j < some.n; j++)
			paths_add(found, some.v[j]);
		paths_free(&some);
	}
	free(root);
}

static bool is_one_of(const struct mapping *map, const struct paths *paths)
{
	for (size_t i = 0; i < paths->n; i++)
		if (mapping_is(map, paths->v[i]))
			return true;
	return false;
}

/*
 * Make a relative path absolute.  First try our own working directory.  If there is no such file,
 * try the working directory of the process.
 */
static char *resolve(pid_t pid, const char *name)
{
	char *path;

	if (name[0] == '/' || !strchr(name, '/'))
		return xstrdup(name);
	path = realpath(name, NULL);
	if (!path) {
		char *theirs = xasprintf("/proc/%d/cwd/%s", pid, name);

		path = realpath(theirs, NULL);
		free(theirs);
	}
	return path ? path : absolute(name);
}

static bool mapping_matches(pid_t pid, const struct mapping *map,
			    const char *name, const struct paths *libraries)
{
	const char *base = strrchr(map->path, '/') + 1;
	char *inside;
	bool same;

	/* A file from memfd_create() has no path, so its mapping is called /memfd:NAME. */
	if (map->deleted && str_starts(base, "memfd:"))
		base += strlen("memfd:");
	if (!strchr(name, '/'))
		return !strcmp(base, name) ||
		       library_name_matches(base, name) ||
		       is_one_of(map, libraries);
	if (!strcmp(map->path, name))
		return true;
	if (map->deleted)
		return false;
	if (map->exact && mapping_is(map, name))
		return true;
	inside = xasprintf("/proc/%d/root%s", pid, name);
	same = mapping_is(map, inside);
	free(inside);
	return same;
}

static struct error *not_mapped(const char *name, pid_t pid, const struct mappings *maps)
{
	struct error *err;

	if (!maps->n)
		return error_new(STATUS_NOT_FOUND,
				 "process %d has no program: it has ended, or is a thread of the kernel",
				 pid);
	err = error_new(STATUS_NOT_FOUND, "process %d has no %s mapped; it has:", pid, name);
	for (size_t i = 0; i < maps->n; i++)
		if (!i || strcmp(maps->v[i].path, maps->v[i - 1].path))
			append_path(err, maps->v[i].path);
	return err;
}

/* @reader: a thread of the process that has not ended */
static struct error *find_in_process(const char *name, pid_t pid, pid_t reader, char **path)
{
	struct paths paths = { 0 }, libraries;
	struct mappings maps;
	struct error *err;
	char *wanted;

	err = process_mappings(reader, &maps);
	if (err)
		return err;
	wanted = resolve(reader, name);
	find_libraries(reader, name, &libraries);
	for (size_t i = 0; i < maps.n; i++) {
		const struct mapping *map = &maps.v[i];
		size_t j;

		if (!mapping_matches(reader, map, wanted, &libraries))
			continue;
		for (j = 0; j < i; j++)
			if (maps.v[j].ino == map->ino &&
			    maps.v[j].dev == map->dev)
				break;
		if (j < i)
			continue;
		*path = mapping_reach(reader, map);
		paths_add(&paths, *path);
		free(*path);
		*path = NULL;
	}
	if (paths.n > 1)
		err = several(name, &paths);
	else if (paths.n)
		*path = xstrdup(paths.v[0]);
	else
		err = not_mapped(name, pid, &maps);
	free(wanted);
	paths_free(&paths);
	paths_free(&libraries);
	mappings_free(&maps);
	return err;
}

/**
 * target_open() - find and open the file that a target stands for
 * @name: a path, a program in PATH, or the name by which ld.so or a linker knows a library
 * @pid: search only the files that this process has mapped; 0 for any process
 * @debug_dir: the directory of debug files, NULL for the usual one
 * @target: filled in; to be closed with target_close() after success
 */
struct error *target_open(const char *name, pid_t pid, const char *debug_dir,
			  struct target *target)
{
	pid_t reader = pid ? process_reader(pid) : 0;
	char *path = NULL;
	struct error *err;

	memset(target, 0, sizeof(*target));
	err = pid ? find_in_process(name, pid, reader, &path) :
		    find_by_name(name, &path);
	if (!err)
		err = elf_image_open(path, &target->image);
	if (!err && !elf_image_probable(&target->image)) {
		err = error_new(STATUS_RUNTIME,
				"%s contains no code; if it is a debug file, name the program that it belongs to",
				target->image.path);
		elf_image_close(&target->image);
	}
	if (!err) {
		target->root = pid ? xasprintf("/proc/%d/root", reader) :
				     xstrdup("");
		target->debug_dir = debug_dir ? xstrdup(debug_dir) :
				    xasprintf("%s%s", target->root, DEBUG_DIR);
	}
	free(path);
	return err;
}

/**
 * target_is_memory() - check for /proc/PID/mem, whose offsets are addresses
 * @name: the target
 */
bool target_is_memory(const char *name)
{
	const char *id = name + strlen("/proc/");
	size_t len;

	if (!str_starts(name, "/proc/"))
		return false;
	len = strspn(id, "0123456789");
	return len && !strcmp(id + len, "/mem");
}

/**
 * target_debug_info() - get the debug information of a target
 * @target: the target
 * @fetch: ask debug servers, too
 *
 * Return: the debug information, which belongs to the target; NULL if there is none.
 */
const struct debug_info *target_debug_info(struct target *target, bool fetch)
{
	return debug_info_open(&target->debug_info, &target->image,
			       target->debug_dir, fetch) ?
	       &target->debug_info : NULL;
}

/**
 * target_need_debug_info() - get the debug information, or the reason why there is none
 * @target: the target
 * @info: set on success
 */
struct error *target_need_debug_info(struct target *target,
				     const struct debug_info **info)
{
	*info = target_debug_info(target, true);
	if (*info)
		return NULL;
	if (target->debug_info.packing)
		return error_new(STATUS_NOT_FOUND,
				 "the debug information in %s is compressed %s, which libdw cannot read here; unpack it: objcopy --decompress-debug-sections %s, or have it from a server: set DEBUGINFOD_URLS",
				 target->debug_info.unread,
				 target->debug_info.packing,
				 target->debug_info.unread);
	if (target->debug_info.unread)
		return error_new(STATUS_NOT_FOUND,
				 "the debug information in %s cannot be read: it is damaged; install or build the file anew, or set DEBUGINFOD_URLS",
				 target->debug_info.unread);
	return error_new(STATUS_NOT_FOUND,
			 "%s has no debug information, so variables and source lines are not known; install its -dbgsym package, set DEBUGINFOD_URLS, or build it with -g",
			 target->image.path);
}

void target_close(struct target *target)
{
	debug_info_close(&target->debug_info);
	elf_image_close(&target->image);
	free(target->root);
	free(target->debug_dir);
	memset(target, 0, sizeof(*target));
}
