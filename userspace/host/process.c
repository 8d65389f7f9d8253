// SPDX-License-Identifier: GPL-2.0
#include "process.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "util/error.h"
#include "util/util.h"

#define DELETED " (deleted)"

/* The module's mappings in a probed process: they are not the program's. */
#define OURS "/[uprobes]" DELETED

/* Replace \012 by a newline. The kernel escapes only newlines in these paths. */
static void unescape_newlines(char *path)
{
	char *out = path;

	while (*path) {
		if (str_starts(path, "\\012")) {
			*out++ = '\n';
			path += 4;
		} else {
			*out++ = *path++;
		}
	}
	*out = '\0';
}

/* Format: proc(5), /proc/pid/maps. */
static bool parse_line(const char *line, struct mapping *map)
{
	unsigned int major, minor;
	char perms[5];
	int path_at = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &map->start, &map->end, perms, &map->offset, &major, &minor,
		   &map->ino, &path_at) < 7 || !path_at)
		return false;
	map->dev = makedev(major, minor);
	if (perms[2] != 'x' || line[path_at] != '/' || str_starts(line + path_at, OURS))
		return false;
	map->path = xstrdup(line + path_at);
	map->path[strcspn(map->path, "\n")] = '\0';
	unescape_newlines(map->path);
	map->deleted = str_ends(map->path, DELETED);
	if (map->deleted)
		map->path[strlen(map->path) - strlen(DELETED)] = '\0';
	return true;
}

/* Identify the mapped file itself, whatever its path leads to now. Only root may do this. */
static void identify(pid_t pid, struct mapping *map)
{
	char path[96];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		 pid, map->start, map->end);
	map->exact = !stat(path, &st);
	if (map->exact) {
		map->dev = st.st_dev;
		map->ino = st.st_ino;
	}
}

/** mappings_add() - append a mapping; the list takes over its path */
void mappings_add(struct mappings *maps, const struct mapping *map)
{
	maps->v = grow(maps->v, maps->n, &maps->cap, sizeof(*maps->v));
	maps->v[maps->n++] = *map;
}

static bool has_memory(pid_t pid, const char *thread)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/task/%s/maps", pid, thread);
	FILE *f = fopen(path, "re");
	bool has = f && getc(f) != EOF;

	if (f)
		fclose(f);
	return has;
}

/**
 * process_reader() - find a thread through which /proc shows the memory of a process
 * @pid: the process
 *
 * A thread that has ended shows no memory, and the first thread may end before the others.
 *
 * Return: the thread; @pid if no thread shows any memory.
 */
pid_t process_reader(pid_t pid)
{
	char *path = xasprintf("/proc/%d/task", pid), first[16];
	struct dirent *entry;
	pid_t reader = pid;
	DIR *dir = NULL;

	snprintf(first, sizeof(first), "%d", pid);
	if (!has_memory(pid, first))
		dir = opendir(path);
	while (dir && reader == pid && (entry = readdir(dir)))
		if (has_memory(pid, entry->d_name))
			reader = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	free(path);
	return reader;
}

/**
 * process_mappings() - list the executable file mappings of a process
 * @pid: the process
 * @mappings: filled in; to be freed with mappings_free() after success
 */
struct error *process_mappings(pid_t pid, struct mappings *mappings)
{
	struct error *err = NULL;
	char path[64], *line = NULL;
	size_t cap = 0;
	FILE *f;

	memset(mappings, 0, sizeof(*mappings));
	pid = process_reader(pid);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	f = fopen(path, "re");
	if (!f && errno == ENOENT)
		return error_new(STATUS_NOT_FOUND,
				 "there is no process %d; see: ps -e", pid);
	if (f) {
		struct mapping map;

		errno = 0;
		while (getline(&line, &cap, f) > 0) {
			if (!parse_line(line, &map))
				continue;
			identify(pid, &map);
			mappings_add(mappings, &map);
		}
	}
	if (!f || ferror(f)) {
		int code = errno;

		if (code == ESRCH)
			err = error_new(STATUS_NOT_FOUND,
					"process %d has ended", pid);
		else
			err = error_new(STATUS_DENIED,
					"the mappings of process %d cannot be read (%s); try it as root",
					pid, strerror(code));
		mappings_free(mappings);
	}
	free(line);
	if (f)
		fclose(f);
	return err;
}

void mappings_free(struct mappings *mappings)
{
	for (size_t i = 0; i < mappings->n; i++)
		free(mappings->v[i].path);
	free(mappings->v);
	memset(mappings, 0, sizeof(*mappings));
}

/**
 * process_maps() - check whether a process maps the code of a file
 * @pid: the process
 * @path: the file
 *
 * Return: false also if the file or the mappings are not accessible.
 */
bool process_maps(pid_t pid, const char *path)
{
	struct mappings maps;
	struct error *err;
	bool found = false;
	struct stat st;

	if (stat(path, &st))
		return false;
	err = process_mappings(pid, &maps);
	if (err) {
		error_free(err);
		return false;
	}
	for (size_t i = 0; i < maps.n && !found; i++)
		found = maps.v[i].exact ? maps.v[i].dev == st.st_dev &&
					  maps.v[i].ino == st.st_ino :
					  !strcmp(maps.v[i].path, path);
	mappings_free(&maps);
	return found;
}

/**
 * process_name() - get the name of a process
 * @pid: the process
 *
 * Return: the name, escaped, as the process has chosen it; "" if there is none; from malloc().
 */
char *process_name(pid_t pid)
{
	char *path = xasprintf("/proc/%d/comm", pid), line[64] = "";
	FILE *f = fopen(path, "re");

	free(path);
	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = '\0';
		fclose(f);
	}
	line[strcspn(line, "\n")] = '\0';
	return path_escape(line);
}
