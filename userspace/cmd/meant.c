// SPDX-License-Identifier: GPL-2.0
#include "meant.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "option_table.h"
#include "symbols/suggest.h"
#include "util/error.h"
#include "util/util.h"

/* Take a name if it is nearer than @least.  Every third letter may be wrong, but no more. */
static bool is_nearer(const char *word, const char *name, unsigned int *least)
{
	unsigned int limit = strlen(word) / 3, d = edit_distance(word, name, limit);

	if (d >= *least || d > limit)
		return false;
	*least = d;
	return true;
}

/* Look for a word that other programs use.  @whole: not only the beginning of such a word. */
static bool called_elsewhere(const char *word, bool whole, const char *words)
{
	_cleanup_free_ char *wanted = xasprintf(" %s%s", word, whole ? " " : "");

	return words && strstr(words, wanted);
}

static const char *command_elsewhere(const char *word, bool whole)
{
	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (called_elsewhere(word, whole, commands[i].meant))
			return commands[i].name;
	return NULL;
}

static const char *meant_command(const char *word)
{
	const char *is = command_elsewhere(word, true);
	unsigned int least = is ? 0 : 9;

	for (size_t i = 0; i < NR_COMMANDS; i++)
		if (is_nearer(word, commands[i].name, &least))
			is = commands[i].name;
	if (!is && strlen(word) > 2)
		is = command_elsewhere(word, false);
	return is;
}

/**
 * unknown_word() - make the error for a word that is neither a command nor a probe
 * @word: the word
 */
struct error *unknown_word(const char *word)
{
	const char *meant = meant_command(word);

	if (meant)
		return error_new(STATUS_USAGE,
				 "\"%s\" is neither a command nor a probe; did you mean %s? see: uprobe --help",
				 word, meant);
	return error_new(STATUS_USAGE,
			 "\"%s\" is neither a command nor a probe, such as libc:malloc; see: uprobe --help",
			 word);
}

static char *option_elsewhere(const char *word, bool whole)
{
	if (!strcmp(word, "t"))
		return xstrdup("-L (a thread), --time (how times are written) or --min (calls that take long)");
	for (size_t i = 0; i < nr_option_rows; i++)
		if (called_elsewhere(word, whole, option_rows[i].meant))
			return xstrndup(option_rows[i].spelling, option_name(&option_rows[i]));
	return NULL;
}

/**
 * meant_option() - find the option that a word was probably meant to be
 * @word: the word, without dashes
 *
 * Return: the option with its dashes, from malloc(); NULL if none is like it.
 */
char *meant_option(const char *word)
{
	char *is = option_elsewhere(word, true);
	unsigned int least = is ? 0 : 9;

	for (size_t i = 0; i < nr_option_rows; i++) {
		int len;
		const char *start = option_word(&option_rows[i], &len);
		_cleanup_free_ char *name = xasprintf("--%.*s", len, start ? start : "");

		if (start && is_nearer(word, name + 2, &least)) {
			free(is);
			is = xstrdup(name);
		}
	}
	if (!is && strlen(word) > 2)
		is = option_elsewhere(word, false);
	return is;
}
