// SPDX-License-Identifier: GPL-2.0
#include "explain.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/options.h"
#include "control.h"
#include "util/error.h"
#include "host/library.h"
#include "host/process.h"
#include "probe/target.h"
#include "util/util.h"

/* So many processes are named; more are counted. */
#define NAMED_MAX 5

/**
 * struct users - who has a file of this name
 * @path: the file
 * @name: what others of the kind are called
 * @st: the file itself
 * @same: how many processes have it
 * @others: how many have another one
 * @pids: the first of these
 * @other: what @pids[0] has, as it can be named here; NULL where it cannot
 */
struct users {
	const char *path;
	char *name;
	struct stat st;
	size_t same;
	size_t others;
	pid_t pids[NAMED_MAX];
	char *other;
};

static bool is_same(const struct mapping *map, const struct users *users)
{
	return map->exact ? map->dev == users->st.st_dev &&
			    map->ino == users->st.st_ino :
			    !strcmp(map->path, users->path) && !map->deleted;
}

/* How the file of a mapping is called from here; NULL if nothing leads to it. */
static char *path_of(pid_t pid, const struct mapping *map)
{
	char *path = xstrdup(map->path);
	struct stat st;

	if (map->deleted || !map->exact) {
		free(path);
		return NULL;
	}
	if (!stat(path, &st) && st.st_dev == map->dev && st.st_ino == map->ino)
		return path;
	free(path);
	path = xasprintf("/proc/%d/root%s", pid, map->path);
	if (!stat(path, &st) && st.st_dev == map->dev && st.st_ino == map->ino)
		return path;
	free(path);
	return NULL;
}

static void look_at(pid_t pid, struct users *users)
{
	const struct mapping *other = NULL;
	struct mappings maps;
	bool same = false;
	struct error *err = process_mappings(pid, &maps);

	if (err) {
		error_free(err);
		return;
	}
	for (size_t i = 0; i < maps.n && !same; i++) {
		const char *base = strrchr(maps.v[i].path, '/');

		same = is_same(&maps.v[i], users);
		if (base && library_name_matches(base + 1, users->name))
			other = &maps.v[i];
	}
	if (same) {
		users->same++;
	} else if (other) {
		if (!users->others)
			users->other = path_of(pid, other);
		if (users->others < NAMED_MAX)
			users->pids[users->others] = pid;
		users->others++;
	}
	mappings_free(&maps);
}

static void tell_others(const struct users *users)
{
	char *list = xstrdup("");

	for (size_t i = 0; i < users->others && i < NAMED_MAX; i++) {
		char *longer = xasprintf("%s%s%d", list, i ? ", " : "",
					 users->pids[i]);

		free(list);
		list = longer;
	}
	remark("%s %s%s %s another %s than %s%s%s; trace with -p %d%s",
	       users->others > 1 ? "processes" : "process", list,
	       users->others > NAMED_MAX ? " and more" : "",
	       users->others > 1 ? "use" : "uses", users->name, users->path,
	       users->other ? ": " : "", users->other ? users->other : "",
	       users->pids[0], users->other ? ", or name that path" : "");
	free(list);
}

static void explain_file(const char *path, bool hit)
{
	struct users users = { .path = path };
	const char *base = strrchr(path, '/');
	struct dirent *entry;
	DIR *dir;

	if (!base || target_is_memory(path) || stat(path, &users.st))
		return;
	/* libc.so.6 of this system may be libc.so.7, or libc-2.31.so, of another one. */
	users.name = xstrdup(base + 1);
	if (strstr(users.name, ".so"))
		*strstr(users.name, ".so") = '\0';
	dir = opendir("/proc");
	while (dir && (entry = readdir(dir)))
		if (atoi(entry->d_name) > 0)
			look_at(atoi(entry->d_name), &users);
	if (dir)
		closedir(dir);
	if (users.others)
		tell_others(&users);
	else if (!users.same && !hit)
		remark("no process uses %s at the moment", path);
	free(users.other);
	free(users.name);
}

/**
 * explain_nothing() - say why what is probed may not have been hit at all
 * @files: what is probed
 * @options: of the command line
 * @hit: somebody else has, who was not asked for
 */
void explain_nothing(const struct paths *files, const struct options *options,
		     bool hit)
{
	/* What a process has mapped is the target then, or the command has ended. */
	if (options->pid || options->command)
		return;
	for (size_t i = 0; i < files->n; i++)
		explain_file(files->v[i], hit);
}

/**
 * explain_conditions() - say whose hits alone were counted, where there were none
 * @options: of the command line
 *
 * For count and lat: the kernel does not tell them how many hits the conditions left out.
 */
void explain_conditions(const struct options *options)
{
	if (options->tid)
		remark("only hits of thread %d are counted (-L)", options->tid);
	if (options->uid >= 0)
		remark("only hits of user %lld are counted (--uid)", options->uid);
	if (options->comm)
		remark("only hits of tasks with the name \"%s\" are counted (--comm)",
		       options->comm);
}

static void tell_drop(enum drop why, unsigned long long hits,
		      const struct options *options)
{
	switch (why) {
	case DROP_PID:
		remark("%llu hits were of other processes than were asked for (%s)",
		       hits, options->command ? "-c" : "-p");
		break;
	case DROP_TID:
		remark("%llu hits were of other threads than %d (-L)", hits,
		       options->tid);
		break;
	case DROP_UID:
		remark("%llu hits were of other users than %lld (--uid)", hits,
		       options->uid);
		break;
	case DROP_COMM:
		remark("%llu hits were of tasks with other names than \"%s\" (--comm)",
		       hits, options->comm);
		break;
	case DROP_EXCEPT:
		remark("%llu hits were of who prints the events; trace them, too: --self",
		       hits);
		break;
	default:
		break;
	}
}

/**
 * explain_drops() - say which condition kept hits from being shown
 * @counts: what a session has counted
 * @options: of the command line
 */
void explain_drops(const struct counts *counts, const struct options *options)
{
	if (counts->dropped[DROP_FILTER])
		remark("%llu of the hits are not shown: the filter is not true of them",
		       (unsigned long long)counts->dropped[DROP_FILTER]);
	if (counts_asked_for(counts))
		return;
	for (enum drop why = 0; why < DROPS; why++)
		if (counts->dropped[why])
			tell_drop(why, counts->dropped[why], options);
}
