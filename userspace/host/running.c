// SPDX-License-Identifier: GPL-2.0
#include "running.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/error.h"
#include "util/util.h"

/** mapping_is() - check whether a path leads to the mapped file */
bool mapping_is(const struct mapping *map, const char *path)
{
	struct stat st;

	return !stat(path, &st) && st.st_ino == map->ino &&
	       (!map->exact || st.st_dev == map->dev);
}

/**
 * mapping_reach() - get a path by which we can open a file that a process has mapped
 * @pid: the process, or a thread of it that has not ended
 * @map: the mapping
 *
 * Return: the path; the caller frees it.
 */
char *mapping_reach(pid_t pid, const struct mapping *map)
{
	char *path;

	if (!map->deleted) {
		if (mapping_is(map, map->path))
			return xstrdup(map->path);
		path = xasprintf("/proc/%d/root%s", pid, map->path);
		if (mapping_is(map, path))
			return path;
		free(path);
	}
	return xasprintf("/proc/%d/map_files/%llx-%llx", pid,
			 (unsigned long long)map->start,
			 (unsigned long long)map->end);
}

/**
 * struct seen - libraries found so far
 * @name: the name to look for
 * @found: a path to each library
 * @files: their mappings, without the paths
 * @pid: a process that has the first library mapped
 */
struct seen {
	const char *name;
	struct paths *found;
	struct mappings files;
	pid_t *pid;
};

static void look_at(pid_t pid, struct seen *seen)
{
	struct mappings maps;
	struct error *err = process_mappings(pid, &maps);

	error_free(err);
	if (err)
		return;
	pid = maps.n ? process_reader(pid) : pid;
	for (size_t i = 0; i < maps.n; i++) {
		struct mapping file = maps.v[i];
		const char *base = strrchr(file.path, '/') + 1;
		bool known = false;
		char *path;

		if (!strstr(base, ".so") || !library_name_matches(base, seen->name))
			continue;
		for (size_t j = 0; j < seen->files.n && !known; j++)
			known = seen->files.v[j].ino == file.ino &&
				seen->files.v[j].dev == file.dev;
		if (known)
			continue;
		if (!seen->files.n)
			*seen->pid = pid;
		path = mapping_reach(pid, &file);
		paths_add(seen->found, path);
		free(path);
		file.path = NULL;
		mappings_add(&seen->files, &file);
	}
	mappings_free(&maps);
}

/**
 * running_find() - find the libraries of a name that running programs have mapped
 * @name: libjvm.so, libjvm or jvm
 * @found: filled in, one path for each different file; to be freed with paths_free()
 * @pid: set to a process that has the first file mapped
 *
 * Leave out programs whose mappings the caller may not read.
 */
void running_find(const char *name, struct paths *found, pid_t *pid)
{
	struct seen seen = { .name = name, .found = found, .pid = pid };
	struct dirent *entry;
	DIR *dir;

	memset(found, 0, sizeof(*found));
	dir = opendir("/proc");
	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0)
			look_at(atoi(entry->d_name), &seen);
	if (dir)
		closedir(dir);
	mappings_free(&seen.files);
}
