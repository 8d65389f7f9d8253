// SPDX-License-Identifier: GPL-2.0
#include "arguments.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "fields.h"
#include "place.h"
#include "scope.h"
#include "target.h"
#include "util.h"
#include "variable.h"

#define PARAMETERS "$params"
#define VARIABLES "$vars"

/**
 * struct word - an argument taken apart
 * @name: its name, @name_len characters; NULL without one
 * @name_len: see @name
 * @fetch: what is to be fetched
 * @fetch_len: its length
 * @type: its type, up to the end of the word; NULL without one
 * @len: length of the whole word
 */
struct word {
	const char *name;
	size_t name_len;
	const char *fetch;
	size_t fetch_len;
	const char *type;
	size_t len;
};

/* As the tracer does it: quotes of \"text" hide blanks. */
static size_t word_len(const char *p)
{
	bool quoted = false;
	size_t n;

	for (n = 0; p[n]; n++) {
		if (quoted) {
			quoted = p[n] != '"';
		} else if (p[n] == '\\' && p[n + 1] == '"') {
			quoted = true;
			n++;
		} else if (p[n] == ' ' || p[n] == '\t') {
			break;
		}
	}
	return n;
}

/* The colon before a type, not one of A::B. */
static const char *type_colon(const char *p, const char *end)
{
	const char *found = NULL;

	for (; p < end; p++) {
		if (p[0] != ':')
			continue;
		if (p + 1 < end && p[1] == ':')
			p++;
		else
			found = p;
	}
	return found;
}

static bool next_word(const char **rest, struct word *word)
{
	const char *p = *rest + strspn(*rest, " \t"), *end, *equals;

	memset(word, 0, sizeof(*word));
	word->len = word_len(p);
	if (!word->len)
		return false;
	end = p + word->len;
	*rest = end;
	for (equals = p; isalnum((unsigned char)*equals) || *equals == '_';)
		equals++;
	word->fetch = p;
	if (equals > p && *equals == '=') {
		word->name = p;
		word->name_len = equals - p;
		word->fetch = equals + 1;
	}
	word->type = type_colon(word->fetch, end);
	word->fetch_len = (word->type ? word->type : end) - word->fetch;
	if (word->type)
		word->type++;
	return true;
}

static bool fetches(const struct word *word, const char *text)
{
	return word->fetch_len == strlen(text) &&
	       !strncmp(word->fetch, text, word->fetch_len);
}

static bool is_word(const struct word *word, const char *text)
{
	return !word->name && fetches(word, text);
}

static bool is_named(const struct word *word)
{
	return is_variable_expression(word->fetch) ||
	       is_word(word, PARAMETERS) || is_word(word, VARIABLES);
}

/**
 * arguments_have_names() - do any of these need debug information?
 * @args: arguments
 */
bool arguments_have_names(const char *args)
{
	struct word word;

	while (next_word(&args, &word))
		if (is_named(&word))
			return true;
	return false;
}

/**
 * arguments_have_registers() - do any of these mean registers or the stack?
 * @args: arguments
 */
bool arguments_have_registers(const char *args)
{
	struct word word;

	while (next_word(&args, &word))
		if (!is_named(&word) &&
		    (memchr(word.fetch, '%', word.fetch_len) ||
		     memmem(word.fetch, word.fetch_len, "$stack", 6)))
			return true;
	return false;
}

/* What the tracer takes an argument for that names no type. */
static const char *default_type(const struct word *word)
{
	bool string = fetches(word, "$comm") ||
		      !strncmp(word->fetch, "\\\"", 2);

	return string ? "string" : "x64";
}

/**
 * arguments_fields() - what the tracer records of arguments
 * @args: arguments, as the tracer takes them
 * @fields: these are added
 */
void arguments_fields(const char *args, struct fields *fields)
{
	struct word word;
	unsigned int n;
	char *name, *type;

	for (n = 1; next_word(&args, &word); n++) {
		name = word.name ? xstrndup(word.name, word.name_len) :
				   xasprintf("arg%u", n);
		type = word.type ? xstrndup(word.type, args - word.type) :
				   xstrdup(default_type(&word));
		fields_add(fields, name, type);
		free(type);
		free(name);
	}
}

static void append(char **text, const char *more, size_t len)
{
	char *joined = xasprintf("%s%s%.*s", *text, **text ? " " : "",
				 (int)len, more);

	free(*text);
	*text = joined;
}

/* What can be fetched, of all that there is. */
static void append_all(const struct scope *scope, bool parameters,
		       const char *type, char **text)
{
	for (size_t i = 0; i < scope->n; i++) {
		const char *name = scope->v[i].name;
		struct error *err;
		char *fetch, *arg;
		size_t j;

		if (parameters && !scope->v[i].parameter)
			continue;
		for (j = 0; j < i && strcmp(scope->v[j].name, name); j++)
			;
		if (j < i)
			continue;
		err = variable_fetch(scope, name, type, &fetch);
		if (err) {
			remark("%s is left out: %s", name, err->text);
			error_free(err);
			continue;
		}
		arg = xasprintf("%s=%s", name, fetch);
		append(text, arg, strlen(arg));
		free(arg);
		free(fetch);
	}
}

