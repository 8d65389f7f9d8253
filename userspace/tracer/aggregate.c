// SPDX-License-Identifier: GPL-2.0
/*
 * The tracer's file "aggregate": a write adds definitions, a read returns sums.
 * Closing the file removes the definitions, also if the kernel closes it at exit.
 */
#include "aggregate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control.h"
#include "follow.h"
#include "host/readers.h"
#include "util/error.h"
#include "runner.h"
#include "util/progress.h"
#include "util/util.h"
#include "tasks.h"

static int by_label(const void *pa, const void *pb)
{
	const struct tally_known *a = pa, *b = pb;
	int order = strcmp(a->label, b->label);

	return order ? order : a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* Find the first entry with a label that has not been found yet. */
static struct tally_known *find_known(const struct tally *tally, const char *label)
{
	size_t low = 0, high = tally->nr_known;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(tally->known[middle].label, label);

		if (order < 0 || (!order && tally->known[middle].used))
			low = middle + 1;
		else
			high = middle;
	}
	return low < tally->nr_known && !strcmp(tally->known[low].label, label) ?
	       &tally->known[low] : NULL;
}

/**
 * tally_add() - add an entry
 * @tally: the tally
 * @label: name for the user
 *
 * While files are followed, take the entry of that name if there is one.  Functions of one name
 * come in the same order again.
 *
 * Return: the number of the entry.
 */
size_t tally_add(struct tally *tally, const char *label)
{
	struct tally_known *known = tally->follow ? find_known(tally, label) : NULL;

	if (known) {
		known->used = true;
		return known->entry;
	}
	tally->v = grow(tally->v, tally->n, &tally->cap, sizeof(*tally->v));
	memset(&tally->v[tally->n], 0, sizeof(*tally->v));
	tally->v[tally->n].label = xstrdup(label);
	return tally->n++;
}

/**
 * tally_add_site() - add a place to an entry
 * @tally: the tally
 * @entry: number of the entry
 * @kind: 'p' counts hits, 'r' counts returns and measures how long the calls took
 * @site: the place
 * @exits: "", or the return instructions of the function, as arguments
 */
void tally_add_site(struct tally *tally, size_t entry, char kind,
		    const struct probe_site *site, const char *exits)
{
	char *file = probe_site_file(site), *place, *line;
	bool wanted = !tally->follow || follow_has(tally->follow, file);

	free(file);
	if (!wanted)
		return;
	place = probe_site_place(site);
	line = xasprintf("%c:k%zu %s%s%s%s\n", kind, entry, place,
			 *site->expected ? " expect=" : "", site->expected, exits);

	paths_add(&tally->lines, line);
	readers_add_file(&tally->files, site);
	free(line);
	free(place);
}

/* Copy as many lines from @from on as make one write; return the first line after these. */
static size_t next_chunk(const struct tally *tally, size_t from, char *text,
			 size_t *len)
{
	size_t i;

	*len = 0;
	for (i = from; i < tally->lines.n; i++) {
		size_t n = strlen(tally->lines.v[i]);

		if (i > from && *len + n > CONTROL_CHUNK)
			break;
		memcpy(text + *len, tally->lines.v[i], n);
		*len += n;
	}
	return i;
}

/* Count the whole lines in the first @n characters. */
static size_t lines_in(const char *text, size_t n)
{
	size_t lines = 0;

	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	return lines;
}

static struct error *nothing_taken(const struct tally *tally, size_t from)
{
	const char *line = tally->lines.v[from];

	return error_new(tally->reason == EPERM || tally->reason == EILSEQ ?
			 STATUS_REFUSED : STATUS_RUNTIME,
			 "the kernel refuses %s%.*s (%s); the kernel log names the cause: dmesg",
			 tally->lines.n > from + 1 ? "all places, the first of which is " : "",
			 (int)strcspn(line, "\n"), line,
			 strerror(tally->reason));
}

/* Write the definitions from @from on.  Leave out, and count, those that the kernel refuses. */
static void attach_lines(struct tally *tally, size_t from, struct runner *runner)
{
	_cleanup_free_ char *text = NULL;
	size_t longest = 0, done = from;
	struct progress progress;

	progress_begin(&progress, "places attached");
	for (size_t i = from; i < tally->lines.n; i++)
		if (strlen(tally->lines.v[i]) > longest)
			longest = strlen(tally->lines.v[i]);
	text = xmalloc(CONTROL_CHUNK + longest);
	while (done < tally->lines.n && !runner->stop) {
		size_t len;
		ssize_t n;

		next_chunk(tally, done, text, &len);
		n = write(tally->fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (!tally->refused++)
				tally->reason = errno;
			done++;
		} else {
			done += lines_in(text, n);
		}
		runner_handle(runner);
		progress_chunk(&progress, done, tally->lines.n);
	}
	progress_end(&progress);
}

static struct error *tell_refused(const struct tally *tally, size_t from)
{
	size_t n = tally->lines.n - from;

	if (n && tally->refused == n)
		return nothing_taken(tally, from);
	if (tally->refused)
		remark("the kernel refuses %zu of %zu places (%s first), see: dmesg",
		       tally->refused, n, strerror(tally->reason));
	return NULL;
}

/**
 * tally_follow() - begin to add places of files that were replaced
 * @tally: attached
 * @follow: the files; tally_add_site() leaves others out
 */
