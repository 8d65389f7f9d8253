// SPDX-License-Identifier: GPL-2.0
#include "meant.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/suggest.h"
#include "util/util.h"

/**
 * struct meant - what words are meant to be
 * @is: the command or option
 * @words: what it is called elsewhere, with a blank on both sides of each
 */
struct meant {
	const char *is;
	const char *words;
};

/* Other programs that trace, and their commands, have these names. */
static const struct meant commands[] = {
	{ "clean", " clear delete del rm remove reset " },
	{ "count", " funccount freq top calls hits " },
	{ "count or status", " stat stats " },
	{ "doctor", " check diagnose test " },
	{ "flow", " graph funcgraph function_graph calltree tree strace ltrace " },
	{ "help", " usage man " },
	{ "lat", " hist histogram heatmap latency funclatency funcslower duration time " },
	{ "lines", " line source " },
	{ "list", " functions funcs symbols syms ls nm " },
	{ "offset", " address addr " },
	{ "resolve", " define " },
	{ "sdt", " usdt tplist markers " },
	{ "stacks", " flame flamegraph stackcount profile backtrace bt " },
	{ "status", " show events info " },
	{ "trace", " probe record attach " },
	{ "vars", " variables args arguments params locals " },
};

static const struct meant options[] = {
	{ "-c", " cmd command exec run " },
	{ "--comm", " name process-name task-name " },
	{ "-d", " duration seconds timeout " },
	{ "--depth", " D max-depth level " },
	{ "-f", " follow children inherit " },
	{ "-H", " header headers " },
	{ "-i", " interval " },
	{ "--json", " j format js " },
	{ "-L", " tid thread thread-id " },
	{ "-L (a thread), --time (how times are written) or --min (calls that take long)", " t " },
	{ "-M", " n N number events max-events limit count " },
	{ "--min", " threshold time-filter slower at-least " },
	{ "-o", " output out-file " },
	{ "-p", " P process " },
	{ "-s", " U g stack stacks call-graph callchain backtrace " },
	{ "--str", " S Z string string-size strlen " },
	{ "--time", " T timestamp timestamps " },
	{ "--uid", " u user " },
	{ "-v", " verbose " },
	{ "--version", " V " },
};

/* Take a name if it is nearer than @least.  Every third letter may be wrong, but no more. */
static bool is_nearer(const char *word, const char *name, unsigned int *least)
{
	unsigned int limit = strlen(word) / 3, d = edit_distance(word, name, limit);

	if (d >= *least || d > limit)
		return false;
	*least = d;
	return true;
}

/* Find a word that other programs use.  @whole: not only the beginning of such a word. */
static const char *called_elsewhere(const char *word, bool whole, const struct meant *v, size_t n)
{
	char *wanted = xasprintf(" %s%s", word, whole ? " " : "");
	const char *is = NULL;

	for (size_t i = 0; i < n && !is; i++)
		if (strstr(v[i].words, wanted))
			is = v[i].is;
	free(wanted);
	return is;
}

/**
 * meant_command() - find the command that a word was probably meant to be
 * @word: the word
 *
 * Return: the command, or NULL.
 */
const char *meant_command(const char *word)
{
	const char *is = called_elsewhere(word, true, commands, ARRAY_SIZE(commands));
	unsigned int least = is ? 0 : 9;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strchr(commands[i].is, ' ') && is_nearer(word, commands[i].is, &least))
			is = commands[i].is;
	if (!is && strlen(word) > 2)
		is = called_elsewhere(word, false, commands, ARRAY_SIZE(commands));
	return is;
}

/**
 * meant_option() - find the option that a word was probably meant to be
 * @word: the word, without dashes
 * @known: the long options
 *
 * Return: the option with its dashes, from malloc(); NULL if none is like it.
 */
char *meant_option(const char *word, const struct option *known)
{
	const char *is = called_elsewhere(word, true, options, ARRAY_SIZE(options));
	const char *nearest = NULL;
	unsigned int least = 9;

	for (; !is && known->name; known++)
		if (is_nearer(word, known->name, &least))
			nearest = known->name;
	if (!is && !nearest && strlen(word) > 2)
		is = called_elsewhere(word, false, options, ARRAY_SIZE(options));
	return nearest ? xasprintf("--%s", nearest) : is ? xstrdup(is) : NULL;
}
