// SPDX-License-Identifier: GPL-2.0
/* uprobe [OPTIONS] SPEC [FILTER] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "probe/definitions.h"
#include "tracer/control.h"
#include "util/error.h"
#include "probe/fields.h"
#include "probe/filter.h"
#include "util/output.h"
#include "probe/place.h"
#include "tracer/own_group.h"
#include "util/probe_spec.h"
#include "tracer/task_filter.h"
#include "tracer/trace.h"
#include "tracer/trace_define.h"
#include "util/util.h"

/* Give the event a distinct name: two probes with one name are two events. */
static void make_distinct(struct trace *trace, struct definition *def)
{
	_cleanup_free_ char *plain = xstrdup(def->event);

	for (int i = 1;; i++) {
		size_t j;

		for (j = 0; j < trace->n; j++)
			if (!strcmp(trace->defs[j].event, def->event))
				break;
		if (j == trace->n)
			break;
		free(def->event);
		def->event = i == 1 && def->kind == 'r' ?
			     xasprintf("%.50s__return", plain) :
			     xasprintf("%.50s_%d", plain, i + 1);
	}
}

/* More places than this are more often a mistake than not. */
#define MAX_PROBES 1000

static u64 max_probes(const struct options *options)
{
	return options->max_probes ? options->max_probes : MAX_PROBES;
}

static struct error *check_number(const struct trace *trace,
				  const struct options *options)
{
	u64 max = max_probes(options), n = 0;

	for (size_t i = 0; i < trace->n; i++)
		n += trace->defs[i].sites.n;
	return n > max ? definitions_too_many(n, max) : NULL;
}

/*
 * Refuse sites in memory if the tracer is the kernel's own: it accepts the definition, but then
 * the event cannot be enabled.
 */
static struct error *check_memory(const struct trace *trace)
{
	if (control_has(trace->dir, "session"))
		return NULL;
	for (size_t i = 0; i < trace->n; i++)
		if (trace->defs[i].in_memory)
			return error_new(STATUS_REFUSED,
					 "%s is in the memory of a process, as its vDSO is, and in no file, and the tracer in %s probes files only; leave --control out",
					 trace->defs[i].event, trace->dir);
	return NULL;
}

/* Refuse types that the kernel's own tracer does not know: it may accept them silently. */
static struct error *check_types(const struct trace *trace)
{
	static const char *const ours[] = {
		":string(", ":string16", ":string32",
	};

	if (control_has(trace->dir, "session"))
		return NULL;
	for (size_t i = 0; i < trace->n; i++)
		for (size_t j = 0; j < ARRAY_SIZE(ours); j++)
			if (strstr(trace->defs[i].sites.v[0].args, ours[j]))
				return error_new(STATUS_REFUSED,
						 "the arguments of %s have a type like \"%s\", which the tracer in %s does not know; leave --control out, or fetch the pointer and the length by themselves",
						 trace->defs[i].event,
						 ours[j] + 1, trace->dir);
	return NULL;
}

static struct error *add_spec(struct trace *trace, const char *text)
{
	const struct options *options = trace->options;
	struct definitions defs = { 0 };
	char *full = probe_spec_full(text);
	struct probe_spec spec;
	struct error *err = definition_parse(full, options, &spec);

	free(full);
	if (err)
		return err;
	err = definitions_make(&spec, options, max_probes(options), &defs);
	probe_spec_free(&spec);
	trace->defs = xreallocarray(trace->defs, trace->n + defs.n + 1,
				    sizeof(*trace->defs));
	for (size_t i = 0; i < defs.n; i++) {
		if (!defs.v[i].named)
			make_distinct(trace, &defs.v[i]);
		trace->defs[trace->n++] = defs.v[i];
	}
	free(defs.v);
	return err;
}

/* Check the filter: a filter for a field that an event does not have would hide all hits. */
static struct error *add_filters(struct trace *trace, const char *text)
{
	struct filter *filter;
	struct error *err = filter_parse(text, &filter);