void tally_follow(struct tally *tally, const struct follow *follow)
{
	tally->known = xcalloc(tally->n + 1, sizeof(*tally->known));
	tally->nr_known = tally->n;
	for (size_t i = 0; i < tally->n; i++)
		tally->known[i] = (struct tally_known) { .label = tally->v[i].label, .entry = i };
	qsort(tally->known, tally->nr_known, sizeof(*tally->known), by_label);
	tally->follow = follow;
}

/**
 * tally_follow_end() - count at these places, too
 * @tally: since tally_follow()
 * @from: number of definitions before
 * @runner: its signals stop the attaching
 */
struct error *tally_follow_end(struct tally *tally, size_t from, struct runner *runner)
{
	free(tally->known);
	tally->known = NULL;
	tally->follow = NULL;
	tally->refused = 0;
	attach_lines(tally, from, runner);
	return tell_refused(tally, from);
}

/**
 * tally_attach() - begin to count
 * @tally: with its sites added
 * @dir: the control directory
 * @options: of the command line; they select the tasks to count
 * @child: count only this process and the processes that it starts; 0 to use @options
 * @except: processes that are not counted
 * @runner: its signals stop the attaching
 *
 * Places that the kernel refuses are left out and counted, unless it refuses
 * all of them.
 */
struct error *tally_attach(struct tally *tally, const char *dir,
			   const struct options *options, pid_t child,
			   const struct readers *except,
			   struct runner *runner)
{
	struct error *err = control_aggregate(dir, &tally->fd);

	if (!err)
		err = tasks_restrict(tally->fd, options, child, except);
	if (err)
		return err;
	attach_lines(tally, 0, runner);
	return tell_refused(tally, 0);
}

static char *read_all(struct tally *tally)
{
	size_t len = 0, cap = 0;
	char *text = NULL;
	ssize_t n;

	do {
		if (cap - len < 65536) {
			cap += 262144;
			text = xreallocarray(text, cap, 1);
		}
		n = pread(tally->fd, text + len, cap - len - 1, len);
		if (n > 0)
			len += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	text[len] = '\0';
	if (n >= 0)
		return text;
	free(text);
	return NULL;
}

/* Parse "kN HITS MISSED [TOTAL MAX BUCKET:COUNT...]". */
static void take_line(struct tally *tally, const char *line)
{
	struct tally_counts *counts;
	unsigned long long entry, value[4] = { 0 };
	char *p;

	if (tally->stack && str_starts(line, "stack "))
		tally->stack(tally->data, line);
	if (*line != 'k') {
		missing_take(&tally->missing, line);
		return;
	}
	entry = strtoull(line + 1, &p, 10);
	if (entry >= tally->n)
		return;
	for (int i = 0; i < 4 && *p == ' '; i++)
		value[i] = strtoull(p, &p, 10);
	counts = &tally->v[entry].counts;
	counts->hits += value[0];
	counts->missed += value[1];
	counts->total += value[2];
	if (value[3] > counts->max)
		counts->max = value[3];
	while (*p == ' ') {
		unsigned long long bucket = strtoull(p, &p, 10);

		if (*p != ':')
			break;
		value[0] = strtoull(p + 1, &p, 10);
		if (bucket < TALLY_BUCKETS)
			counts->buckets[bucket] += value[0];
	}
}

/**
 * tally_read() - read the counts
 * @tally: attached
 */
struct error *tally_read(struct tally *tally)
{
	char *text = read_all(tally), *line, *newline;

	if (!text)
		return error_new(STATUS_RUNTIME,
				 "the counts cannot be read (%s); was the module unloaded?",
				 strerror(errno));
	for (size_t i = 0; i < tally->n; i++) {
		tally->v[i].before = tally->v[i].counts;
		memset(&tally->v[i].counts, 0, sizeof(tally->v[i].counts));
	}
	missing_free(&tally->missing);
	for (line = text; (newline = strchr(line, '\n')); line = newline + 1) {
		*newline = '\0';
		take_line(tally, line);
	}
	free(text);
	return NULL;
}

/** tally_tell_missing() - tell the user where probes were left out, as of the last tally_read() */
void tally_tell_missing(const struct tally *tally)
{
	const char *event = tally->missing.event;
	size_t entry = event ? strtoull(event + 1, NULL, 10) : 0;

	missing_tell(&tally->missing, entry < tally->n ? tally->v[entry].label : NULL);
}

/**
 * tally_counts_since() - get the counts between the last two readings
 * @entry: the entry
 * @counts: filled in; its max is that of the whole run
 */
void tally_counts_since(const struct tally_entry *entry,
			struct tally_counts *counts)
{
	*counts = entry->counts;
	counts->hits -= entry->before.hits;
	counts->missed -= entry->before.missed;
	counts->total -= entry->before.total;
	for (size_t i = 0; i < TALLY_BUCKETS; i++)
		counts->buckets[i] -= entry->before.buckets[i];
}

void tally_close(struct tally *tally)
{
	if (tally->fd >= 0)
		close(tally->fd);
	for (size_t i = 0; i < tally->n; i++)
		free(tally->v[i].label);
	free(tally->v);
	paths_free(&tally->lines);
	paths_free(&tally->files);
	missing_free(&tally->missing);
}
