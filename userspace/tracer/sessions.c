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
#include "util/util.h"

static unsigned int print_session(const char *pid, const char *fd)
{
	char *path = xasprintf("/proc/%s/fdinfo/%s", pid, fd);
	char *comm = process_name(strtol(pid, NULL, 10)), *line = NULL;
	FILE *f = fopen(path, "re");
	unsigned int n = 0;
	size_t cap = 0;

	while (f && getline(&line, &cap, f) > 0) {
		unsigned long long hits, missed;
		char event[128], *file;

		if (sscanf(line, "probe: %ms %127s %llu %llu", &file, event,
			   &hits, &missed) < 4)
			continue;
		printf("%s %s  [%s-%s, %llu hits, %llu missed]\n", event, file,
		       comm, pid, hits, missed);
		free(file);
		n++;
	}
	if (f)
		fclose(f);
	free(line);
	free(comm);
	free(path);
	return n;
}

/* Print the sessions of a process.  Its threads share the descriptors. */
static unsigned int print_of_process(const char *pid, const char *session)
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
			n += print_session(pid, fd->d_name);
	}
	if (fds)
		closedir(fds);
	free(path);
	return n;
}

/**
 * sessions_print() - list the probes of all sessions
 * @dir: the control directory
 *
 * Return: the number of probes.
 */
unsigned int sessions_print(const char *dir)
{
	char *path = xasprintf("%s/session", dir);
	char *session = realpath(path, NULL);
	DIR *proc = session ? opendir("/proc") : NULL;
	struct dirent *entry;
	unsigned int n = 0;

	while (proc && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			n += print_of_process(entry->d_name, session);
	if (proc)
		closedir(proc);
	free(session);
	free(path);
	return n;
}
