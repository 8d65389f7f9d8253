// SPDX-License-Identifier: GPL-2.0
/* uprobe count SPEC..., uprobe lat SPEC..., uprobe hist SPEC VALUE */
#include <math.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "tracer/control.h"
#include "util/error.h"
#include "tracer/explain.h"
#include "tracer/follow.h"
#include "tracer/heat.h"
#include "tracer/histogram.h"
#include "util/json.h"
#include "util/output.h"
#include "host/readers.h"
#include "tracer/runner.h"
#include "tracer/start_cost.h"
#include "tracer/aggregate.h"
#include "tracer/aggregate_specs.h"
#include "tracer/task_filter.h"
#include "tracer/traps.h"
#include "util/util.h"

/* Up to this many functions, draw a histogram for each; of more functions, print a line each. */
#define DRAWN_MAX 4

/* Number of lines of a table without --top.  JSON is for programs, which want all. */
#define TOP_DEFAULT 20

/* With -v, how often to look at how hits are found, in milliseconds: processes end meanwhile. */
#define LOOK_INTERVAL 200

/**
 * struct measuring - a run of count, lat or hist
 * @options: of the command line
 * @specs: the probes, as the user wrote them
 * @nr_specs: number of @specs
 * @out: the output file for results
 * @aggregate: the entries to count
 * @runner: decides when to stop
 * @follow: the probed files, which may be replaced
 * @traps: how hits are found; with -v only
 * @what: what is counted
 * @picture: draw heat maps of how long calls take, or of values, at the end
 * @heats: the intervals of each entry, if @picture is set
 * @nr_heats: number of @heats
 * @intervals: number of intervals so far, if there are heat maps
 * @scaled: the scale of the heat map in the terminal is printed
 */
struct measuring {
	const struct options *options;
	char *const *specs;
	int nr_specs;
	FILE *out;
	struct aggregate aggregate;
	struct runner runner;
	struct follow follow;
	struct traps traps;
	enum aggregate_what what;
	bool picture;
	struct heat *heats;
	size_t nr_heats;
	size_t intervals;
	bool scaled;
};

/**
 * struct row - a line of results
 * @label: the function
 * @key: the key, or NULL
 * @counts: its counts
 * @values: its values, or times
 */
struct row {
	const char *label;
	const char *key;
	struct aggregate_counts counts;
	const struct value_counts *values;
};

/* Sort by hits, the most first; sort equal rows by name. */
static int by_hits(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->counts.hits != b->counts.hits)
		return a->counts.hits < b->counts.hits ? 1 : -1;
	return strcmp(a->label, b->label);
}

static int by_total(const void *pa, const void *pb)
{
	const struct row *a = pa, *b = pb;

	if (a->values->sum != b->values->sum)
		return a->values->sum < b->values->sum ? 1 : -1;
	return by_hits(pa, pb);
}

/* Many readers of JSON lose digits of numbers of more than 53 bits: write these as strings. */
static void json_value(struct json *json, const char *key, value_t value)
{
	bool is_long = value > 1ll << 53 || value < -(1ll << 53);
	char text[VALUE_LEN];

	value_text(value, text);
	json_raw(json, key, is_long ? "\"%s\"" : "%s", text);
}

/* A bucket has the name of its number that is nearest to 0. */
static void print_json_buckets(struct json *json, const struct value_counts *values)
{
	char key[VALUE_LEN];
	value_t first, last;

	json_open(json, "buckets", '{');
	for (unsigned int i = 0; i < 2 * VALUE_BUCKETS; i++) {
		if (!values->buckets[i])
			continue;
		value_bucket_ends(i, &first, &last);
		value_text(first < 0 ? last : first, key);
		json_number(json, key, values->buckets[i]);
	}
	json_close(json, '}');
}

