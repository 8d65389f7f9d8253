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
#include "host/fault.h"
#include "host/readers.h"
#include "util/error.h"
#include "runner.h"
#include "util/progress.h"
#include "util/util.h"
#include "tasks.h"

static int by_label(const void *pa, const void *pb)
{
	const struct aggregate_known *a = pa, *b = pb;
	int order = strcmp(a->label, b->label);

	return order ? order : a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* Find the first entry with a label that has not been found yet. */
static struct aggregate_known *find_known(const struct aggregate *aggregate, const char *label)
{
	size_t low = 0, high = aggregate->nr_known;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(aggregate->known[middle].label, label);

		if (order < 0 || (!order && aggregate->known[middle].used))
			low = middle + 1;
		else
			high = middle;
	}
	return low < aggregate->nr_known && !strcmp(aggregate->known[low].label, label) ?
	       &aggregate->known[low] : NULL;
}

/**
 * aggregate_add() - add an entry
 * @aggregate: the aggregate
 * @label: name for the user
 *
 * While files are followed, take the entry of that name if there is one.  Functions of one name
 * come in the same order again.
 *
 * Return: the number of the entry.
 */
size_t aggregate_add(struct aggregate *aggregate, const char *label)
{
	struct aggregate_known *known = aggregate->follow ? find_known(aggregate, label) : NULL;

	if (known) {
		known->used = true;
		return known->entry;
	}
	aggregate->v = grow(aggregate->v, aggregate->n, &aggregate->cap, sizeof(*aggregate->v));
	memset(&aggregate->v[aggregate->n], 0, sizeof(*aggregate->v));
	aggregate->v[aggregate->n].label = xstrdup(label);
	return aggregate->n++;
}

/**
 * aggregate_add_site() - add a place to an entry
 * @aggregate: the aggregate
 * @entry: number of the entry
 * @kind: 'p' counts hits, 'r' counts returns and measures how long the calls took
 * @site: the place
 * @args: "", or the return instructions of the function, or a value, with a blank before each
 */
void aggregate_add_site(struct aggregate *aggregate, size_t entry, char kind,
			const struct probe_site *site, const char *args)
{
	char *file = probe_site_file(site), *place, *line;
	bool wanted = !aggregate->follow || follow_has(aggregate->follow, file);

	free(file);
	if (!wanted)
		return;
	place = probe_site_place(site);
	line = xasprintf("%c:k%zu %s%s%s%s\n", kind, entry, place,
			 *site->expected ? " expect=" : "", site->expected, args);

	paths_add(&aggregate->lines, line);
	readers_add_file(&aggregate->files, site);
	free(line);
	free(place);
}

