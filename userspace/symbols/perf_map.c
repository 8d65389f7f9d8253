// SPDX-License-Identifier: GPL-2.0
/*
 * Each line is "START SIZE NAME", with hexadecimal numbers. The program appends lines.
 * Trust the names and addresses, but limit the amount of data, and reject control characters.
 */
#include "perf_map.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/util.h"

#define CODES_MAX	(1 << 20)
#define BYTES_MAX	(256L << 20)
#define LINE_LEN	4096

/* Read a task's process ID in our PID namespace and in its own one from /proc/TID/status. */
static bool process_ids(pid_t tid, pid_t *pid, pid_t *own)
{
	char *path = xasprintf("/proc/%d/status", tid), line[512];
	FILE *f = fopen(path, "re");

	free(path);
	*pid = 0;
	*own = 0;
	while (f && fgets(line, sizeof(line), f)) {
		if (str_starts(line, "Tgid:"))
			*pid = atoi(line + strlen("Tgid:"));
		else if (str_starts(line, "NStgid:") && strrchr(line, '\t'))
			*own = atoi(strrchr(line, '\t'));
	}
	if (f)
		fclose(f);
	return *pid;
}

/* Like perf, trust a file only if its owner is root or the user of the process. */
static FILE *open_trusted(const char *path, pid_t tid, struct stat *st)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char proc[32];
	struct stat process;
	FILE *f = NULL;

	if (fd < 0)
		return NULL;
	snprintf(proc, sizeof(proc), "/proc/%d", tid);
	if (!fstat(fd, st) && S_ISREG(st->st_mode) &&
	    (!st->st_uid || (!stat(proc, &process) && process.st_uid == st->st_uid)))
		f = fdopen(fd, "r");
	if (!f)
		close(fd);
	return f;
}

static struct perf_map *add(struct perf_maps *maps, const char *path, pid_t tid)
{
	struct perf_map *map;
	struct stat st;
	FILE *f = open_trusted(path, tid, &st);

	if (!f)
		return NULL;
	for (size_t i = 0; i < maps->n; i++) {
		map = maps->v[i];
		if (map->dev != st.st_dev || map->ino != st.st_ino)
			continue;
		fclose(f);
		return map;
	}
	map = xcalloc(1, sizeof(*map));
	map->path = path_escape(path);
	map->f = f;
	map->dev = st.st_dev;
	map->ino = st.st_ino;
	maps->v = grow(maps->v, maps->n, &maps->cap, sizeof(*maps->v));
	maps->v[maps->n++] = map;
	return map;
}

/**
 * perf_maps_get() - get the file of a task's process
 * @maps: the files that have been opened
 * @tid: the task
 *
 * The file is in the /tmp that the process sees. Its name contains the ID that the process has
 * in its own PID namespace.
 *
 * Return: the file, valid until perf_maps_free(); NULL if there is none.
 */
struct perf_map *perf_maps_get(struct perf_maps *maps, pid_t tid)
{
	struct perf_map *map = NULL;
	pid_t pid, own;

	if (!process_ids(tid, &pid, &own))
		return NULL;
	for (int i = 0; i < 2 && !map; i++) {
		/*
		 * If the process is in another namespace, try its own /tmp first: our /tmp may
		 * have a file of another process.
		 */
		bool inside = i != (own && own != pid);
		char *root = inside ? xasprintf("/proc/%d/root", tid) : xstrdup("");
		char *path = xasprintf("%s/tmp/perf-%d.map", root, inside && own ? own : pid);

		map = add(maps, path, tid);
		free(path);
		free(root);
	}
	return map;
}

static int by_start(const void *pa, const void *pb)
{
	const struct perf_code *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void take_line(struct perf_map *map, char *line)
{
	struct perf_code code = { .line = map->n };
	int name = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 " %" SCNx64 " %n", &code.start, &code.size, &name) != 2 ||
	    !name || !line[name] || !str_printable(line + name))
		return;
	code.name = xstrdup(line + name);
	map->v = grow(map->v, map->n, &map->cap, sizeof(*map->v));
	map->v[map->n++] = code;
}

/* Read the lines that the program has appended. Return false if there is nothing new. */
static bool read_more(struct perf_map *map)
{
	size_t before = map->n;
	char line[LINE_LEN];
	long at;

	clearerr(map->f);
	while (map->n < CODES_MAX && (at = ftell(map->f)) >= 0 &&
	       at < BYTES_MAX && fgets(line, sizeof(line), map->f)) {
		/* The program has not written the rest of the last line yet. */
		if (!strchr(line, '\n') && feof(map->f)) {
			fseek(map->f, at, SEEK_SET);
			break;
		}
		take_line(map, line);
	}
	if (map->n > before)
		qsort(map->v, map->n, sizeof(*map->v), by_start);
	return map->n > before;
}

static const struct perf_code *find(const struct perf_map *map, u64 addr)
{
	size_t low = 0, high = map->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (map->v[mid].start <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low || addr - map->v[low - 1].start >= map->v[low - 1].size)
		return NULL;
	return &map->v[low - 1];
}

/**
 * perf_map_find() - find the code at an address
 * @map: the file
 * @addr: the address
 *
 * Return: the code, valid until the next call; NULL if the file does not name it.
 */
const struct perf_code *perf_map_find(struct perf_map *map, u64 addr)
{
	const struct perf_code *code = find(map, addr);

	return code || !read_more(map) ? code : find(map, addr);
}

void perf_maps_free(struct perf_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++) {
		struct perf_map *map = maps->v[i];

		for (size_t j = 0; j < map->n; j++)
			free(map->v[j].name);
		free(map->v);
		free(map->path);
		fclose(map->f);
		free(map);
	}
	free(maps->v);
	memset(maps, 0, sizeof(*maps));
}
