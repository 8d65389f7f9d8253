// SPDX-License-Identifier: GPL-2.0
/*
 * A session belongs to a file descriptor.  /proc/PID/fd tells which process has it,
 * and /proc/PID/fdinfo lists its probes with their counts.
 */
#include "sessions.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/process.h"
#include "util/json.h"
#include "util/util.h"

/**
 * struct session_probe - a probe of a session
 * @event: its event
 * @file: the file, with octal escapes
 * @comm: the name of the process that has the session, likewise
 * @pid: its process ID
 * @hits: number of hits
 * @missed: number of misses
 */
struct session_probe {
	const char *event;
	const char *file;
	const char *comm;
	const char *pid;
	unsigned long long hits;
	unsigned long long missed;
};

static void print_probe(const struct session_probe *probe, bool as_json)
{
	struct json json = { .out = stdout };

	if (!as_json) {
		printf("%s %s  [%s-%s, %llu hits, %llu missed]\n", probe->event, probe->file,
		       probe->comm, probe->pid, probe->hits, probe->missed);
		return;
	}
	json_open(&json, NULL, '{');
	json_text(&json, "event", probe->event);
	json_path(&json, "file", probe->file);
	json_path(&json, "comm", probe->comm);
	json_raw(&json, "pid", "%s", probe->pid);
	json_number(&json, "hits", probe->hits);
	json_number(&json, "missed", probe->missed);
	json_end(&json);
}

static unsigned int print_session(const char *pid, const char *fd, bool as_json)
{
	_cleanup_free_ char *path = xasprintf("/proc/%s/fdinfo/%s", pid, fd);
	_cleanup_free_ char *comm = process_name(strtol(pid, NULL, 10)), *line = NULL;
	FILE *f = fopen(path, "re");
	unsigned int n = 0;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		struct session_probe probe = { .comm = comm, .pid = pid };
		char event[128], *file;

		if (sscanf(line, "probe: %ms %127s %llu %llu", &file, event,
			   &probe.hits, &probe.missed) < 4)
			continue;
		probe.event = event;
		probe.file = file;
		print_probe(&probe, as_json);
		free(file);
		n++;
	}
	if (f)
		fclose(f);
	return n;
}

/* Print the sessions of a process.  Its threads share the descriptors. */
static unsigned int print_of_process(const char *pid, const char *session, bool as_json)
{
	char *path = xasprintf("/proc/%s/fd", pid), target[4096];
	DIR *fds = opendir(path);
	unsigned int n = 0;
	struct dirent *fd;

	while (fds && (fd = readdir(fds))) {
		ssize_t len = readlinkat(dirfd(fds), fd->d_name, target,
					 sizeof(target) - 1);

		if (len <= 0)
			continue;
		target[len] = '\0';
		if (!strcmp(target, session))
			n += print_session(pid, fd->d_name, as_json);
	}
	if (fds)
		closedir(fds);
	free(path);
	return n;
}

/**
 * sessions_print() - list the probes of all sessions
 * @dir: the control directory
 * @as_json: write objects
 *
 * Return: the number of probes.
 */
unsigned int sessions_print(const char *dir, bool as_json)
{
	_cleanup_free_ char *path = xasprintf("%s/session", dir);
	_cleanup_free_ char *session = realpath(path, NULL);
	DIR *proc = session ? opendir("/proc") : NULL;
	struct dirent *entry;
	unsigned int n = 0;

	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			n += print_of_process(entry->d_name, session, as_json);
	if (proc)
		closedir(proc);
	return n;
}
