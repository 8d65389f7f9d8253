// SPDX-License-Identifier: GPL-2.0
/* What a run says at its beginning and at its end. */
#include "trace_report.h"

#include <stdio.h>
#include <string.h>

#include "control.h"
#include "explain.h"
#include "host/readers.h"
#include "listing.h"
#include "trace.h"
#include "trace_define.h"
#include "util/error.h"
#include "util/options.h"
#include "util/util.h"

/** trace_print_end() - end the banner: how the run ends */
void trace_print_end(const struct trace *trace)
{
	if (trace->options->seconds > 0)
		fprintf(stderr, " for %g seconds.\n", trace->options->seconds);
	else
		fputs(". Ctrl-C to end.\n", stderr);
}

/**
 * trace_banner() - print what is traced
 * @trace: the run
 */
void trace_banner(const struct trace *trace)
{
	if (trace->handle) {
		fputs(trace->what, stderr);
		trace_print_end(trace);
		return;
	}
	for (size_t i = 0; i < trace->n; i++) {
		_cleanup_free_ char *line = definition_line(&trace->defs[i], 0,
							     trace->defs[i].group);
		const struct definition *def = &trace->defs[i];

		fprintf(stderr, "Tracing uprobe %s (%s", def->event, line);
		if (def->sites.n > 1)
			fprintf(stderr, " and %zu more", def->sites.n - 1);
		fputs(i + 1 < trace->n ? ").\n" : ")", stderr);
	}
	trace_print_end(trace);
	if (trace->options->header && !trace->options->json)
		fprintf(trace->out, "#           TASK-PID     CPU#%s  TIMESTAMP  FUNCTION\n",
			trace->options->long_lines ? "  FLAGS" : "");
}

/* Compare groups, too: other users can have events of the same name in their groups. */
static struct counts listed_counts(const struct trace *trace)
{
	struct counts total = { 0 };
	struct listing listing;

	error_free(listing_read(trace->dir, &listing));
	for (size_t i = 0; i < listing.n; i++) {
		const struct listed *site = &listing.v[i];

		for (size_t j = 0; j < trace->n; j++) {
			const struct definition *def = &trace->defs[j];

			if (strcmp(def->event, site->event) ||
			    strcmp(trace_group(trace, def), site->group))
				continue;
			total.hits += site->counts.hits;
			total.missed += site->counts.missed;
		}
	}
	listing_free(&listing);
	return total;
}

/** trace_files() - list the files that are probed */
void trace_files(const struct trace *trace, struct paths *files)
{
	for (size_t i = 0; i < trace->n; i++)
		for (size_t j = 0; j < trace->defs[i].sites.n; j++)
			readers_add_file(files, &trace->defs[i].sites.v[j]);
}

/** trace_places() - count the places that are probed */
size_t trace_places(const struct trace *trace)
{
	size_t n = 0;

	for (size_t i = 0; i < trace->n; i++)
		n += trace->defs[i].sites.n;
	return n;
}

/**
 * trace_summary() - print how many events there were
 * @trace: the run, at its end
 */
void trace_summary(const struct trace *trace)
{
	struct paths files = { 0 };
	struct counts counts = trace->session >= 0 ?
			       control_session_counts(trace->session) :
			       listed_counts(trace);

	fprintf(stderr,
		"Ending tracing... %llu events%s, %llu hits, %llu missed, %llu lost.\n",
		(unsigned long long)trace->shown, trace->handle ? "" : " shown",
		(unsigned long long)counts_asked_for(&counts),
		(unsigned long long)counts.missed,
		(unsigned long long)trace->lost);
	if (trace->unknown)
		remark("%llu events are not shown: their tasks ended before they were seen",
		       (unsigned long long)trace->unknown);
	if (trace->foreign)
		remark("%llu events of other users of the tracer were there; they are not shown",
		       (unsigned long long)trace->foreign);
	if (trace->unwanted && !trace->shown)
		remark("%llu events of other tasks are not shown",
		       (unsigned long long)trace->unwanted);
	explain_drops(&counts, trace->options, trace->filters.n);
	if (!counts_asked_for(&counts)) {
		trace_files(trace, &files);
		explain_nothing(&files, trace->options, counts.hits);
		paths_free(&files);
	}
}
