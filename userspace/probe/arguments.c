// SPDX-License-Identifier: GPL-2.0
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/argument_word.h"
#include "util/error.h"
#include "fields.h"
#include "util/util.h"
#include "dwarf/variable.h"

/**
 * arguments_have_names() - check whether any argument names a variable
 * @args: arguments
 */
bool arguments_have_names(const char *args)
{
	struct word word;

	while (argument_next(&args, &word))
		if (argument_is_named(&word) && !argument_is_result(&word))
			return true;
	return false;
}

/**
 * arguments_have_registers() - check whether any argument uses a register or the stack
 * @args: arguments
 */
bool arguments_have_registers(const char *args)
{
	struct word word;

	while (argument_next(&args, &word))
		if (!argument_is_named(&word) &&
		    (memchr(word.fetch, '%', word.fetch_len) ||
		     memmem(word.fetch, word.fetch_len, "$stack", 6) ||
		     memmem(word.fetch, word.fetch_len, "$arg", 4)))
			return true;
	return false;
}

/* Return the type that the tracer gives to an argument without a type. */
static const char *default_type(const struct word *word)
{
	bool string = argument_fetches(word, "$comm") ||
		      !strncmp(word->fetch, "\\\"", 2);

	return string ? "string" : "x64";
}

/**
 * arguments_fields() - list the fields that the tracer records for arguments
 * @args: arguments in the tracer's form
 * @fields: the fields are added here
 */
void arguments_fields(const char *args, struct fields *fields)
{
	struct word word;
	unsigned int n;
	char *name, *type;

	for (n = 1; argument_next(&args, &word); n++) {
		name = word.name ? xstrndup(word.name, word.name_len) :
				   xasprintf("arg%u", n);
		type = word.type ? xstrndup(word.type, args - word.type) :
				   xstrdup(default_type(&word));
		fields_add(fields, name, type);
		free(type);
		free(name);
	}
}

/* Return what identifies an argument: its name or, if it has no name, the whole word. */
static size_t key_len(const struct word *word, const char **key)
{
	*key = word->name ? word->name : word->fetch;
	return word->name ? word->name_len : word->len;
}

static bool find_word(const char *args, const struct word *wanted,
		      struct word *found)
{
	const char *key, *its;
	size_t len = key_len(wanted, &key);

	while (argument_next(&args, found))
		if (key_len(found, &its) == len && !strncmp(its, key, len))
			return true;
	return false;
}

/* Return the type of the recorded field. A bit-field bWIDTH@OFFSET/SIZE counts as uSIZE. */
static char *field_type(const struct word *word)
{
	char *type = word->type ? xstrndup(word->type, argument_len(word->type)) :
				  xstrdup("x64"), *field;
	const char *slash = strchr(type, '/');

	/* Ignore the length of a string: the tracer fetches the length but does not record it. */
	type[strcspn(type, "(")] = '\0';
	if (type[0] != 'b' || !slash)
		return type;
	field = xasprintf("u%s", slash + 1);
	free(type);
	return field;
}

static bool is_alike(const char *args, const struct word *wanted)
{
	char *type, *its;
	struct word word;
	bool alike;

	if (!find_word(args, wanted, &word))
		return false;
	type = field_type(wanted);
	its = field_type(&word);
	alike = !strcmp(type, its);
	free(its);
	free(type);
	return alike;
}

static bool is_everywhere(char *const *texts, size_t n, const struct word *word)
{
	for (size_t i = 0; i < n; i++)
		if (!is_alike(texts[i], word))
			return false;
	return true;
}

/* Check whether the user asked for an argument by itself, not through $params or $vars. */
static bool was_asked(const char *args, const struct word *word)
{
	const char *key;
	size_t len = key_len(word, &key);
	struct word asked;

	while (argument_next(&args, &asked)) {
		char *name, *text;
		bool same;

		if (argument_is(&asked, PARAMETERS) || argument_is(&asked, VARIABLES))
			continue;
		text = xstrndup(asked.fetch, asked.fetch_len);
		name = asked.name ? xstrndup(asked.name, asked.name_len) :
		       argument_is_named(&asked) ? variable_default_name(text) :
					  xstrndup(asked.fetch, asked.len);
		same = str_starts(key, name) && strlen(name) <= len &&
		       (strlen(name) == len ||
			!strncmp(key + strlen(name), "_len", 4));
		free(name);
		free(text);
		if (same)
			return true;
	}
	return false;
}

/*
 * Mention each argument that is left out, once. Fail if the user asked for one of these arguments
 * by itself.
 */
static struct error *mention_differing(const char *args, char *const *texts,
				       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *rest = texts[i], *key;
		struct word word, before;

		while (argument_next(&rest, &word)) {
			int len = (int)key_len(&word, &key);
			size_t j = 0;

			if (is_everywhere(texts, n, &word))
				continue;
			if (was_asked(args, &word))
				return error_new(STATUS_REFUSED,
						 "%.*s does not have the same type at all of the %zu places, which make one event; write a type behind it, or name one place at a time",
						 len, key, n);
			while (j < i && !find_word(texts[j], &word, &before))
				j++;
			if (j == i)
				remark("%.*s is left out: not all of the %zu places, which make one event, have it with the same type",
				       len, key, n);
		}
	}
	return NULL;
}

static void append(char **text, const struct word *word)
{
	char *joined = xasprintf("%s%s%.*s", *text, **text ? " " : "",
				 (int)word->len,
				 word->name ? word->name : word->fetch);

	free(*text);
	*text = joined;
}

/**
 * arguments_unify() - reduce the arguments of several places to those of one event
 * @args: the arguments as the user wrote them
 * @texts: the result of arguments_at() for each place, from malloc(); replaced by
 *	the arguments that all places have, in the same order
 * @n: number of @texts
 */
struct error *arguments_unify(const char *args, char **texts, size_t n)
{
	struct word word, its;
	size_t same = 1;
	struct error *err;
	bool any = false;
	const char *rest;
	char **common;

	while (same < n && !strcmp(texts[same], texts[0]))
		same++;
	if (same >= n)
		return NULL;
	err = mention_differing(args, texts, n);
	common = xcalloc(n, sizeof(*common));
	rest = texts[0];
	for (size_t i = 0; i < n; i++) {
		common[i] = xstrdup("");
		any |= texts[i][strspn(texts[i], " \t")] != '\0';
	}
	while (!err && argument_next(&rest, &word)) {
		if (!is_everywhere(texts, n, &word))
			continue;
		for (size_t i = 0; i < n; i++)
			if (find_word(texts[i], &word, &its))
				append(&common[i], &its);
	}
	if (!err && any && !*common[0])
		err = error_new(STATUS_REFUSED,
				"the %zu places have none of these arguments in common, so they cannot make one event; name one place at a time",
				n);
	for (size_t i = 0; i < n; i++) {
		free(texts[i]);
		texts[i] = common[i];
	}
	free(common);
	return err;
}
