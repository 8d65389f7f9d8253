// SPDX-License-Identifier: GPL-2.0
/* Refuse options without an effect: a user who gives one expects an effect. */
#include "misused.h"

#include "place.h"
#include "util/options.h"
#include "util/error.h"
#include "util/util.h"

static struct error *first_given(const char *what, const struct misused *v,
				 size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (v[i].given)
			return error_new(STATUS_USAGE,
					 "%s does nothing with %s; leave it out%s",
					 v[i].option, what, v[i].instead);
	return NULL;
}

/* Check for a name of the output file. */
static bool ends(const struct options *options, const char *suffix)
{
	return options->output && str_ends(options->output, suffix);
}

/**
 * misused_in_trace() - refuse options without an effect when events are shown
 * @options: of the command line
 */
struct error *misused_in_trace(const struct options *options)
{
	const struct misused v[] = {
		{ options->interval > 0, "-i",
		  ", or print counts again and again: uprobe count -i" },
		{ options->top, "--top", ", or show so many events: -M" },
		{ options->depth, "--depth", ", or follow calls: uprobe flow" },
		{ options->min > 0, "--min", ", or follow calls: uprobe flow" },
		{ options->summary, "--summary", ", or follow calls: uprobe flow" },
		{ options->apart, "--apart", ", or follow calls: uprobe flow" },
		{ options->folded, "--folded", ", or count stacks: uprobe stacks" },
		{ options->heat, "--heat", ", or time calls: uprobe lat --heat" },
	};

	if (options->header && options->json)
		return error_new(STATUS_USAGE,
				 "-H writes headers of columns, which --json does not have; leave one of them out");
	if (options->verbose && options->json)
		return error_new(STATUS_USAGE,
				 "-v shows formats as the tracer has them, which --json does not change; leave one of them out");
	if (options->long_lines && options->json)
		return error_new(STATUS_USAGE,
				 "--long makes lines longer, and --json writes objects, which have the address; leave one of them out");
	if (options->time != TIME_KERNEL && options->json)
		return error_new(STATUS_USAGE,
				 "--time changes lines, and --json writes objects with the tracer's time; leave one of them out");
	return first_given("tracing", v, ARRAY_SIZE(v));
}

/**
 * misused_in_flow() - refuse options without an effect when calls are followed
 * @options: of the command line
 */
struct error *misused_in_flow(const struct options *options)
{
	const struct misused v[] = {
		{ options->interval > 0, "-i", "" },
		{ options->top && !options->summary, "--top", ", or add --summary" },
		{ options->apart && (options->json || options->summary || ends(options, ".json")),
		  "--apart with --json or --summary", "" },
		{ options->time != TIME_KERNEL, "--time", "" },
		{ (options->min > 0 || options->depth) && options->summary, "--min or --depth with --summary",
		  "" },
		{ options->force & ~(unsigned int)FORCE_GO, "--force or -F, except for go,", "" },
		{ options->all, "--all", ", or write a pattern" },
		{ options->stacks, "-s", "" },
		{ options->folded, "--folded", ", or count stacks: uprobe stacks" },
		{ options->heat, "--heat", ", or time calls: uprobe lat --heat" },
		{ options->header, "-H", "" },
		{ options->long_lines, "--long", "" },
		{ options->verbose, "-v", "" },
		{ options->string_max, "--str", "" },
		{ options->returns != RETURN_DEFAULT, "--return", "" },
	};

	return first_given("flow", v, ARRAY_SIZE(v));
}

/**
 * misused_in_stacks() - refuse options without an effect when stacks are counted
 * @options: of the command line
 */
struct error *misused_in_stacks(const struct options *options)
{
	const struct misused v[] = {
		{ options->interval > 0, "-i", "" },
		{ options->top && options->folded, "--top with --folded", "" },
		{ options->folded && ends(options, ".svg"), "--folded with a picture", "" },
		{ options->time != TIME_KERNEL, "--time", "" },
		{ options->color != COLOR_AUTO, "--color", "" },
		{ options->heat, "--heat", "" },
		{ options->depth, "--depth", "" },
		{ options->min > 0, "--min", "" },
		{ options->summary, "--summary", "" },
		{ options->apart, "--apart", "" },
		{ options->json && options->folded, "--json with --folded", "" },
		{ options->json && ends(options, ".svg"), "--json with a picture", "" },
		{ options->header, "-H", "" },
		{ options->long_lines, "--long", "" },
		{ options->verbose, "-v", "" },
		{ options->string_max, "--str", "" },
	};

	return first_given("stacks", v, ARRAY_SIZE(v));
}

/**
 * misused_in_count() - refuse options without an effect when hits are added up
 * @options: of the command line
 * @latency: the command is lat, not count
 */
struct error *misused_in_count(const struct options *options, bool latency)
{
	bool picture = latency && ends(options, ".svg");
	const struct misused v[] = {
		{ options->max_events, "-M", ", or stop after a time: -d" },
		{ options->stacks, "-s", ", or trace" },
		{ options->header, "-H", "" },
		{ options->long_lines, "--long", "" },
		{ options->verbose && latency, "-v", "" },
		{ options->string_max, "--str", "" },
		{ options->buffer_kb, "--buffer", "" },
		{ options->depth, "--depth", ", or follow calls: uprobe flow" },
		{ options->min > 0, "--min", ", or follow calls: uprobe flow" },
		{ options->summary, "--summary", "" },
		{ options->apart, "--apart", "" },
		{ options->folded, "--folded", ", or count stacks: uprobe stacks" },
		{ options->heat && !latency, "--heat", ", or time calls: uprobe lat --heat" },
		{ options->heat && (options->json || options->top),
		  "--heat with --json or --top", "" },
		{ picture && options->json, "--json with a picture", "" },
		{ picture && options->heat, "--heat with a picture", "" },
		{ picture && options->top, "--top with a picture", "" },
		{ options->time != TIME_KERNEL, "--time", "" },
		{ options->color != COLOR_AUTO, "--color", "" },
	};

	return first_given(latency ? "lat" : "count", v, ARRAY_SIZE(v));
}
