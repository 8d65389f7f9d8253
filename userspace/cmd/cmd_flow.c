// SPDX-License-Identifier: GPL-2.0
/* uprobe flow TARGET:PATTERN... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "elf/text.h"
#include "probe/definitions.h"
#include "probe/return_sites.h"
#include "probe/place.h"
#include "probe/target.h"
#include "symbols/go_symbols.h"
#include "symbols/lookup.h"
#include "symbols/pattern.h"
#include "symbols/runtimes.h"
#include "symbols/short_name.h"
#include "symbols/stack_check.h"
#include "tracer/control.h"
#include "tracer/event_line.h"
#include "tracer/flow.h"
#include "tracer/own_group.h"
#include "tracer/task_filter.h"
#include "tracer/trace.h"
#include "tracer/units.h"
#include "util/error.h"
#include "util/options.h"
#include "util/output.h"
#include "util/probe_spec.h"
#include "util/progress.h"
#include "util/util.h"

/* More functions than this are more often a mistake than not. */
#define MAX_FUNCTIONS 20000

/* The stack pointer, which pairs the entry of a call and its return; in Go, also the goroutine. */
#define SP_ARG "s=%sp:x64"
#define GO_ARGS "s=%sp:x64 g=%r14:x64"

/**
 * struct following - a run of flow
 * @trace: the events: f1 is the entry of function number 1, x1 is its exit; entries have a group of
 *	their own
 * @cap: capacity of @trace.defs
 * @entries: the group of the entries
 * @flow: the calls
 * @ended: @flow is at its end
 * @before: number of events for arguments before
 * @left_out: number of functions whose returns cannot be seen
 */
struct following {
	struct trace trace;
	size_t cap;
	char *entries;
	struct flow flow;
	bool ended;
	size_t before;
	size_t left_out;
};

/* @only: the function is left by return instructions alone */
static struct definition *add_definition(struct following *run, char name, size_t nr, bool only)
{
	struct trace *trace = &run->trace;
	struct definition *def;

	trace->defs = grow(trace->defs, trace->n, &run->cap, sizeof(*trace->defs));
	def = &trace->defs[trace->n++];
	*def = (struct definition) {
		.kind = name == 'x' && !only ? 'r' : 'p',
		.event = xasprintf("%c%zu", name, nr),
		/* In a file that replaces this one, a call must have both its ends. */
		.label = xasprintf("%c %s%s", name, only ? "" : "r ", run->flow.functions[nr].name),
	};
	if (name == 'f')
		def->group = xstrdup(run->trace.begins);
	return def;
}

static void add_place(struct definition *def, const struct elf_image *img, u64 addr, u64 offset)
{
	struct probe_site *site;

	probe_sites_add(&def->sites, img->path, offset, 0,
			go_has_register_abi(img) ? GO_ARGS : SP_ARG);
	site = &def->sites.v[def->sites.n - 1];
	free(site->expected);
	site->expected = text_expected(img, addr);
}

/* Get the position of an address in the file, if an instruction there can be probed. */
static bool place_of(const struct elf_image *img, u64 addr, u64 *offset)
{
	struct error *err = text_check_probable(img, addr);

	if (!err)
		err = elf_image_offset(img, addr, offset);
	error_free(err);
	return !err;
}

/* Check whether the function at a place is followed for an argument before. */
static bool is_followed(const struct following *run, const char *path, u64 offset)
{
	for (size_t i = 0; i < run->before; i++) {
		const struct probe_site *site = &run->trace.defs[i].sites.v[0];

		if (site->offset == offset && run->trace.defs[i].event[0] == 'f' &&
		    !strcmp(site->path, path))
			return true;
	}
	return false;
}

/* Follow a function.  @runtime: its return address must stay, or NULL. */
static void add_function(struct following *run, struct symbols *syms, const struct symbol *sym,
			 const struct runtime *runtime)
{
	const struct elf_image *img = syms->image;
	u64 entry = stack_check_entry(img, sym->addr), offset, start;
	struct definition *def;
	struct return_sites exits;
	bool only, known;
	size_t nr;

	only = return_sites_only(syms, sym, sym->addr, &exits);
	known = place_of(img, entry, &offset) && place_of(img, sym->addr, &start);
	if (!known || (!only && runtime_needs_ret_addr(runtime, sym->name))) {
		run->left_out++;
		return_sites_free(&exits);
		return;
	}
	if (is_followed(run, img->path, offset)) {
		return_sites_free(&exits);
		return;
	}
	nr = flow_add_function(&run->flow, short_name(sym->name), !only);
	add_place(add_definition(run, 'f', nr, only), img, entry, offset);
	def = add_definition(run, 'x', nr, only);
	for (size_t i = 0; only && i < exits.returns.n; i++)
		add_place(def, img, exits.returns.v[i].addr, exits.returns.v[i].offset);
	if (!only)
		add_place(def, img, sym->addr, start);
	return_sites_free(&exits);
}

