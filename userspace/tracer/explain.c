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

/* Maximum number of processes that a message names; it calls the others "more". */
#define NAMED_MAX 5

/**
 * struct users - the processes that use a file, or another file of the same name
 * @path: the file
 * @name: its name without a version, to recognize other files
 * @st: identity of the file
 * @same: number of processes that use the file
 * @others: number of processes that use another file of the name
 * @pids: the first of the processes in @others
 * @other: a path to the file of @pids[0] that is valid here; NULL if there is none
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

/* Return a path to the file of a mapping that is valid here; NULL if there is none. */
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

static void report_others(const struct users *users)
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
	/* The libc.so.6 of this system may be libc.so.7, or libc-2.31.so, in another one. */
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
		report_others(&users);
	else if (!users.same && !hit)
		remark("no process uses %s at the moment", path);
	free(users.other);
	free(users.name);
}

/**
 * explain_nothing() - explain why the probes may not have been hit at all
 * @files: the probed files
 * @options: of the command line
 * @hit: tasks that the user did not ask for have hit the probes
 */
void explain_nothing(const struct paths *files, const struct options *options,
		     bool hit)
{
	/* With -p the process has mapped the target.  With -c the command has ended. */
	if (options->pid || options->command)
		return;
	for (size_t i = 0; i < files->n; i++)
		explain_file(files->v[i], hit);
}

/**
 * explain_conditions() - if no hits were counted, name the conditions for the counted tasks
 * @options: of the command line
 *
 * This is for count and lat, because the kernel does not tell these commands how many hits the
 * conditions dropped.
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

static void report_drop(enum drop why, unsigned long long hits,
			const struct options *options)
{
	switch (why) {
	case DROP_PID:
		remark("%llu hits were in other processes (%s)",
		       hits, options->command ? "-c" : "-p");
		break;
	case DROP_TID:
		remark("%llu hits were in threads other than %d (-L)", hits,
		       options->tid);
		break;
	case DROP_UID:
		remark("%llu hits were in tasks of users other than %lld (--uid)", hits,
		       options->uid);
		break;
	case DROP_COMM:
		remark("%llu hits were in tasks with names other than \"%s\" (--comm)",
		       hits, options->comm);
		break;
	case DROP_EXCEPT:
		remark("%llu hits were in uprobe or in readers of its output; trace them as well: --self",
		       hits);
		break;
	default:
		break;
	}
}

/**
 * explain_drops() - tell the user which conditions dropped hits
 * @counts: the counts of a session
 * @options: of the command line
 * @filtered: there is a filter
 */
void explain_drops(const struct counts *counts, const struct options *options, bool filtered)
{
	if (counts->dropped[DROP_FILTER])
		remark("%llu hits are not shown: the filter rejects them",
		       (unsigned long long)counts->dropped[DROP_FILTER]);
	else if (filtered)
		remark("hits that the filter rejects by a register alone are not counted");
	if (counts_asked_for(counts))
		return;
	for (enum drop why = 0; why < DROPS; why++)
		if (counts->dropped[why])
			report_drop(why, counts->dropped[why], options);
}