static void print_json_times(struct json *json, const struct value_counts *times)
{
	json_number(json, "total_ns", times->sum);
	json_number(json, "max_ns", times->largest);
	json_number(json, "p50_ns", value_counts_percentile(times, 50));
	json_number(json, "p90_ns", value_counts_percentile(times, 90));
	json_number(json, "p99_ns", value_counts_percentile(times, 99));
	print_json_buckets(json, times);
}

static void print_json_values(struct json *json, const struct value_counts *values)
{
	json_raw(json, "mean", "%.17g", value_counts_mean(values));
	json_value(json, "min", values->hits ? values->least : 0);
	json_value(json, "max", values->hits ? values->largest : 0);
	json_value(json, "p50", value_counts_percentile(values, 50));
	json_value(json, "p90", value_counts_percentile(values, 90));
	json_value(json, "p99", value_counts_percentile(values, 99));
	print_json_buckets(json, values);
}

static void print_json(const struct measuring *run, const struct row *row)
{
	struct json json = { .out = run->out };

	json_open(&json, NULL, '{');
	json_text(&json, "function", row->label);
	if (run->what == AGGREGATE_VALUES)
		json_text(&json, "value", run->aggregate.value);
	if (row->key) {
		json_text(&json, "by", run->aggregate.by);
		json_text(&json, "key", row->key);
	}
	json_number(&json, "hits", row->counts.hits);
	/* Misses have no key. */
	if (!row->key)
		json_number(&json, "missed", row->counts.missed);
	if (run->what == AGGREGATE_TIMES)
		print_json_times(&json, row->values);
	if (run->what == AGGREGATE_VALUES)
		print_json_values(&json, row->values);
	json_end(&json);
}

static void print_latency(FILE *out, const struct row *row)
{
	const struct value_counts *times = row->values;
	char text[5][DURATION_LEN];

	duration_text(value_counts_mean(times), text[0]);
	duration_text(value_counts_percentile(times, 50), text[1]);
	duration_text(value_counts_percentile(times, 90), text[2]);
	duration_text(value_counts_percentile(times, 99), text[3]);
	duration_text(times->largest, text[4]);
	fprintf(out, "%s: %llu calls, %s on average, 50%% ~ %s, 90%% ~ %s, 99%% ~ %s, %s at most\n",
		row->label, (unsigned long long)row->counts.hits, text[0], text[1], text[2],
		text[3], text[4]);
	value_counts_print(out, times, true);
}

static void print_latency_line(FILE *out, const struct row *row)
{
	const struct value_counts *times = row->values;
	char text[5][DURATION_LEN];

	duration_text(times->sum, text[0]);
	duration_text(value_counts_mean(times), text[1]);
	duration_text(value_counts_percentile(times, 50), text[2]);
	duration_text(value_counts_percentile(times, 99), text[3]);
	duration_text(times->largest, text[4]);
	fprintf(out, "%12llu %9s %9s %9s %9s %9s  %s\n",
		(unsigned long long)row->counts.hits, text[0], text[1], text[2],
		text[3], text[4], row->label);
}

static void print_values(const struct measuring *run, const struct row *row)
{
	const struct value_counts *values = row->values;
	double mean = values->hits ? value_counts_mean(values) : 0;
	char text[5][VALUE_LEN];

	fprintf(run->out, "%s, %s", row->label, run->aggregate.value);
	if (row->key)
		fprintf(run->out, ", %s %s", run->aggregate.by, row->key);
	fprintf(run->out, ": %llu hits", (unsigned long long)values->hits);
	if (values->hits) {
		value_text(values->least, text[0]);
		value_text(values->largest, text[1]);
		value_text(value_counts_percentile(values, 50), text[2]);
		value_text(value_counts_percentile(values, 90), text[3]);
		value_text(value_counts_percentile(values, 99), text[4]);
		fprintf(run->out, fabs(mean) < 1000 ? ", %.4g on average" : ", %.0f on average",
			mean);
		fprintf(run->out, ", 50%% ~ %s, 90%% ~ %s, 99%% ~ %s, from %s to %s", text[2],
			text[3], text[4], text[0], text[1]);
	}
	putc('\n', run->out);
	value_counts_print(run->out, values, false);
}