static struct error *add_spec(struct following *run, const char *text,
			      const struct options *options)
{
	char *full = is_probe_spec(text) ? xstrdup(text) : xasprintf("p:%s", text);
	const struct runtime *runtime;
	struct matches found = { 0 };
	struct progress progress;
	struct probe_spec spec;
	struct target target;
	struct symbols syms;
	struct error *err = probe_spec_parse(full, &spec);

	free(full);
	if (err)
		return err;
	if (spec.kind != 'p' || *spec.args || spec.event)
		err = error_new(STATUS_USAGE,
				"flow takes TARGET:FUNCTION, also with a pattern, and no arguments: uprobe flow 'libc:mem*'");
	/* Leave out the functions whose returns cannot be probed. */
	spec.kind = 'r';
	if (!err)
		err = definition_target(&spec, options, &target, &syms);
	if (err) {
		probe_spec_free(&spec);
		return err;
	}
	err = pattern_find(&spec, &syms, &found);
	pattern_report_stripped(&syms, &found);
	runtime = options->force & FORCE_GO ? NULL : runtime_of(syms.image);
	run->before = run->trace.n;
	progress_begin(&progress, "functions looked at");
	for (size_t i = 0; i < found.n && !err; i++) {
		progress_step(&progress, i, found.n);
		add_function(run, &syms, found.v[i], runtime);
	}
	progress_end(&progress);
	matches_free(&found);
	symbols_free(&syms);
	target_close(&target);
	probe_spec_free(&spec);
	return err;
}

/* Find the functions in files that have replaced others.  They are known already. */
static struct error *add_again(struct trace *trace, const char *text)
{
	struct following run = { .trace = *trace, .cap = trace->n };
	struct error *err = add_spec(&run, text, trace->options);

	*trace = run.trace;
	flow_free(&run.flow);
	return err;
}

/* Convert a time as it stands in the line: SECONDS.NANOSECONDS. */
static u64 event_time(const struct event_line *event)
{
	char *end;
	u64 seconds = strtoull(event->time, &end, 10);

	return seconds * 1000000000 + (*end == '.' ? strtoull(end + 1, NULL, 10) : 0);
}

static void handle(void *data, const struct event_line *line)
{
	struct following *run = data;
	struct flow_event event = {
		.tid = line->tid, .pid = line->pid, .comm = line->comm, .comm_len = line->comm_len,
		.time = event_time(line),
	};
	char *end;

	event.function = strtoull(line->event + 1, &end, 10);
	if (end != line->event + line->event_len || event.function >= run->flow.nr_functions ||
	    !line->n)
		return;
	event.sp = strtoull(line->values[0].text, NULL, 16);
	event.goroutine = line->n > 1 ? strtoull(line->values[1].text, NULL, 16) : 0;
	event.behind = line->is_return;
	run->flow.ending = run->trace.ending;
	if (line->event[0] == 'f')
		flow_enter(&run->flow, &event);
	else
		flow_leave(&run->flow, &event);
}

/* The same for a hit that comes in a block. */
static void handle_hit(void *data, const struct unit_hit *hit)
{
	const struct uprobes_unit_block *block = hit->block;
	struct following *run = data;
	struct flow_event event = {
		.tid = block->pid, .pid = block->tgid, .comm = block->comm,
		.comm_len = strnlen(block->comm, sizeof(block->comm)), .time = hit->time,
	};

	event.function = strtoull(hit->event->name + 1, NULL, 10);
	if (event.function >= run->flow.nr_functions || !hit->event->n)
		return;
	event.sp = unit_value(hit, &hit->event->args[0]);
	if (hit->event->n > 1)
		event.goroutine = unit_value(hit, &hit->event->args[1]);
	run->flow.ending = run->trace.ending;
	if (hit->event->name[0] == 'f')
		flow_enter(&run->flow, &event);
	else
		flow_leave(&run->flow, &event);
}

