// SPDX-License-Identifier: GPL-2.0
/* uprobe stacks PROBE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "probe/definitions.h"
#include "symbols/debug_file.h"
#include "tracer/call_tree.h"
#include "tracer/control.h"
#include "tracer/event_line.h"
#include "tracer/flame.h"
#include "host/process.h"
#include "host/readers.h"
#include "tracer/own_group.h"
#include "tracer/runner.h"
#include "tracer/stacks.h"
#include "tracer/aggregate.h"
#include "tracer/task_filter.h"
#include "tracer/trace.h"
#include "tracer/trace_report.h"
#include "util/error.h"
#include "util/options.h"
#include "util/output.h"
#include "util/probe_spec.h"
#include "util/util.h"

/* Number of paths of a table without --top. */
#define TOP_DEFAULT 20

/* Room for the stacks of a busy program, in kilobytes for each processor. */
#define BUFFER_DEFAULT 16384

/* The tracer gives no longer stacks. */
#define FRAMES_MAX 256

/**
 * struct counting - a run of stacks
 * @trace: the events
 * @stacks: tasks and files, to name the addresses
 * @tree: the stacks so far
 * @names: the functions of the stack of the last event, the innermost one first
 * @n: number of @names
 * @comm: the task of that event; NULL before the first one
 * @process: the name of the process of -p
 * @has_buffer: --buffer is given
 * @title: of a picture
 */
struct counting {
	struct trace trace;
	struct stacks stacks;
	struct call_node tree;
	char *names[FRAMES_MAX + 1];
	size_t n;
	char *comm;
	char process[64];
	bool has_buffer;
	char *title;
};

/* Count the stack of the last event, which is complete. */
static void count_last(struct counting *run)
{
	if (!run->comm)
		return;
	run->names[run->n++] = run->comm;
	call_tree_add(&run->tree, run->names, run->n, 1);
	while (run->n)
		free(run->names[--run->n]);
	run->comm = NULL;
}

static const struct definition *definition_of(const struct counting *run,
					      const struct event_line *event)
{
	/* Its name is s and its number. */
	u64 nr = strtoull(event->event + 1, NULL, 10);

	return nr < run->trace.n ? &run->trace.defs[nr] : NULL;
}

/*
 * An address of the last event's stack.  The first one is that of the probe, or of the function
 * that has returned.
 */
static void handle_frame(void *data, u64 addr)
{
	struct counting *run = data;
	struct frame_name name;

	if (!run->comm || run->n == FRAMES_MAX)
		return;
	stacks_name(&run->stacks, addr, run->n > 0, &name);
	if (name.function) {
		run->names[run->n] = name.function;
	} else if (name.object) {
		const char *base = strrchr(name.object, '/');

		run->names[run->n] = xasprintf("[%s]", base ? base + 1 : name.object);
	} else {
		run->names[run->n] = xstrdup("[unknown]");
	}
	run->n++;
}

static void handle(void *data, const struct event_line *event)
{
	struct counting *run = data;
	const struct definition *def = definition_of(run, event);

	count_last(run);
	if (!def)
		return;
	stacks_event(&run->stacks, event, &def->sites);
	run->comm = xstrndup(event->comm, event->comm_len);
	/* Behind a return, the stack is that of the caller. */
	if (event->is_return)
		handle_frame(run, event->func);
}

static struct error *add_spec(struct trace *trace, const char *text)
{
	const struct options *options = trace->options;
	char *full = is_probe_spec(text) ? xstrdup(text) : xasprintf("p:%s", text);
	struct definitions defs = { 0 };
	struct probe_spec spec;
	struct error *err = definition_parse(full, options, &spec);

