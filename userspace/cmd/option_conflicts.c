// SPDX-License-Identifier: GPL-2.0
/* Refuse options without an effect: a user who gives one expects an effect. */
#include "option_conflicts.h"

#include <stdbool.h>
#include <string.h>

#include "command.h"
#include "option_table.h"
#include "probe/place.h"
#include "util/error.h"
#include "util/util.h"

/**
 * struct conflict - an option that has no effect with another one
 * @commands: in these commands
 * @option: the option
 * @other: the other one; ".svg" and ".json" are outputs (-o) of this suffix
 * @why: the reason, or NULL
 */
struct conflict {
	unsigned int commands;
	const char *option;
	const char *other;
	const char *why;
};

static const struct conflict conflicts[] = {
	{ TRACE, "-H", "--json", "-H writes headers of columns, which --json does not have" },
	{ TRACE, "-v", "--json",
	  "-v shows formats as the tracer has them, which --json does not change" },
	{ TRACE, "--long", "--json",
	  "--long makes lines longer, and --json writes objects, which have the address" },
	{ TRACE, "--time", "--json",
	  "--time changes lines, and --json writes objects with the tracer's time" },
	{ FLOW, "--apart", "--json" },
	{ FLOW, "--apart", "--summary" },
	{ FLOW, "--apart", ".json" },
	{ FLOW, "--min", "--summary" },
	{ FLOW, "--depth", "--summary" },
	{ STACKS, "--top", "--folded" },
	{ STACKS, "--folded", ".svg" },
	{ STACKS, "--json", "--folded" },
	{ LAT | HIST, "--heat", "--json" },
	{ LAT, "--heat", "--top" },
	{ LAT | HIST, "--heat", ".svg" },
	{ HIST, "--by", "--heat", "a heat map has all hits, and --by separates them" },
	{ HIST, "--by", ".svg", "the picture has all hits, and --by separates them" },
	{ HIST, "--top", "--heat" },
	{ HIST, "--top", ".svg" },
	{ LAT, "--top", ".svg" },
	{ LAT | HIST | STACKS, "--json", ".svg" },
};

/* Compare an option with a name. */
static bool is_option(const struct option_row *row, const char *name, size_t len)
{
	return (size_t)option_name(row) == len && !strncmp(row->spelling, name, len);
}

static bool is_given(const struct options *options, const char *option)
{
	if (*option == '.')
		return options->output && str_ends(options->output, option);
	for (size_t i = 0; i < nr_option_rows; i++)
		if (options->given >> i & 1 && is_option(&option_rows[i], option, strlen(option)))
			return true;
	return false;
}

static bool has_effect(const struct option_row *row, const struct command *command)
{
	for (size_t i = 0; i < nr_option_rows; i++)
		if (option_rows[i].commands & command->bit &&
		    is_option(&option_rows[i], row->spelling, option_name(row)))
			return true;
	return false;
}

/**
 * option_conflicts() - refuse options without an effect in a command that runs probes
 * @command: the command
 * @options: of the command line
 */
struct error *option_conflicts(const struct command *command, const struct options *options)
{
	for (size_t i = 0; i < nr_option_rows && command->bit & RUNS; i++) {
		const struct option_row *row = &option_rows[i];

		if (options->given >> i & 1 && !has_effect(row, command))
			return error_new(STATUS_USAGE, "%.*s does nothing with %s; leave it out%s%s",
					 option_name(row), row->spelling, command->name,
					 row->instead ? ", or " : "",
					 row->instead ? row->instead : "");
	}
	if (command->bit == FLOW && options->force & ~(unsigned int)FORCE_GO)
		return error_new(STATUS_USAGE,
				 "--force does nothing with flow, except for --force=go; leave it out");
	if (command->bit == FLOW && options->top && !options->summary)
		return error_new(STATUS_USAGE,
				 "--top does nothing without --summary; leave it out, or add --summary");
	for (size_t i = 0; i < ARRAY_SIZE(conflicts); i++) {
		const struct conflict *c = &conflicts[i];

		if (!(c->commands & command->bit) || !is_given(options, c->option) ||
		    !is_given(options, c->other))
			continue;
		if (c->why)
			return error_new(STATUS_USAGE, "%s; leave one of them out", c->why);
		return error_new(STATUS_USAGE, "%s does nothing with %s%s; leave one of them out",
				 c->option, *c->other == '.' ? "-o FILE" : "", c->other);
	}
	return NULL;
}
