// SPDX-License-Identifier: GPL-2.0
#include "follow.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "probe/target.h"
#include "runner.h"
#include "util/error.h"
#include "util/options.h"
#include "util/probe_spec.h"
#include "util/util.h"

/* Milliseconds between two looks. */
#define LOOK_INTERVAL 500

/* A file whose last write is this number of seconds ago is complete. */
#define SETTLED 2

/* Fill in the device and the inode that a mapping has, as /proc/self/maps lists it. */
static void find_mapped(unsigned long addr, struct stat *st)
{
	unsigned int major, minor;
	char *line = NULL;
	size_t cap = 0;
	FILE *f = fopen("/proc/self/maps", "re");

	while (f && getline(&line, &cap, f) > 0) {
		u64 start, ino;

		if (sscanf(line, "%" SCNx64 "-%*x %*s %*x %x:%x %" SCNu64, &start, &major, &minor,
			   &ino) != 4 || start != addr)
			continue;
		st->st_dev = makedev(major, minor);
		st->st_ino = ino;
	}
	free(line);
	if (f)
		fclose(f);
}

/*
 * On overlayfs, processes map a file of a layer below.  The first change copies it to the topmost
 * layer, and from then on they map the copy.  The path keeps its inode.
 */
static void look_below(const char *path, struct stat *below)
{
	size_t len = (size_t)sysconf(_SC_PAGESIZE);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct statfs fs;
	void *map;

	memset(below, 0, sizeof(*below));
	if (fd >= 0 && !fstatfs(fd, &fs) && fs.f_type == OVERLAYFS_SUPER_MAGIC) {
		map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);
		if (map != MAP_FAILED) {
			find_mapped((unsigned long)map, below);
			munmap(map, len);
		}
	}
	if (fd >= 0)
		close(fd);
}

static bool same_inode(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool same_time(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

/* Check that a file is no longer being written. */
static bool is_complete(const struct stat *seen, const struct stat *now)
{
	return now->st_mtim.tv_sec + SETTLED < time(NULL) ||
	       (same_inode(seen, now) && seen->st_size == now->st_size &&
		same_time(&seen->st_mtim, &now->st_mtim));
}

static bool is_replaced(struct followed *file)
{
	struct stat now, below;
	bool replaced, complete;

	if (stat(file->path, &now) || !S_ISREG(now.st_mode))
		return false;
	complete = is_complete(&file->seen, &now);
	file->seen = now;
	replaced = !same_inode(&file->probed, &now);
	if (!complete || (!replaced && same_time(&file->probed.st_ctim, &now.st_ctim)))
		return false;
	look_below(file->path, &below);
	replaced = replaced || !same_inode(&file->below, &below);
	file->probed = now;
	file->below = below;
	return replaced;
}

/**
 * follow_begin() - note the files that are probed
 * @follow: zeroed
 * @files: the files
 * @options: of the command line
 *
 * With -p or -L, none is noted: the process keeps what it has mapped.
 */
void follow_begin(struct follow *follow, const struct paths *files, const struct options *options)
{
	bool off = options->no_follow || options->pid || options->tid;

	for (size_t i = 0; i < files->n && !off; i++) {
		struct followed file = { .path = files->v[i] };

		if (target_is_memory(file.path) || stat(file.path, &file.probed))
			continue;
		file.path = xstrdup(file.path);
		file.seen = file.probed;
		look_below(file.path, &file.below);
		follow->v = xreallocarray(follow->v, follow->n + 1, sizeof(*follow->v));
		follow->v[follow->n++] = file;
	}
	follow->next = now_ms() + LOOK_INTERVAL;
}

/** follow_timeout() - shorten a timeout for poll(), so that it ends when it is time to look */
int follow_timeout(const struct follow *follow, int timeout)
{
	u64 now = now_ms(), left = follow->next > now ? follow->next - now : 0;

	return follow->n && (timeout < 0 || left < (u64)timeout) ? (int)left : timeout;
}

/**
 * follow_look() - look whether files were replaced, if it is time to
 * @follow: the files; those that were replaced are in follow::changed
 *
 * Return: false if none was.
 */
bool follow_look(struct follow *follow)
{
	if (!follow->n || now_ms() < follow->next)
		return false;
	follow->next = now_ms() + LOOK_INTERVAL;
	paths_free(&follow->changed);
	for (size_t i = 0; i < follow->n; i++)
		if (is_replaced(&follow->v[i]))
			paths_add(&follow->changed, follow->v[i].path);
	return follow->changed.n;
}

/**
 * follow_has() - check whether a file has just been replaced
 * @follow: the files
 * @path: the file
 */
bool follow_has(const struct follow *follow, const char *path)
{
	for (size_t i = 0; i < follow->changed.n; i++)
		if (!strcmp(follow->changed.v[i], path))
			return true;
	return false;
}

/* Check whether a target may stand for a file that was replaced. */
static bool is_named(const struct follow *follow, const char *target)
{
	const char *wanted = strrchr(target, '/') ? strrchr(target, '/') + 1 : target, *base;

	for (size_t i = 0; i < follow->changed.n; i++) {
		base = strrchr(follow->changed.v[i], '/');
		if (base && (!strcmp(base + 1, wanted) || library_name_matches(base + 1, wanted)))
			return true;
	}
	return false;
}

/**
 * follow_takes() - check whether a probe means the same in a file that has replaced another
 * @follow: the files
 * @spec: the probe
 *
 * An address, or a position in the file, is another place there.  Say so.
 */
bool follow_takes(const struct follow *follow, const char *spec)
{
	char *full = probe_spec_full(spec);
	struct probe_spec parsed;
	struct error *err = probe_spec_parse(full, &parsed);
	bool takes = true;

	free(full);
	if (err) {
		error_free(err);
		return true;
	}
	if (parsed.function[0] == '@' || str_starts(parsed.function, "0x"))
		takes = !is_named(follow, parsed.target);
	if (!takes)
		remark("%s was replaced; %s is not probed in the new file, as an address is another place there",
		       follow->changed.v[0], spec);
	probe_spec_free(&parsed);
	return takes;
}

/**
 * follow_report() - tell the user that files were replaced
 * @follow: the files
 * @err: why the new ones cannot be probed, which is freed; or NULL
 */
void follow_report(const struct follow *follow, struct error *err)
{
	for (size_t i = 0; i < follow->changed.n && !err; i++)
		remark("%s was replaced: the new file is now probed as well",
		       follow->changed.v[i]);
	if (err)
		remark("%s was replaced, and the new file is not probed: %s", follow->changed.v[0],
		       err->text);
	error_free(err);
}

void follow_free(struct follow *follow)
{
	for (size_t i = 0; i < follow->n; i++)
		free(follow->v[i].path);
	free(follow->v);
	paths_free(&follow->changed);
}