	free(full);
	if (err)
		return err;
	err = definitions_make(&spec, options, options->max_probes ? options->max_probes : 1000,
			       &defs);
	probe_spec_free(&spec);
	trace->defs = xreallocarray(trace->defs, trace->n + defs.n + 1, sizeof(*trace->defs));
	for (size_t i = 0; i < defs.n; i++) {
		/* The name is for us alone. */
		free(defs.v[i].label);
		defs.v[i].label = defs.v[i].event;
		defs.v[i].event = xasprintf("s%zu", trace->n);
		trace->defs[trace->n++] = defs.v[i];
	}
	free(defs.v);
	return err;
}

/* The stacks are complete. */
static void print(void *data)
{
	struct counting *run = data;
	const struct options *options = run->trace.options;
	size_t top = options->top ? options->top : TOP_DEFAULT, hidden;

	count_last(run);
	call_tree_sort(&run->tree);
	if (options->folded) {
		call_tree_folded(&run->tree, run->trace.out);
	} else if (options->output && str_ends(options->output, ".svg")) {
		flame_draw(&run->tree, run->title, run->trace.out);
		fprintf(stderr, "%s is a flame graph: open it in a browser\n", options->output);
	} else {
		hidden = call_tree_table(&run->tree, top, run->trace.out,
					 options->json);
		if (hidden)
			remark("%zu more paths lead there; --top %zu shows them", hidden,
			       top + hidden);
	}
}

/* A line about a stack that the module has counted: "stack kN HITS PID ADDRESS...". */
static void take_stack(void *data, const char *line)
{
	struct counting *run = data;
	unsigned long long hits, i;
	struct event_line event;
	char *p, *end;

	p = strchr(line + strlen("stack "), ' ');
	if (!p)
		return;
	hits = strtoull(p, &p, 10);
	strtoull(p, &p, 10);
	event = (struct event_line) {
		.comm = run->process, .comm_len = strlen(run->process),
		.tid = run->trace.options->pid,
	};
	event.addr = strtoull(p, NULL, 16);
	stacks_note(&run->stacks, &event);
	stacks_event(&run->stacks, &event, &run->trace.defs[0].sites);
	run->comm = xstrdup(run->process);
	for (; (i = strtoull(p, &end, 16)) && end != p; p = end)
		handle_frame(run, i);
	run->names[run->n++] = run->comm;
	call_tree_add(&run->tree, run->names, run->n, hits);
	while (run->n)
		free(run->names[--run->n]);
	run->comm = NULL;
}

/* How often to look at the mappings of a process, in milliseconds: it may load libraries or end. */
#define LOOK_INTERVAL 1000

/* Wait for the end of the run, and take the stacks that the module has counted. */
static struct error *count_until_end(struct counting *run, struct aggregate *aggregate,
				     struct runner *runner)
{
	const struct options *options = run->trace.options;
	struct error *err = NULL;
	u64 hits = 0, missed = 0;

	fputs("Counting stacks in the kernel", stderr);
	trace_print_end(&run->trace);
	runner_release(runner, options->seconds);
	while (!err && !runner->stop) {
		stacks_task(&run->stacks, options->pid, run->process);
		err = runner_wait(runner, LOOK_INTERVAL);
	}
	stacks_task(&run->stacks, options->pid, run->process);
	if (!err)
		err = aggregate_read(aggregate);
	for (size_t i = 0; i < aggregate->n; i++) {
		hits += aggregate->v[i].counts.hits;
		missed += aggregate->v[i].counts.missed;
	}
	if (!err) {
		print(run);
		fflush(run->trace.out);
		fprintf(stderr, "Ending... %llu hits, %llu missed, or of more than 4096 stacks.\n",
			(unsigned long long)hits, (unsigned long long)missed);
		aggregate_report_missing(aggregate);
	}
	return err;
}

/* Have the module count the stacks of a process. */
static struct error *count_in_kernel(struct counting *run, struct readers *none)
{
	const struct options *options = run->trace.options;
	struct aggregate aggregate = { .fd = -1, .stack = take_stack, .data = run };
	struct runner runner = RUNNER_INIT;
	struct error *err = runner_open(&runner);

