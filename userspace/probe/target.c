// SPDX-License-Identifier: GPL-2.0
#include "target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/debug_file.h"
#include "util/error.h"
#include "util/options.h"
#include "util/probe_spec.h"
#include "host/fuse.h"
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

/*
 * Return the file that a shell would run, or NULL.  The file exists under @root, which the result
 * does not begin with.
 */
static char *find_in_path(const char *root, const char *name)
{
	const char *dirs = getenv("PATH"), *end;

	if (!dirs)
		dirs = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	for (;; dirs = end + 1) {
		char *path, *full;
		bool found;

		end = strchrnul(dirs, ':');
		/* An empty entry means the working directory. */
		path = end == dirs ? xasprintf("./%s", name) :
				     xasprintf("%.*s/%s", (int)(end - dirs),
					       dirs, name);
		full = xasprintf("%s%s", root, path);
		found = is_program(full);
		free(full);
		if (found)
			return path;
		free(path);
		if (!*end)
			return NULL;
	}
}

static void append_path(struct error *err, const char *path)
{
	_cleanup_free_ char *word = path_escape(path);

	error_append(err, "\n  %s", word);
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
	struct paths paths, others = { 0 };
	struct error *err = NULL;
	struct stat st;

	error_free(library_find(name, "", &i386, &paths, &others));
	paths_free(&others);
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
		_cleanup_free_ char *word = path_escape(paths.v[0]);

		err = NULL;
		*path = xstrdup(paths.v[0]);
		remark("%s is the file that process %d has mapped: %s", name, pid, word);
	}
	paths_free(&paths);
	return err;
}

/*
 * Return the file of the program that a command starts, NULL if it is not found.  Assignments and
 * exec can precede its name.
 */
static char *command_program(const char *command)
{
	char *word = NULL, *path;

	do {
		size_t len;

		free(word);
		command += strspn(command, " \t\n");
		len = *command == '"' || *command == '\'' ?
		      strcspn(command + 1, (char[]){ *command, '\0' }) + 2 :
		      strcspn(command, " \t\n;&|<>()");
		len = strnlen(command, len);
		word = target_name(command, len);
		command += len;
	} while (!strcmp(word, "exec") || (strchr(word, '=') && word[strcspn(word, "=/")] == '='));
	if (strchr(word, '/'))
		return word;
	path = find_in_path("", word);
	free(word);
	return path;
}

/*
 * Return the linker that starts a program if it is the library of the name, too, as musl's is;
 * otherwise NULL.  Without a command, it is the linker of this very program.
 */
static char *find_linker(const char *name, const char *command)
{
	char *program = command ? command_program(command) : xstrdup("/proc/self/exe");
	char *linker = NULL, *base;
	struct elf_image img;
	struct error *err;

	err = program ? elf_image_open(program, &img) : NULL;
	if (program && !err) {
		linker = elf_image_linker(&img);
		elf_image_close(&img);
	}
	error_free(err);
	free(program);
	base = linker ? strrchr(linker, '/') : NULL;
	if (base && library_name_matches(base + 1, name))
		return linker;
	free(linker);
	return NULL;
}

/* Tell the user which variant of a library is taken. */
static void report_variant(const char *name, const char *path, const struct paths *others)
{
	_cleanup_free_ char *taken = path_escape(path), *other = path_escape(others->v[0]);

	remark("%s is %s, which programs load on this processor, not %s%s", name, taken, other,
	       others->n > 1 ? " or another variant" : "");
}

static struct error *find_by_name(const char *name, const char *command, char **path)
{
	struct paths paths, others = { 0 };
	struct error *err;

	if (!*name)
		return error_new(STATUS_USAGE,
				 "the target is empty; name a program, a library or a path");
	if (strchr(name, '/')) {
		*path = absolute(name);
		return NULL;
	}
	*path = find_in_path("", name);
	if (*path) {
		char *full = absolute(*path);

		free(*path);
		*path = full;
		return NULL;
	}
	*path = find_linker(name, command);
	if (*path)
		return NULL;
	err = library_find(name, "", &native_machine, &paths, &others);
	if (!err && !paths.n)
		err = find_running(name, path);
	else if (!err && paths.n > 1)
		err = several(name, &paths);
	else if (!err)
		*path = xstrdup(paths.v[0]);
	if (*path && paths.n && others.n)
		report_variant(name, *path, &others);
	paths_free(&paths);
	paths_free(&others);
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
	_cleanup_free_ char *root = xasprintf("/proc/%d/root", pid);

	memset(found, 0, sizeof(*found));
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct paths some;

		error_free(library_find(name, root, &machines[i], &some, found));
		for (size_t j = 0; j < some.n; j++)
			paths_add(found, some.v[j]);
		paths_free(&some);
	}
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
		_cleanup_free_ char *theirs = xasprintf("/proc/%d/cwd/%s", pid, name);

		path = realpath(theirs, NULL);
	}
	return path ? path : absolute(name);
}