	for (size_t i = 0; i < trace->n && !err; i++) {
		const struct definition *def = &trace->defs[i];
		struct fields fields;
		char *fitting;

		definition_fields(def, &fields);
		err = filter_fit(filter, def->event, &fields, &fitting);
		if (!err) {
			paths_add(&trace->filters, fitting);
			free(fitting);
		}
		fields_free(&fields);
	}
	filter_free(filter);
	return err;
}

static void free_trace(struct trace *trace)
{
	for (size_t i = 0; i < trace->n; i++)
		definition_free(&trace->defs[i]);
	free(trace->defs);
	free(trace->group);
	paths_free(&trace->filters);
}

/* For -v, print the formats of the records and do not trace. */
static struct error *show_formats(struct trace *trace)
{
	struct error *err = trace_define(trace);

	for (size_t i = 0; i < trace->n && !err; i++) {
		const struct definition *def = &trace->defs[i];
		char *file = control_event_file(trace_group(trace, def),
						def->event, "format");
		char *text;

		err = control_read(trace->dir, file, &text);
		if (!err) {
			fputs(text, trace->out);
			free(text);
		}
		free(file);
	}
	trace_remove(trace);
	return err;
}

static struct error *prepare(struct trace *trace, int argc, char **argv)
{
	const struct options *options = trace->options;
	struct error *err = NULL;
	int i;

	for (i = 0; i < argc && !err; i++) {
		char *full = probe_spec_full(argv[i]);
		bool probe = is_probe_spec(full);

		if (probe)
			err = add_spec(trace, argv[i]);
		free(full);
		if (!probe)
			break;
	}
	trace->specs = argv;
	trace->nr_specs = i;
	if (!err && !trace->n)
		err = error_new(STATUS_USAGE,
				"trace takes probes: uprobe trace 'p:TARGET:FUNCTION ARGS' ['FILTER']");
	if (!err)
		err = check_number(trace, options);
	if (!err && i + 1 < argc)
		err = error_new(STATUS_USAGE,
				"\"%s\" is one argument too many; a probe with its arguments is one word, in quotes: uprobe 'p:libc:sleep %%di' ['FILTER']",
				argv[i + 1]);
	if (!err && i < argc)
		err = add_filters(trace, argv[i]);
	if (!err)
		err = task_filter_check(options);
	if (!err)
		err = control_check(trace->dir);
	if (!err)
		err = check_memory(trace);
	if (!err)
		err = check_types(trace);
	return err;
}

/* Switch tracing on: without it, the empty pipe would look like probes that are never hit. */
static struct error *switch_on(const struct trace *trace)
{
	_cleanup_free_ char *text = NULL;
	struct error *err = control_read(trace->dir, "tracing_on", &text);

	if (err)
		return err;
	if (text[0] == '0') {
		remark("tracing was off in %s and is switched on", trace->dir);
		err = control_write(trace->dir, "tracing_on", "1");
	}
	return err;
}

int cmd_trace(const struct options *options, int argc, char **argv)
{
	struct trace trace = {
		.options = options,
		.dir = control_dir(options),
		.group = own_group(),
		.session = -1,
		.add = add_spec,
	};
	struct error *err;

	err = prepare(&trace, argc, argv);
	if (!err && !options->verbose)
		err = control_session(trace.dir, &trace.session);
	if (!err && options->stacks && trace.session < 0) {
		if (control_has(trace.dir, "options/userstacktrace"))
			err = control_write(trace.dir, "options/userstacktrace",
					    "1");
		else
			err = error_new(STATUS_RUNTIME,
					"this tracer records no user stacks; trace without -s");
	}
	if (!err)
		err = output_open(options->output, &trace.out);
	if (!err && options->verbose) {
		err = show_formats(&trace);
	} else if (!err) {
		if (trace.session < 0)
			err = switch_on(&trace);
		if (!err)
			err = trace_run(&trace);
	}
	if (trace.session >= 0)
		close(trace.session);
	err = output_close(options->output, trace.out, err);
	free_trace(&trace);
	return error_report(err);
}