static void print_rows(const struct measuring *run, const struct row *rows, size_t n)
{
	bool latency = run->what == AGGREGATE_TIMES;
	FILE *out = run->out;

	if (run->options->json || run->what == AGGREGATE_VALUES) {
		for (size_t i = 0; i < n; i++) {
			if (run->options->json)
				print_json(run, &rows[i]);
			else
				print_values(run, &rows[i]);
		}
		return;
	}
	if (latency && run->aggregate.n <= DRAWN_MAX) {
		for (size_t i = 0; i < n; i++)
			print_latency(out, &rows[i]);
		return;
	}
	if (latency)
		fprintf(out, "%12s %9s %9s %9s %9s %9s  %s\n", "CALLS", "TOTAL",
			"MEAN", "50% ~", "99% ~", "MAX", "FUNCTION");
	else
		fprintf(out, "%12s  %s\n", "COUNT", "FUNCTION");
	for (size_t i = 0; i < n; i++) {
		if (latency)
			print_latency_line(out, &rows[i]);
		else
			fprintf(out, "%12llu  %s\n",
				(unsigned long long)rows[i].counts.hits,
				rows[i].label);
	}
}

/* Take an interval into the heat maps. */
static struct error *heat_results(struct measuring *run)
{
	struct aggregate *aggregate = &run->aggregate;
	struct error *err = aggregate_read(aggregate);

	if (!err && !run->picture && !run->scaled)
		heat_print_scale(run->out, run->what);
	run->scaled = true;
	for (size_t i = 0; i < aggregate->n && !err; i++) {
		const struct value_counts *values = aggregate_values(&aggregate->v[i], true);

		if (run->picture)
			heat_add(&run->heats[i], run->what, values, run->intervals);
		else if (values->hits || aggregate->n <= DRAWN_MAX)
			heat_print_row(run->out, run->what, values,
				       aggregate->n > 1 ? aggregate->v[i].label : "");
	}
	run->intervals++;
	if (fflush(run->out))
		run->runner.stop = true;
	return err;
}

/* Each table of several has the time at which it was made. */
static void print_time(FILE *out)
{
	time_t now = time(NULL);
	char clock[16];
	struct tm tm;

	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	fprintf(out, "%s\n", clock);
}

/* @since: print only the counts since the last time. */
static struct error *print_results(struct measuring *run, bool since)
{
	struct aggregate *aggregate = &run->aggregate;
	size_t n = 0, top = run->options->json ? SIZE_MAX : TOP_DEFAULT;
	struct error *err;
	struct row *rows;

	if (run->options->top)
		top = run->options->top;
	if (run->picture || run->options->heat)
		return heat_results(run);
	err = aggregate_read(aggregate);
	if (err)
		return err;
	if (since && !run->options->json)
		print_time(run->out);
	rows = xcalloc(aggregate->n, sizeof(*rows));
	for (size_t i = 0; i < aggregate->n; i++) {
		struct row *row = &rows[n];

		/* The entry of all keys has no values. */
		if (aggregate->by && !aggregate->v[i].key)
			continue;
		row->label = aggregate->v[i].label;
		row->key = aggregate->v[i].key;
		if (since)
			aggregate_counts_since(&aggregate->v[i], &row->counts);
		else
			row->counts = aggregate->v[i].counts;
		row->values = aggregate_values(&aggregate->v[i], since);
		/* Print a few functions even without hits: the user asked for them by name. */
		if (row->counts.hits || aggregate->n <= DRAWN_MAX)
			n++;
	}
	qsort(rows, n, sizeof(*rows), run->what == AGGREGATE_TIMES ? by_total : by_hits);
	print_rows(run, rows, n < top ? n : top);
	if (n > top)
		fprintf(stderr, "%zu more %s; --top %zu shows them\n", n - top,
			aggregate->by ? "keys were met" : "functions were called", n);
	free(rows);
	if (fflush(run->out))
		run->runner.stop = true;
	return NULL;
}

