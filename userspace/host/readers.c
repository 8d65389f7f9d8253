// SPDX-License-Identifier: GPL-2.0
/*
 * Output goes into a pipe or a terminal. Search /proc for the processes that have the other end
 * open, and for the processes that read the output of those processes in turn.
 */
#include "readers.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "util/options.h"
#include "util/probe_site.h"
#include "util/error.h"
#include "library.h"
#include "process.h"
#include "util/util.h"

/* The major numbers of terminals in /dev/pts (Documentation/admin-guide/devices.txt). */
#define PTS_FIRST 136
#define PTS_LAST 143

/**
 * struct channel - a destination of output that a process can read from
 * @is_pipe: the channel is a pipe; otherwise a terminal of /dev/pts
 * @id: inode of the pipe, number of the terminal
 */
struct channel {
	bool is_pipe;
	u64 id;
};

static bool is_channel(const char *path, struct channel *channel)
{
	struct stat st;

	if (stat(path, &st))
		return false;
	channel->is_pipe = S_ISFIFO(st.st_mode);
	channel->id = st.st_ino;
	if (channel->is_pipe)
		return true;
	channel->id = (major(st.st_rdev) - PTS_FIRST) * 256 + minor(st.st_rdev);
	return S_ISCHR(st.st_mode) && major(st.st_rdev) >= PTS_FIRST &&
	       major(st.st_rdev) <= PTS_LAST;
}

/* Read NUMBER from the line "NAME: NUMBER" in the fdinfo of a descriptor. */
static bool fd_info(pid_t pid, const char *fd, const char *name, int base,
		    u64 *value)
{
	char path[64], line[128];
	size_t len = strlen(name);
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%.16s", pid, fd);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && fgets(line, sizeof(line), f)) {
		found = !strncmp(line, name, len) && line[len] == ':';
		if (found)
			*value = strtoull(line + len + 1, NULL, base);
	}
	fclose(f);
	return found;
}

/* Check whether a descriptor reads from a channel. */
static bool is_other_end(pid_t pid, const char *fd, const char *target,
			 const struct channel *channel)
{
	char pipe[32];
	u64 value;

	if (!channel->is_pipe)
		return str_ends(target, "ptmx") &&
		       fd_info(pid, fd, "tty-index", 10, &value) &&
		       value == channel->id;
	snprintf(pipe, sizeof(pipe), "pipe:[%llu]",
		 (unsigned long long)channel->id);
	return (!strcmp(target, pipe) || target[0] == '/') &&
	       fd_info(pid, fd, "flags", 8, &value) &&
	       (value & O_ACCMODE) != O_WRONLY;
}

/* The link of a named pipe is a path, so compare the inode of the pipe. */
static bool may_be(const char *path, const char *target,
		   const struct channel *channel)
{
	struct stat st;

	if (!channel->is_pipe || target[0] != '/')
		return true;
	return !stat(path, &st) && S_ISFIFO(st.st_mode) &&
	       st.st_ino == channel->id;
}

static bool reads(pid_t pid, const struct channel *channel)
{
	char path[64], target[256];
	struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	dir = opendir(path);
	while (!found && dir && (entry = readdir(dir))) {
		ssize_t n;

		snprintf(path, sizeof(path), "/proc/%d/fd/%.16s", pid,
			 entry->d_name);
		n = readlink(path, target, sizeof(target) - 1);
		if (n <= 0)
			continue;
		target[n] = '\0';
		found = may_be(path, target, channel) &&
			is_other_end(pid, entry->d_name, target, channel);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool has(const struct readers *readers, pid_t pid)
{
	for (size_t i = 0; i < readers->n; i++)
		if (readers->v[i] == pid)
			return true;
	return false;
}

static void add_readers(struct readers *readers, const struct channel *channel)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;

	while (dir && readers->n < READERS_MAX && (entry = readdir(dir))) {
		pid_t pid = atoi(entry->d_name);

		if (pid > 0 && !has(readers, pid) && reads(pid, channel))
			readers->v[readers->n++] = pid;
	}
	if (dir)
		closedir(dir);
}

/**
 * readers_find() - find this process and the processes that read its output
 * @readers: filled in; empty if --self, -p, -L or -c is given
 * @options: of the command line
 * @fd: the descriptor of the output
 */
void readers_find(struct readers *readers, const struct options *options, int fd)
{
	struct channel channel;
	char path[64];

	readers->n = 0;
	if (options->self || options->pid || options->tid || options->command)
		return;
	readers->n = 1;
	readers->v[0] = getpid();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (is_channel(path, &channel))
		add_readers(readers, &channel);
	/* Also find the readers of the readers' own output. */
	for (size_t i = 1; i < readers->n; i++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/1", readers->v[i]);
		if (is_channel(path, &channel))
			add_readers(readers, &channel);
	}
}

/* Return the name and process ID of a reader for a message; the caller frees it. */
static char *name_of(const struct readers *readers, size_t i)
{
	char path[64], name[64] = "?";
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/comm", readers->v[i]);
	f = fopen(path, "re");
	if (f && fgets(name, sizeof(name), f))
		name[strcspn(name, "\n")] = '\0';
	/* The name is untrusted: replace characters that are not printable. */
	for (char *c = name; *c; c++)
		if (!isprint((unsigned char)*c))
			*c = '?';
	if (f)
		fclose(f);
	return xasprintf("%s (%d%s)", name, readers->v[i],
			 i ? "" : ", this one");
}

/**
 * readers_add_file() - record the file of a site for readers_report()
 * @files: the files
 * @site: the site
 */
void readers_add_file(struct paths *files, const struct probe_site *site)
{
	_cleanup_free_ char *path = probe_site_file(site);

	/* Of thousands of sites, most are in the same file as the previous site. */
	if (!files->n || strcmp(files->v[files->n - 1], path))
		paths_add(files, path);
}

/**
 * readers_report() - tell the user which readers map a probed file and are left out
 * @readers: the processes that are left out
 * @files: the probed files
 */
void readers_report(const struct readers *readers, const struct paths *files)
{
	char *list = NULL;

	for (size_t i = 0; i < readers->n; i++) {
		bool concerned = false;
		char *name, *longer;

		for (size_t j = 0; j < files->n && !concerned; j++)
			concerned = process_maps(readers->v[i], files->v[j]);
		if (!concerned)
			continue;
		name = name_of(readers, i);
		longer = xasprintf("%s%s%s", list ? list : "",
				   list ? ", " : "", name);
		free(name);
		free(list);
		list = longer;
	}
	if (list)
		remark("left out, because events pass through it: %s; --self traces it as well",
		       list);
	free(list);
}
