// SPDX-License-Identifier: GPL-2.0
#include "option_parse.h"

#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "meant.h"
#include "option_table.h"
#include "probe/place.h"
#include "util/error.h"
#include "util/options.h"
#include "util/util.h"

static struct error *parse_process(const char *arg, pid_t *id)
{
	u64 value;

	if (!parse_u64(arg, &value) || !value || value > INT32_MAX)
		return error_new(STATUS_USAGE, "\"%s\" is no process ID; see: ps -e", arg);
	*id = value;
	return NULL;
}

static struct error *parse_number(const char *option, const char *arg, u64 *number)
{
	if (parse_u64(arg, number) && *number)
		return NULL;
	return error_new(STATUS_USAGE, "%s takes a number, 1 or more, not \"%s\"", option, arg);
}

static struct error *parse_user(const char *arg, long long *uid)
{
	const struct passwd *user;
	u64 number;

	if (parse_u64(arg, &number) && number <= UINT32_MAX) {
		*uid = number;
		return NULL;
	}
	user = getpwnam(arg);
	if (!user)
		return error_new(STATUS_USAGE,
				 "there is no user %s; --uid takes a name or a number, see: getent passwd",
				 str_printable(arg) ? arg : "of this name");
	*uid = user->pw_uid;
	return NULL;
}

static struct error *parse_seconds(const char *option, const char *arg, double *seconds)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {
		{ "", 1 }, { "s", 1 }, { "ms", 0.001 }, { "us", 0.000001 }, { "m", 60 },
		{ "h", 3600 },
	};
	char *end;

	*seconds = strtod(arg, &end);
	for (size_t i = 0; i < ARRAY_SIZE(units) && end != arg; i++) {
		if (strcmp(end, units[i].name))
			continue;
		*seconds *= units[i].seconds;
		if (*seconds > 0 && *seconds <= 1e9)
			return NULL;
	}
	return error_new(STATUS_USAGE,
			 "%s takes a number of seconds, or a time like 100us, 500ms, 5s or 2m, not \"%s\"",
			 option, arg);
}

static struct error *parse_word(const char *option, const struct option_row *row, const char *arg,
				unsigned int *value)
{
	*value = row->first;
	for (const char *word = row->words; *word; word += strspn(word, " "), ++*value) {
		size_t len = strcspn(word, " ");

		if (strlen(arg) == len && !strncmp(arg, word, len))
			return NULL;
		word += len;
	}
	return error_new(STATUS_USAGE, "%s takes one of these words, not \"%s\": %s", option, arg,
			 row->words);
}

static struct error *parse_value(const char *option, const struct option_row *row,
				 struct options *options)
{
	void *member = (char *)options + row->member;
	const char *value = option_value(row);

	if (!*value && row->words)
		return force_parse(row->words, member);
	if (!strcmp(value, "N") || !strcmp(value, "KB"))
		return parse_number(option, optarg, member);
	if (!strcmp(value, "SECONDS") || !strcmp(value, "TIME"))
		return parse_seconds(option, optarg, member);
	if (!strcmp(value, "PID") || !strcmp(value, "TID"))
		return parse_process(optarg, member);
	if (!strcmp(value, "UID"))
		return parse_user(optarg, member);
	if (str_ends(value, ",..."))
		return force_parse(optarg, member);
	if (row->words)
		return parse_word(option, row, optarg, member);
	if (*value)
		*(const char **)member = optarg;
	else
		*(bool *)member = true;
	return NULL;
}

/*
 * @word: the word before optind.  In a word of several letters, getopt_long() may not have moved
 * optind past it, so take a letter from optopt.
 */
static struct error *bad_option(int opt, const char *word)
{
	char letter[] = { '-', optopt, '\0' };
	bool is_long = str_starts(word, "--");
	char *name, *meant;
	struct error *err;

	if (!is_long && optopt)
		word = letter;
	if (opt == ':')
		return error_new(STATUS_USAGE, "%s takes a value; see: uprobe --help", word);
	if (is_long && optopt)
		return error_new(STATUS_USAGE, "%.*s takes no value; see: uprobe --help",
				 (int)strcspn(word, "="), word);
	if (!is_long && optopt == '[')
		return error_new(STATUS_USAGE,
				 "there is no option %s; if a name begins so, end the options before it: uprobe COMMAND -- ...",
				 word);
	name = xstrndup(word, strcspn(word, "="));
	meant = meant_option(name + strspn(name, "-"));
	err = error_new(STATUS_USAGE, "there is no option %s; %s%s%ssee: uprobe --help", name,
			meant ? "did you mean " : "", meant ? meant : "", meant ? "? " : "");
	free(meant);
	free(name);
	return err;
}

#define NR_LETTERS 128

/* Fill in what getopt_long() has to know.  A word has the number of its row behind all letters. */
static void fill_known(char *letters, struct option *words)
{
	*letters++ = ':';
	for (size_t i = 0; i < nr_option_rows; i++) {
		const struct option_row *row = &option_rows[i];
		bool value = *option_value(row);
		const char *word;
		int len;

		if (!row->member)
			continue;
		if (option_letter(row))
			*letters++ = option_letter(row);
		if (option_letter(row) && value)
			*letters++ = ':';
		word = option_word(row, &len);
		if (word)
			*words++ = (struct option){
				xstrndup(word, len), value, NULL, NR_LETTERS + i };
	}
}

static const struct option_row *find_row(int opt)
{
	const struct option_row *row = option_rows;

	if (opt >= NR_LETTERS)
		return &option_rows[opt - NR_LETTERS];
	while (option_letter(row) != opt)
		row++;
	return row;
}

/**
 * options_parse() - parse the options of a command line
 * @argc: number of its words
 * @argv: its words; options come first afterwards, and optind is the first other word
 * @options: to be filled
 */
struct error *options_parse(int argc, char **argv, struct options *options)
{
	char letters[2 * OPTION_ROWS_MAX + 2] = "";
	struct option words[OPTION_ROWS_MAX + 1] = { 0 };
	struct error *err = NULL;
	int opt;

	fill_known(letters, words);
	opterr = 0;
	while (!err && (opt = getopt_long(argc, argv, letters, words, NULL)) != -1) {
		const struct option_row *row;
		char name[32];

		if (opt == '?' || opt == ':') {
			err = bad_option(opt, argv[optind - 1]);
			break;
		}
		row = find_row(opt);
		snprintf(name, sizeof(name), "%.*s", option_name(row), row->spelling);
		options->given |= 1ULL << (row - option_rows);
		err = parse_value(name, row, options);
	}
	for (struct option *word = words; word->name; word++)
		free((char *)word->name);
	return err;
}
