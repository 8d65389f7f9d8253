// SPDX-License-Identifier: GPL-2.0
/*
 * A filter is a word of the command line by itself.  A user who writes it behind the arguments gets
 * the two words, as the tracer would only say that the operator is no argument.
 */
#include "filter_word.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/argument_word.h"
#include "util/error.h"
#include "util/util.h"

/* Find an operator of filters in a word; no argument has one.  Return NULL if there is none. */
static const char *find_operator(const char *word, size_t len)
{
	static const char *const alone[] = { "=", "&", "&&", "|", "||", "~" };
	const char *open = NULL;
	int depth = 0;

	for (size_t i = 0; i < ARRAY_SIZE(alone); i++)
		if (len == strlen(alone[i]) && !strncmp(word, alone[i], len))
			return word;
	for (const char *p = word; p < word + len && *p != '"'; p++) {
		if (strchr("=!<>", *p) && p + 1 < word + len && p[1] == '=')
			return p;
		if (*p == '<' && !depth++)
			open = p;
		/* The brackets of a template are pairs, and -> is none. */
		if (*p == '>' && (p == word || p[-1] != '-') && !depth--)
			return p;
	}
	return depth ? open : NULL;
}

static bool is_name(const char *text)
{
	return *text && !*name_end(text) && !isdigit((unsigned char)*text);
}

/* Check whether events have a field of this name without an argument that makes it. */
static bool is_known(const char *name, const char *args, const char *end)
{
	static const char *const always[] = { "COMM", "CPU", "pid", "tid", "common_pid" };
	struct word word;

	for (size_t i = 0; i < ARRAY_SIZE(always); i++)
		if (!strcmp(name, always[i]))
			return true;
	if (str_starts(name, "arg") && isdigit((unsigned char)name[3]))
		return true;
	while (argument_next(&args, &word) && args <= end) {
		const char *its = word.name ? word.name : word.fetch;
		size_t len = word.name ? word.name_len : word.fetch_len;

		if (len == strlen(name) && !strncmp(its, name, len))
			return true;
	}
	return false;
}

/*
 * Return the argument that makes what is compared, "" if none is needed, and set the name of its
 * field.
 */
static char *operand_argument(const char *operand, bool known, char **name)
{
	const char *rest = operand;
	struct word word;

	argument_next(&rest, &word);
	if (is_name(operand)) {
		*name = xstrdup(operand);
		return xstrdup(known ? "" : operand);
	}
	*name = word.name ? xstrndup(word.name, word.name_len) : xstrdup("value");
	return word.name ? xstrdup(operand) : xasprintf("value=%s", operand);
}

/*
 * @probe: the probe up to the filter, but for blanks; @arg: an argument that it needs, or "";
 * @filter: the filter as it stands there; @name: what comes before @rest in the filter
 */
static struct error *refuse(const char *probe, const char *arg, const char *filter,
			    const char *name, const char *rest)
{
	return error_new(STATUS_USAGE,
			 "\"%s\" is a filter and no argument; write the filter as a word of its own: uprobe '%s%s%s' '%s%s'",
			 filter, probe, *arg ? " " : "", arg, name, rest);
}

/* Copy text without the blanks at its end. */
static char *trimmed(const char *text, size_t len)
{
	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	return xstrndup(text, len);
}

/* @left: what is compared, which may be a whole argument; @op: how, up to the end */
static struct error *refuse_comparison(const char *probe, const char *args, const char *left,
				       const char *op)
{
	_cleanup_free_ char *operand = trimmed(left, op - left), *arg = NULL, *name = NULL;
	const char *rest = left + strlen(operand);

	arg = operand_argument(operand, is_known(operand, args, left), &name);
	return refuse(probe, arg, left, name, rest);
}

/**
 * filter_word_refuse() - refuse arguments that have a filter among them
 * @text: the probe
 * @args: its arguments, with which @text ends but for blanks
 *
 * Return: an error that has the filter as a word of its own; NULL if there is no filter.
 */
struct error *filter_word_refuse(const char *text, const char *args)
{
	char *whole = trimmed(text, strlen(text)), *probe;
	const char *rest = args, *left = NULL;
	struct error *err = NULL;
	struct word word;

	while (!err && argument_next(&rest, &word)) {
		const char *start = rest - word.len;
		const char *op = find_operator(start, word.len);
		bool whole_word = strchr("(!", *start) && op != start;
		const char *from = op == start && left ? left : start;

		if (op || whole_word) {
			probe = trimmed(whole, strlen(whole) - strlen(from));
			if (whole_word)
				err = refuse(probe, "", start, "", start);
			else if (from == op)
				err = refuse(probe, "NAME=%di", start, "NAME ", start);
			else
				err = refuse_comparison(probe, args, from, op);
			free(probe);
		}
		left = start;
	}
	free(whole);
	return err;
}