static bool mapping_matches(pid_t pid, const struct mapping *map,
			    const char *name, const struct paths *libraries)
{
	const char *base = strrchr(map->path, '/') + 1;
	_cleanup_free_ char *inside = NULL;

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
	return mapping_is(map, inside);
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

/* Add a path to each different file that the process has mapped under a name. */
static void add_mapped(pid_t reader, const struct mappings *maps, const char *name,
		       const struct paths *libraries, struct paths *found)
{
	for (size_t i = 0; i < maps->n; i++) {
		const struct mapping *map = &maps->v[i];
		char *path;
		size_t j;

		if (!mapping_matches(reader, map, name, libraries))
			continue;
		for (j = 0; j < i; j++)
			if (maps->v[j].ino == map->ino && maps->v[j].dev == map->dev)
				break;
		if (j < i)
			continue;
		path = mapping_reach(reader, map);
		paths_add(found, path);
		free(path);
	}
}

/*
 * Look for a program in PATH, here and then where the process has its root.  It can be a link to a
 * file of another name, which is what the process has mapped.
 */
static void add_program(pid_t reader, const struct mappings *maps, const char *name,
			struct paths *found)
{
	_cleanup_free_ char *theirs = xasprintf("/proc/%d/root", reader);
	const struct paths none = { 0 };

	for (int here = 1; here >= 0 && !found->n; here--) {
		char *program = find_in_path(here ? "" : theirs, name), *path;

		if (!program)
			continue;
		path = absolute(program);
		add_mapped(reader, maps, path, &none, found);
		free(path);
		free(program);
	}
}

/* @reader: a thread of the process that has not ended */
static struct error *find_in_process(const char *name, pid_t pid, pid_t reader, char **path)
{
	struct paths paths = { 0 }, libraries;
	struct mappings maps;
	struct error *err;
	_cleanup_free_ char *wanted = NULL;

	err = process_mappings(reader, &maps);
	if (err)
		return err;
	wanted = resolve(reader, name);
	find_libraries(reader, name, &libraries);
	add_mapped(reader, &maps, wanted, &libraries, &paths);
	if (!paths.n && !strchr(name, '/'))
		add_program(reader, &maps, name, &paths);
	if (paths.n > 1)
		err = several(name, &paths);
	else if (paths.n)
		*path = xstrdup(paths.v[0]);
	else
		err = not_mapped(name, pid, &maps);
	paths_free(&paths);
	paths_free(&libraries);
	mappings_free(&maps);
	return err;
}

/*
 * Only the user of the process may read a file of its FUSE mount, and the tracer cannot open it
 * either.  Return the way to probe it by its address.  @path: the file as mapping_reach() has it.
 */
static struct error *on_fuse(const char *name, pid_t pid, pid_t reader, const char *path)
{
	_cleanup_free_ char *proc = xasprintf("/proc/%d", pid), *word = path_escape(name);
	struct error *err;
	struct mappings maps;
	struct stat st = { 0 };

	err = process_mappings(reader, &maps);
	for (size_t i = 0; !err && i < maps.n; i++) {
		_cleanup_free_ char *reach = mapping_reach(reader, &maps.v[i]);
		_cleanup_free_ char *file = path_escape(maps.v[i].path);

		if (!strcmp(reach, path) && !stat(proc, &st))
			err = error_new(STATUS_DENIED,
					"%s is on a FUSE mount without allow_other, which only the user of process %d may read, not even root; add 0x%llx to the offset that this user gets, and probe the sum, p:/proc/%d/mem:0xSUM:\n  setpriv --reuid=%u --regid=%u --clear-groups uprobe offset -p %d %s FUNCTION",
					file, pid,
					(unsigned long long)(maps.v[i].start - maps.v[i].offset),
					pid, st.st_uid, st.st_gid, pid, word);
	}
	mappings_free(&maps);
	return err;
}

/**
 * target_open() - find and open the file that a target stands for
 * @name: a path, a program in PATH, or the name by which ld.so or a linker knows a library
 * @options: with a process, search only the files that it has mapped; the directory of debug
 *	files; a command, whose program has musl's libc or not
 * @target: filled in; to be closed with target_close() after success
 */
struct error *target_open(const char *name, const struct options *options,
			  struct target *target)
{
	const char *debug_dir = options->debug_dir;
	pid_t pid = options->pid, reader = pid ? process_reader(pid) : 0;
	_cleanup_free_ char *path = NULL;
	struct error *err;

	memset(target, 0, sizeof(*target));
	err = pid ? find_in_process(name, pid, reader, &path) :
		    find_by_name(name, options->command, &path);
	if (!err && pid && access(path, R_OK) && fuse_denies(path))
		err = on_fuse(name, pid, reader, path);
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