static void print_summary(const struct measuring *run)
{
	u64 hits = 0, missed = 0;

	for (size_t i = 0; i < run->aggregate.n; i++) {
		if (run->aggregate.v[i].key)
			continue;
		hits += run->aggregate.v[i].counts.hits;
		missed += run->aggregate.v[i].counts.missed;
	}
	fprintf(stderr, "Ending... %llu %s, %llu missed.\n",
		(unsigned long long)hits, run->what == AGGREGATE_TIMES ? "calls" : "hits",
		(unsigned long long)missed);
	if (run->options->verbose)
		traps_print(&run->traps);
	aggregate_report_missing(&run->aggregate);
	if (!hits) {
		explain_conditions(run->options);
		explain_nothing(&run->aggregate.files, run->options, false);
	}
}

static void grow_heats(struct measuring *run)
{
	size_t n = run->aggregate.n;

	run->heats = xreallocarray(run->heats, n + 1, sizeof(*run->heats));
	memset(run->heats + run->nr_heats, 0, (n - run->nr_heats) * sizeof(*run->heats));
	run->nr_heats = n;
}

/* If probed files were replaced, count in the new ones, too, under the same names. */
static void follow_files(struct measuring *run)
{
	size_t from = run->aggregate.lines.n;
	struct error *err;

	if (!follow_look(&run->follow))
		return;
	aggregate_follow(&run->aggregate, &run->follow);
	for (int i = 0; i < run->nr_specs; i++) {
		if (!follow_takes(&run->follow, run->specs[i]))
			continue;
		err = aggregate_add_spec(&run->aggregate, run->specs[i], run->options);
		if (err)
			follow_report(&run->follow, err);
	}
	err = aggregate_follow_end(&run->aggregate, from, &run->runner);
	if (err || run->aggregate.lines.n > from)
		follow_report(&run->follow, err);
	grow_heats(run);
}

static struct error *loop(struct measuring *run)
{
	struct pollfd fd = { .fd = run->runner.signals, .events = POLLIN };
	bool heat = run->picture || run->options->heat;
	double seconds = run->options->interval > 0 ? run->options->interval : heat ? 1 : 0;
	u64 interval = seconds > 0 && seconds < 0.001 ? 1 : seconds * 1000;
	u64 next = interval ? now_ms() + interval : 0;
	struct error *err = NULL;

	while (!run->runner.stop && !err) {
		int timeout = follow_timeout(&run->follow, runner_timeout(&run->runner));

		if (next) {
			u64 now = now_ms(), left = next > now ? next - now : 0;

			if (timeout < 0 || left < (u64)timeout)
				timeout = left;
		}
		if (run->options->verbose) {
			traps_look(&run->traps, &run->aggregate);
			if (timeout < 0 || timeout > LOOK_INTERVAL)
				timeout = LOOK_INTERVAL;
		}
		if (!run->runner.stop && poll(&fd, 1, timeout) > 0)
			runner_handle(&run->runner);
		if (!run->runner.stop)
			follow_files(run);
		if (next && now_ms() >= next && !run->runner.stop) {
			next += interval;
			/* This interval includes those that were missed. */
			for (; next <= now_ms(); next += interval)
				run->intervals++;
			err = print_results(run, true);
			if (!run->options->json && !run->picture && !run->options->heat)
				putc('\n', run->out);
		}
	}
	return err;
}

static struct error *measure(struct measuring *run, const char *dir)
{
	const struct options *options = run->options;
	struct error *err = runner_open(&run->runner);
	struct readers readers;

