// SPDX-License-Identifier: GPL-2.0
#include "trace_define.h"

#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "follow.h"
#include "runner.h"
#include "trace.h"
#include "util/error.h"
#include "util/progress.h"
#include "util/util.h"

/** trace_group() - get the group of an event */
const char *trace_group(const struct trace *trace, const struct definition *def)
{
	return def->group ? def->group : trace->group;
}

/**
 * struct batch - lines for a session that are still to be written
 * @lines: the lines
 * @len: characters of them, newlines included
 */
struct batch {
	struct paths lines;
	size_t len;
};

static struct error *batch_write(const struct trace *trace, struct batch *batch)
{
	struct error *err = NULL;

	if (batch->lines.n)
		err = control_session_define(trace->dir, trace->session, batch->lines.v,
					     batch->lines.n);
	paths_free(&batch->lines);
	*batch = (struct batch){ 0 };
	return err;
}

static struct error *batch_add(const struct trace *trace, struct batch *batch, const char *line)
{
	size_t len = strlen(line) + 1;
	struct error *err = NULL;

	if (batch->len + len > CONTROL_CHUNK)
		err = batch_write(trace, batch);
	if (!err)
		paths_add(&batch->lines, line);
	batch->len += len;
	return err;
}

static struct error *define_site(struct trace *trace, struct batch *batch,
				 const struct definition *def, size_t site)
{
	_cleanup_free_ char *line = NULL;
	const char *group = trace_group(trace, def);

	/* Only the module has sessions, and only the module checks the expected bytes. */
	line = trace->session >= 0 ? definition_checked_line(def, site, group) :
				     definition_line(def, site, group);
	return trace->session >= 0 ? batch_add(trace, batch, line) :
				     control_define(trace->dir, line);
}

/**
 * trace_define() - define all events of a run
 * @trace: the run; call trace_remove() after an error, too
 */
struct error *trace_define(struct trace *trace)
{
	struct batch batch = { 0 };
	struct progress progress;
	struct error *err = NULL;

	progress_begin(&progress, "events defined");
	for (size_t i = 0; i < trace->n && !err; i++) {
		const struct definition *def = &trace->defs[i];

		progress_step(&progress, i, trace->n);
		if (trace->runner && i % 64 == 0)
			runner_handle(trace->runner);
		if (trace->runner && trace->runner->stop)
			break;
		for (size_t site = 0; site < def->sites.n && !err; site++) {
			err = define_site(trace, &batch, def, site);
			if (!err && trace->session < 0)
				trace->defined = i + 1;
		}
	}
	if (!err)
		err = batch_write(trace, &batch);
	progress_end(&progress);
	paths_free(&batch.lines);
	return err;
}

/**
 * trace_remove() - remove the events that trace_define() defined
 * @trace: the run
 */
void trace_remove(struct trace *trace)
{
	while (trace->defined) {
		const struct definition *def = &trace->defs[--trace->defined];
		const char *group = trace_group(trace, def);

		error_free(control_enable(trace->dir, group, def->event, false));
		error_report(control_remove(trace->dir, group, def->event));
	}
}

/* Keep only the sites in files that were just replaced. */
static void keep_changed(struct probe_sites *sites, const struct follow *follow)
{
	struct probe_sites kept = { 0 }, rest = { 0 };

	for (size_t i = 0; i < sites->n; i++) {
		_cleanup_free_ char *file = probe_site_file(&sites->v[i]);
		struct probe_sites *to = follow_has(follow, file) ? &kept : &rest;

		to->v = grow(to->v, to->n, &to->cap, sizeof(*to->v));
		to->v[to->n++] = sites->v[i];
	}
	free(sites->v);
	*sites = kept;
	probe_sites_free(&rest);
}

static const char *label_of(const struct definition *def)
{
	return def->label ? def->label : def->event;
}

/*
 * Find the definition that @def, of a replaced file, belongs to.  They mostly come in the same
 * order: begin at *@at, and move that on.
 */
static struct definition *find_old(const struct trace *trace, const struct definition *def,
				   size_t *at)
{
	for (size_t i = 0; i < trace->n; i++) {
		struct definition *old = &trace->defs[(*at + i) % trace->n];

		if (old->kind != def->kind || strcmp(label_of(old), label_of(def)))
			continue;
		*at = (*at + i + 1) % trace->n;
		return old;
	}
	return NULL;
}

/* Give the new definitions the events of the old ones.  Return how many have none. */
static size_t join_old(const struct trace *trace, struct trace *next, const struct follow *follow)
{
	size_t at = 0, others = 0;

	for (size_t i = 0; i < next->n; i++) {
		struct definition *def = &next->defs[i], *old = find_old(trace, def, &at);

		keep_changed(&def->sites, follow);
		if (!old) {
			others += def->sites.n > 0;
			probe_sites_free(&def->sites);
			continue;
		}
		free(def->event);
		def->event = xstrdup(old->event);
	}
	return others;
}

/* The stacks of later hits are in the new files. */
static void add_places(struct trace *trace, struct trace *next)
{
	size_t at = 0;

	for (size_t i = 0; i < next->n; i++) {
		struct definition *old = find_old(trace, &next->defs[i], &at);

		if (old)
			probe_sites_move(&old->sites, &next->defs[i].sites);
	}
}

/**
 * trace_follow() - if probed files were replaced, define the same events in the new ones
 * @trace: the run, in a session
 * @follow: the probed files
 */
void trace_follow(struct trace *trace, struct follow *follow)
{
	struct trace next = *trace;
	struct error *err = NULL;
	size_t others, n = 0;

	if (!follow_look(follow))
		return;
	next.defs = NULL;
	next.n = 0;
	for (int i = 0; i < trace->nr_specs; i++) {
		if (!follow_takes(follow, trace->specs[i]))
			continue;
		err = trace->add(&next, trace->specs[i]);
		if (err)
			follow_report(follow, err);
	}
	others = join_old(trace, &next, follow);
	for (size_t i = 0; i < next.n; i++)
		n += next.defs[i].sites.n;
	err = trace_define(&next);
	if (err || n)
		follow_report(follow, err);
	if (others)
		remark("%zu functions of the new file are not probed, as the old one does not have them",
		       others);
	add_places(trace, &next);
	for (size_t i = 0; i < next.n; i++)
		definition_free(&next.defs[i]);
	free(next.defs);
}