/* Copy as many lines from @from on as make one write; return the first line after these. */
static size_t next_chunk(const struct aggregate *aggregate, size_t from, char *text,
			 size_t *len)
{
	size_t i;

	*len = 0;
	for (i = from; i < aggregate->lines.n; i++) {
		size_t n = strlen(aggregate->lines.v[i]);

		if (i > from && *len + n > CONTROL_CHUNK)
			break;
		memcpy(text + *len, aggregate->lines.v[i], n);
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

static struct error *nothing_taken(const struct aggregate *aggregate, size_t from)
{
	const char *line = aggregate->lines.v[from];

	return error_new(aggregate->reason == EPERM || aggregate->reason == EILSEQ ?
			 STATUS_REFUSED : STATUS_RUNTIME,
			 "the kernel refuses %s%.*s (%s); the kernel log names the cause: dmesg",
			 aggregate->lines.n > from + 1 ? "all places, the first of which is " : "",
			 (int)strcspn(line, "\n"), line,
			 strerror(aggregate->reason));
}

/* Write the definitions from @from on.  Leave out, and count, those that the kernel refuses. */
static void attach_lines(struct aggregate *aggregate, size_t from, struct runner *runner)
{
	_cleanup_free_ char *text = NULL;
	size_t longest = 0, done = from;
	struct progress progress;

	progress_begin(&progress, "places attached");
	for (size_t i = from; i < aggregate->lines.n; i++)
		if (strlen(aggregate->lines.v[i]) > longest)
			longest = strlen(aggregate->lines.v[i]);
	text = xmalloc(CONTROL_CHUNK + longest);
	while (done < aggregate->lines.n && !runner->stop) {
		size_t len;
		ssize_t n;

		next_chunk(aggregate, done, text, &len);
		n = write(aggregate->fd, text, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			if (!aggregate->refused++)
				aggregate->reason = errno;
			done++;
		} else {
			done += lines_in(text, n);
		}
		runner_handle(runner);
		progress_chunk(&progress, done, aggregate->lines.n);
	}
	progress_end(&progress);
}

static struct error *report_refused(const struct aggregate *aggregate, size_t from)
{
	size_t n = aggregate->lines.n - from;

	if (n && aggregate->refused == n)
		return nothing_taken(aggregate, from);
	if (aggregate->refused)
		remark("the kernel refuses %zu of %zu places (%s first), see: dmesg",
		       aggregate->refused, n, strerror(aggregate->reason));
	return NULL;
}

/**
 * aggregate_follow() - begin to add places of files that were replaced
 * @aggregate: attached
 * @follow: the files; aggregate_add_site() leaves others out
 */
void aggregate_follow(struct aggregate *aggregate, const struct follow *follow)
{
	aggregate->known = xcalloc(aggregate->n + 1, sizeof(*aggregate->known));
	aggregate->nr_known = aggregate->n;
	for (size_t i = 0; i < aggregate->n; i++)
		aggregate->known[i] = (struct aggregate_known) {
			.label = aggregate->v[i].label, .entry = i,
		};
	qsort(aggregate->known, aggregate->nr_known, sizeof(*aggregate->known), by_label);
	aggregate->follow = follow;
}

/**
 * aggregate_follow_end() - count at these places, too
 * @aggregate: since aggregate_follow()
 * @from: number of definitions before
 * @runner: its signals stop the attaching
 */
struct error *aggregate_follow_end(struct aggregate *aggregate, size_t from, struct runner *runner)
{
	free(aggregate->known);
	aggregate->known = NULL;
	aggregate->follow = NULL;
	aggregate->refused = 0;
	attach_lines(aggregate, from, runner);
	return report_refused(aggregate, from);
}

/**
 * aggregate_attach() - begin to count
 * @aggregate: with its sites added
 * @dir: the control directory
 * @options: of the command line; they select the tasks to count
 * @child: count only this process and the processes that it starts; 0 to use @options
 * @except: processes that are not counted
 * @runner: its signals stop the attaching
 *
 * Places that the kernel refuses are left out and counted, unless it refuses
 * all of them.
 */
struct error *aggregate_attach(struct aggregate *aggregate, const char *dir,
			       const struct options *options, pid_t child,
			       const struct readers *except,
			       struct runner *runner)
{
	struct error *err = control_aggregate(dir, &aggregate->fd);

	if (!err)
		err = tasks_restrict(aggregate->fd, options, child, except);
	if (err)
		return err;
	attach_lines(aggregate, 0, runner);
	/* Now that something is probed, the module sees it. */
	fault_show();
	return report_refused(aggregate, 0);
}

static char *read_all(struct aggregate *aggregate)
{
	size_t len = 0, cap = 0;
	char *text = NULL;
	ssize_t n;

	do {
		if (cap - len < 65536) {
			cap += 262144;
			text = xreallocarray(text, cap, 1);
		}
		n = pread(aggregate->fd, text + len, cap - len - 1, len);
		if (n > 0)
			len += n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	text[len] = '\0';
	if (n >= 0)
		return text;
	free(text);
	return NULL;
}

/* Most functions of a large library are never called: values get memory when there are some. */
static void take_values(struct aggregate_entry *entry, const char *text)
{
	if (!entry->values) {
		entry->values = xcalloc(1, sizeof(*entry->values));
		entry->values_new = xcalloc(1, sizeof(*entry->values_new));
	}
	value_counts_take(entry->values, text);
}

/* Find the entry of a key, or add one.  Its name is a part of the line. */
static struct aggregate_entry *key_entry(struct aggregate *aggregate, size_t of, const char *key,
					 size_t len)
{
	struct aggregate_entry *entry;
	size_t i;

	for (i = 0; i < aggregate->n; i++) {
		entry = &aggregate->v[i];
		if (entry->key && entry->of == of && strlen(entry->key) == len &&
		    !strncmp(entry->key, key, len))
			return entry;
	}
	/* This may move the entries. */
	i = aggregate_add(aggregate, aggregate->v[of].label);
	entry = &aggregate->v[i];
	entry->key = xstrndup(key, len);
	entry->of = of;
	return entry;
}

/* Parse "by kN KEY HITS SUM LEAST LARGEST FROM:COUNT...". */
static void take_key(struct aggregate *aggregate, const char *line)
{
	unsigned long long of = strtoull(line + strlen("by k"), (char **)&line, 10);
	struct aggregate_entry *entry;
	size_t len;

	if (of >= aggregate->n || *line++ != ' ')
		return;
	len = strcspn(line, " ");
	entry = key_entry(aggregate, of, line, len);
	entry->counts.hits += strtoull(line + len, (char **)&line, 10);
	take_values(entry, line);
}

/*
 * Parse "kN HITS MISSED"; behind it with times, or values, " SUM LEAST LARGEST FROM:COUNT...".
 */
static void take_line(struct aggregate *aggregate, const char *line)
{
	struct aggregate_counts *counts;
	unsigned long long entry;
	char *p;

	if (aggregate->stack && str_starts(line, "stack "))
		aggregate->stack(aggregate->data, line);
	if (aggregate->by && str_starts(line, "by k")) {
		take_key(aggregate, line);
		return;
	}
	if (*line != 'k') {
		missing_take(&aggregate->missing, line);
		return;
	}
	entry = strtoull(line + 1, &p, 10);
	if (entry >= aggregate->n)
		return;
	counts = &aggregate->v[entry].counts;
	counts->hits += strtoull(p, &p, 10);
	counts->missed += strtoull(p, &p, 10);
	if (aggregate->what != AGGREGATE_HITS)
		take_values(&aggregate->v[entry], p);
}

static void begin_entry(struct aggregate_entry *entry)
{
	entry->before = entry->counts;
	memset(&entry->counts, 0, sizeof(entry->counts));
	if (entry->values) {
		*entry->values_new = *entry->values;
		memset(entry->values, 0, sizeof(*entry->values));
	}
}

/* Subtract the values before, which begin_entry() has put there. */
static void end_entry(struct aggregate_entry *entry)
{
	struct value_counts before;

	if (!entry->values)
		return;
	before = *entry->values_new;
	*entry->values_new = *entry->values;
	value_counts_since(entry->values_new, &before);
}

/**
 * aggregate_read() - read the counts
 * @aggregate: attached
 */
struct error *aggregate_read(struct aggregate *aggregate)
{
	char *text = read_all(aggregate), *line, *newline;

	if (!text)
		return error_new(STATUS_RUNTIME,
				 "the counts cannot be read (%s); was the module unloaded?",
				 strerror(errno));
	for (size_t i = 0; i < aggregate->n; i++)
		begin_entry(&aggregate->v[i]);
	missing_free(&aggregate->missing);
	for (line = text; (newline = strchr(line, '\n')); line = newline + 1) {
		*newline = '\0';
		take_line(aggregate, line);
	}
	for (size_t i = 0; i < aggregate->n; i++)
		end_entry(&aggregate->v[i]);
	free(text);
	return NULL;
}

/** aggregate_report_missing() - report the places left out as of the last aggregate_read() */
void aggregate_report_missing(const struct aggregate *aggregate)
{
	const char *event = aggregate->missing.event;
	size_t entry = event ? strtoull(event + 1, NULL, 10) : 0;

	missing_report(&aggregate->missing,
		       entry < aggregate->n ? aggregate->v[entry].label : NULL);
}

/**
 * aggregate_counts_since() - get the counts between the last two readings
 * @entry: the entry
 * @counts: filled in
 */
void aggregate_counts_since(const struct aggregate_entry *entry,
			    struct aggregate_counts *counts)
{
	*counts = entry->counts;
	counts->hits -= entry->before.hits;
	counts->missed -= entry->before.missed;
}

/**
 * aggregate_values() - get the values, or times, of an entry
 * @entry: the entry
 * @since: only those between the last two readings
 */
const struct value_counts *aggregate_values(const struct aggregate_entry *entry, bool since)
{
	static const struct value_counts none;

	return !entry->values ? &none : since ? entry->values_new : entry->values;
}

void aggregate_close(struct aggregate *aggregate)
{
	if (aggregate->fd >= 0)
		close(aggregate->fd);
	for (size_t i = 0; i < aggregate->n; i++) {
		free(aggregate->v[i].label);
		free(aggregate->v[i].key);
		free(aggregate->v[i].values);
		free(aggregate->v[i].values_new);
	}
	free(aggregate->v);
	free(aggregate->value);
	free(aggregate->by);
	paths_free(&aggregate->lines);
	paths_free(&aggregate->files);
	missing_free(&aggregate->missing);
}