	follow_begin(&run->follow, &run->aggregate.files, options);
	readers_find(&readers, options, fileno(run->out));
	if (!err && options->command)
		err = runner_start(&run->runner, options);
	if (!err)
		err = aggregate_attach(&run->aggregate, dir, options, run->runner.child,
				       &readers, &run->runner);
	if (err)
		return err;
	/* A signal has come before all places were attached: nothing begins. */
	if (runner_stopped(&run->runner))
		return NULL;
	readers_report(&readers, &run->aggregate.files);
	start_cost_report(&run->aggregate.files, run->aggregate.lines.n, options, &run->runner);
	fprintf(stderr, "%s %zu %s", run->what == AGGREGATE_TIMES ? "Timing" : "Counting",
		run->aggregate.n, run->aggregate.n == 1 ? "function" : "functions");
	if (options->seconds > 0)
		fprintf(stderr, " for %g seconds.\n", options->seconds);
	else
		fputs(". Ctrl-C to end.\n", stderr);
	runner_release(&run->runner, options->seconds);
	err = loop(run);
	if (!err && options->verbose)
		traps_look(&run->traps, &run->aggregate);
	if (!err)
		err = print_results(run, options->interval > 0);
	if (!err && run->picture)
		heat_draw(run->out, &run->aggregate, run->heats,
			  options->interval > 0 ? options->interval : 1);
	if (!err)
		print_summary(run);
	return err ? err : runner_result(&run->runner, options->command);
}

static int run_command(const struct options *options, enum aggregate_what what, int argc,
		       char **argv)
{
	const char *dir = control_dir(options);
	struct measuring run = {
		.options = options,
		.specs = argv,
		.nr_specs = argc,
		.aggregate = { .what = what, .fd = -1 },
		.runner = RUNNER_INIT,
		.what = what,
	};
	const char *name = what == AGGREGATE_TIMES ? "lat" : "count";
	struct error *err = NULL;

	if (!err && argc < 1)
		err = error_new(STATUS_USAGE,
				"%s takes probes, also with patterns: uprobe %s 'p:TARGET:FUNCTION' 'p:TARGET:prefix*'",
				name, name);
	for (int i = 0; !err && i < argc; i++)
		err = aggregate_add_spec(&run.aggregate, argv[i], options);
	if (!err && options->max_probes &&
	    run.aggregate.lines.n > options->max_probes)
		err = error_new(STATUS_USAGE,
				"the probes have %zu places; write a narrower pattern, or a larger --max-probes",
				run.aggregate.lines.n);
	if (!err)
		err = task_filter_check(options);
	if (!err)
		err = control_check(dir);
	run.picture = what != AGGREGATE_HITS && options->output && str_ends(options->output, ".svg");
	grow_heats(&run);
	if (!err)
		err = output_open(options->output, &run.out);
	if (!err)
		err = measure(&run, dir);
	err = output_close(options->output, run.out, err);
	for (size_t i = 0; i < run.nr_heats; i++)
		heat_free(&run.heats[i]);
	free(run.heats);
	traps_free(&run.traps);
	follow_free(&run.follow);
	aggregate_close(&run.aggregate);
	runner_close(&run.runner);
	return error_report(err);
}

int cmd_count(const struct options *options, int argc, char **argv)
{
	return run_command(options, AGGREGATE_HITS, argc, argv);
}

int cmd_lat(const struct options *options, int argc, char **argv)
{
	return run_command(options, AGGREGATE_TIMES, argc, argv);
}

int cmd_hist(const struct options *options, int argc, char **argv)
{
	_cleanup_free_ char *spec = NULL;
	struct error *err;

	if (argc < 1 || argc > 2) {
		err = error_new(STATUS_USAGE,
				"hist takes a probe and a value: uprobe hist libc:malloc bytes=%%di, uprobe hist r:libc:read '$retval'");
		return error_report(err);
	}
	spec = xasprintf("%s%s%s%s%s", argv[0], argc == 2 ? " " : "", argc == 2 ? argv[1] : "",
			 options->by ? " " : "", options->by ? options->by : "");
	return run_command(options, AGGREGATE_VALUES, 1, &spec);
}