static void finish(void *data)
{
	struct following *run = data;

	if (!run->ended) {
		run->flow.lost = run->trace.lost;
		flow_end(&run->flow);
	}
	run->ended = true;
}

static struct error *follow(struct following *run)
{
	const struct options *options = run->trace.options;
	struct trace *trace = &run->trace;
	struct error *err;

	err = control_session(trace->dir, &trace->session);
	if (!err && trace->session < 0)
		err = error_new(STATUS_DENIED,
				"%s has no sessions: flow needs the uprobes module", trace->dir);
	if (!err)
		err = output_open(options->output, &trace->out);
	if (!err) {
		run->flow.out = trace->out;
		run->flow.colored = output_colored(trace->out, options);
		flow_begin(&run->flow);
		err = trace_run(trace);
		finish(run);
	}
	if (trace->session >= 0)
		close(trace->session);
	if (trace->lost && !err)
		remark("the calls are not complete: events were lost, so some have no return, or no entry; try --buffer %llu",
		       (unsigned long long)trace_larger_buffer(options->buffer_kb));
	else if (run->flow.left && !err)
		remark("%llu calls ended without a return: by an exception, or longjmp()",
		       (unsigned long long)run->flow.left);
	return output_close(options->output, trace->out, err);
}

static struct error *prepare(struct following *run, int argc, char **argv)
{
	const struct options *options = run->trace.options;
	u64 max = options->max_probes ? options->max_probes : MAX_FUNCTIONS;
	struct error *err = NULL;

	if (!err && !argc)
		err = error_new(STATUS_USAGE,
				"flow takes functions, also as patterns: uprobe flow -c CMD 'TARGET:*'");
	for (int i = 0; i < argc && !err; i++)
		err = add_spec(run, argv[i], options);
	if (!err && !run->flow.nr_functions)
		err = error_new(STATUS_REFUSED,
				"none of these functions can be followed: their return addresses must stay, and they are not left by return instructions alone; trace calls: uprobe p:TARGET:FUNCTION");
	if (!err && run->left_out)
		remark("%zu functions are left out: their returns cannot be seen", run->left_out);
	if (!err && run->flow.nr_functions > max)
		err = definitions_too_many(run->flow.nr_functions, max);
	if (!err)
		err = task_filter_check(options);
	return err ? err : control_check(run->trace.dir);
}

static bool wants_json(const struct options *options)
{
	return options->json || (options->output && str_ends(options->output, ".json"));
}

static enum flow_form form_of(const struct options *options)
{
	if (options->summary)
		return FLOW_SUMMARY;
	return wants_json(options) ? FLOW_JSON : FLOW_TEXT;
}

/* Room for the calls of a busy program, in kilobytes of all processors, and of each. */
#define BUFFER_ALL	131072
#define BUFFER_LEAST	4096
#define BUFFER_MOST	65536

static u64 default_buffer(void)
{
	u64 kb = BUFFER_ALL / (u64)sysconf(_SC_NPROCESSORS_CONF);

	return kb < BUFFER_LEAST ? BUFFER_LEAST : kb > BUFFER_MOST ? BUFFER_MOST : kb;
}

int cmd_flow(const struct options *given, int argc, char **argv)
{
	_cleanup_free_ char *what = NULL;
	struct options own = *given, *options = &own;
	struct following run = {
		.trace = {
			.options = options, .dir = control_dir(options), .group = own_group(),
			.session = -1, .handle = handle, .handle_hit = handle_hit,
			.finish = finish, .data = &run,
			.specs = argv, .nr_specs = argc, .add = add_again,
		},
		.flow = {
			.form = form_of(options), .json = wants_json(options),
			.apart = options->apart, .depth = options->depth,
			.min = (u64)(options->min * 1e9), .top = options->top,
		},
	};
	struct error *err;

	run.entries = xasprintf("%s_begin", run.trace.group);
	run.trace.begins = run.entries;
	err = prepare(&run, argc, argv);
	if (!own.buffer_kb)
		own.buffer_kb = default_buffer();
	what = xasprintf("Following %zu function%s", run.flow.nr_functions,
			 run.flow.nr_functions == 1 ? "" : "s");
	run.trace.what = what;
	if (!err)
		err = follow(&run);
	for (size_t i = 0; i < run.trace.n; i++)
		definition_free(&run.trace.defs[i]);
	free(run.trace.defs);
	free(run.trace.group);
	free(run.entries);
	flow_free(&run.flow);
	return error_report(err);
}