	for (size_t i = 0; i < run->trace.n; i++) {
		const struct probe_sites *sites = &run->trace.defs[i].sites;
		char *place = probe_site_place(&sites->v[0]);

		aggregate_add(&aggregate, place);
		free(place);
		for (size_t k = 0; k < sites->n; k++)
			aggregate_add_site(&aggregate, i, 'p', &sites->v[k],
					   sites->v[k].entry ? " stack=entry" : " stack=any");
	}
	if (!err)
		err = aggregate_attach(&aggregate, run->trace.dir, options, 0, none, &runner);
	if (!err && !runner_stopped(&runner))
		err = count_until_end(run, &aggregate, &runner);
	aggregate_close(&aggregate);
	runner_close(&runner);
	return err;
}

/* Check whether all stacks are of one process, whose mappings are known, and none of a return. */
static bool can_count_in_kernel(struct counting *run)
{
	_cleanup_free_ char *name = process_name(run->trace.options->pid);
	const struct options *options = run->trace.options;
	bool can = options->pid && !options->follow && !options->command &&
		   !options->max_events && *name;

	snprintf(run->process, sizeof(run->process), "%s", name);
	for (size_t i = 0; i < run->trace.n; i++) {
		can = can && run->trace.defs[i].kind == 'p';
		for (size_t k = 0; k < run->trace.defs[i].sites.n; k++)
			can = can && !*run->trace.defs[i].sites.v[k].args;
	}
	return can;
}

static struct error *count(struct counting *run)
{
	const struct options *options = run->trace.options;
	struct trace *trace = &run->trace;
	struct readers none = { 0 };
	struct error *err;
	bool in_kernel;

	in_kernel = can_count_in_kernel(run);
	if (in_kernel && run->has_buffer)
		remark("--buffer has no effect: the stacks of one process are counted in the kernel");
	err = in_kernel ? NULL : control_session(trace->dir, &trace->session);
	if (!err && !in_kernel && trace->session < 0)
		err = error_new(STATUS_DENIED,
				"%s has no sessions: stacks needs the uprobes module", trace->dir);
	if (!err)
		err = output_open(options->output, &trace->out);
	if (!err)
		err = in_kernel ? count_in_kernel(run, &none) : trace_run(trace);
	if (trace->session >= 0)
		close(trace->session);
	return output_close(options->output, trace->out, err);
}

int cmd_stacks(const struct options *given, int argc, char **argv)
{
	struct options options = *given;
	struct counting run = {
		.trace = {
			.options = &options, .dir = control_dir(&options), .group = own_group(),
			.session = -1, .handle = handle, .handle_frame = handle_frame,
			.finish = print, .data = &run, .what = "Counting stacks",
			.stacks = &run.stacks, .specs = argv, .nr_specs = argc, .add = add_spec,
		},
		.stacks.brief = true,
		.tree.name = xstrdup("all"),
		.has_buffer = given->buffer_kb,
	};
	struct error *err = NULL;

	options.stacks = true;
	if (!options.buffer_kb)
		options.buffer_kb = BUFFER_DEFAULT;
	run.stacks.debug_dir = options.debug_dir ? options.debug_dir : DEBUG_DIR;
	if (!err && !argc)
		err = error_new(STATUS_USAGE, "stacks takes probes: uprobe stacks -d 5 p:libc:malloc");
	for (int i = 0; i < argc && !err; i++)
		err = add_spec(&run.trace, argv[i]);
	if (!err)
		err = task_filter_check(&options);
	if (!err)
		err = control_check(run.trace.dir);
	run.title = xasprintf("Call paths of %s", argc ? argv[0] : "");
	if (!err)
		err = count(&run);
	free(run.title);
	for (size_t i = 0; i < run.trace.n; i++)
		definition_free(&run.trace.defs[i]);
	free(run.trace.defs);
	free(run.trace.group);
	stacks_free(&run.stacks);
	call_tree_free(&run.tree);
	return error_report(err);
}