/* Strings of Go do not end in a NUL, so the length is of interest. */
static void append_length(const struct scope *scope, const char *name,
			  const char *expression, char **text)
{
	char *length = xasprintf("%s.len", expression), *fetch = NULL, *arg;
	struct error *err = variable_fetch(scope, length, NULL, &fetch);

	if (!err) {
		arg = xasprintf("%s_len=%s", name, fetch);
		append(text, arg, strlen(arg));
		free(arg);
	}
	error_free(err);
	free(fetch);
	free(length);
}

static bool is_structure_of_string(const struct scope *scope,
				   const char *expression)
{
	char *start = xasprintf("%s.str", expression), *fetch = NULL;
	struct error *err = variable_fetch(scope, start, NULL, &fetch);
	bool is = !err;

	error_free(err);
	free(fetch);
	free(start);
	return is;
}

static struct error *append_named(const struct scope *scope,
				  const struct word *word, char **text)
{
	size_t type_len = word->type ? word_len(word->type) : 0;
	char *type = word->type ? xstrndup(word->type, type_len) : NULL;
	char *expression = xstrndup(word->fetch, word->fetch_len);
	char *fetch, *arg, *name;
	struct error *err = NULL;

	if (is_word(word, PARAMETERS) || is_word(word, VARIABLES)) {
		append_all(scope, is_word(word, PARAMETERS), type, text);
	} else {
		err = variable_fetch(scope, expression, type, &fetch);
		if (!err) {
			name = word->name ?
			       xstrndup(word->name, word->name_len) :
			       variable_default_name(expression);
			arg = xasprintf("%s=%s", name, fetch);
			append(text, arg, strlen(arg));
			if (type && str_starts(type, "string") &&
			    is_structure_of_string(scope, expression))
				append_length(scope, name, expression, text);
			free(arg);
			free(name);
			free(fetch);
		}
	}
	free(expression);
	free(type);
	return err;
}

/**
 * arguments_at() - translate arguments for a place
 * @target: the file
 * @place: the place
 * @args: arguments as they were written
 * @out: set on success to arguments without names of variables, from malloc()
 */
struct error *arguments_at(struct target *target, const struct place *place,
			   const char *args, char **out)
{
	const struct debug_info *info;
	struct scope scope;
	struct error *err;
	struct word word;

	if (!arguments_have_names(args)) {
		*out = xstrdup(args);
		return NULL;
	}
	err = target_need_debug_info(target, &info);
	if (!err)
		err = scope_open(info, place, &scope);
	if (err)
		return err;
	*out = xstrdup("");
	while (!err && next_word(&args, &word)) {
		if (is_named(&word))
			err = append_named(&scope, &word, out);
		else
			append(out, word.name ? word.name : word.fetch,
			       word.len);
	}
	scope_close(&scope);
	if (err) {
		free(*out);
		*out = NULL;
	}
	return err;
}

/* What an argument is known by: its name, or all of it where it has none. */
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

	while (next_word(&args, found))
		if (key_len(found, &its) == len && !strncmp(its, key, len))
			return true;
	return false;
}

/* The type of a record's field, which bits are taken for, too. */
static char *field_type(const struct word *word)
{
	char *type = word->type ? xstrndup(word->type, word_len(word->type)) :
				  xstrdup("x64"), *field;
	const char *slash = strchr(type, '/');

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

/* Was it asked for by itself, not with $params or $vars? */
static bool was_asked(const char *args, const struct word *word)
{
	const char *key;
	size_t len = key_len(word, &key);
	struct word asked;

	while (next_word(&args, &asked)) {
		char *name, *text;
		bool same;

		if (is_word(&asked, PARAMETERS) || is_word(&asked, VARIABLES))
			continue;
		text = xstrndup(asked.fetch, asked.fetch_len);
		name = asked.name ? xstrndup(asked.name, asked.name_len) :
		       is_named(&asked) ? variable_default_name(text) :
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

/* Each that is left out is mentioned once. */
static struct error *mention_differing(const char *args, char *const *texts,
				       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *rest = texts[i], *key;
		struct word word, before;

		while (next_word(&rest, &word)) {
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

/**
 * arguments_unify() - make the arguments of several places those of one event
 * @args: arguments as they were written
 * @texts: what arguments_at() has made of them for each place, from malloc();
 *	replaced by those that all places have, in the same order
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
	while (!err && next_word(&rest, &word)) {
		if (!is_everywhere(texts, n, &word))
			continue;
		for (size_t i = 0; i < n; i++)
			if (find_word(texts[i], &word, &its))
				append(&common[i], its.name ? its.name :
							      its.fetch,
				       its.len);
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
