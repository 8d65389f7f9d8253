// SPDX-License-Identifier: GPL-2.0
#include "translate.h"
#include "arguments.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/argument_word.h"
#include "dwarf/dwarf_type.h"
#include "dwarf/enum_names.h"
#include "util/error.h"
#include "place.h"
#include "dwarf/scope.h"
#include "target.h"
#include "util/util.h"
#include "dwarf/variable.h"

/**
 * struct translation - state of a translation for the tracer
 * @scope: the variables at the place
 * @text: the arguments that are translated
 * @n: number of arguments in @text
 * @names: names of their values
 * @untyped: take the returned value for a number
 */
struct translation {
	const struct scope *scope;
	char *text;
	unsigned int n;
	struct enum_names *names;
	bool untyped;
};

static void append(struct translation *t, const char *more, size_t len)
{
	char *joined = xasprintf("%s%s%.*s", t->text, t->n ? " " : "", (int)len,
				 more);

	free(t->text);
	t->text = joined;
	t->n++;
}

/* If @name is NULL, the tracer names the argument: arg1, arg2 and so on. */
static void append_fetch(struct translation *t, const char *name,
			 const char *fetch, const Dwarf_Die *enumeration)
{
	_cleanup_free_ char *number = xasprintf("arg%u", t->n + 1), *arg = NULL;

	if (enumeration && enumeration->addr)
		enum_names_add(t->names, name ? name : number, enumeration);
	arg = xasprintf("%s%s%s", name ? name : "", name ? "=" : "", fetch);
	append(t, arg, strlen(arg));
}

/* Append an argument.  If it cannot be fetched, leave it out with a remark. */
static void append_if(struct translation *t, const char *name,
		      const char *expression, const char *type)
{
	Dwarf_Die enumeration;
	struct error *err;
	char *fetch;

	err = variable_fetch(t->scope, expression, type, &fetch, &enumeration);
	if (err) {
		remark("%s is left out: %s", expression, err->text);
		error_free(err);
		return;
	}
	append_fetch(t, name, fetch, &enumeration);
	free(fetch);
}

/* Append all variables, or all parameters, that can be fetched. */
static void append_all(struct translation *t, bool parameters, const char *type)
{
	const struct scope *scope = t->scope;

	for (size_t i = 0; i < scope->n; i++) {
		const char *name = scope->v[i].name;
		size_t j;

		if (parameters && !scope->v[i].parameter)
			continue;
		for (j = 0; j < i && strcmp(scope->v[j].name, name); j++)
			;
		if (j == i)
			append_if(t, name, name, type);
	}
}

/*
 * Append a returned value.  Of a structure append the members: it cannot be fetched as a whole.
 */
static void append_result(struct translation *t, const struct result *result)
{
	Dwarf_Die type = result->type;
	char *names, *rest, *member;

	if (result->problem || !type_has_members(&type)) {
		char *name = variable_default_name(result->name);

		append_if(t, name, result->name, NULL);
		free(name);
		return;
	}
	names = type_member_names(&type);
	for (rest = names; (member = strsep(&rest, " "));) {
		_cleanup_free_ char *expression = xasprintf("%s.%s", result->name, member);
		_cleanup_free_ char *name = variable_default_name(expression);

		if (*member)
			append_if(t, name, expression, NULL);
	}
	free(names);
}

/*
 * Translate the type of an argument: a variable that is the length of a string becomes a fetch
 * argument.  Set @type to NULL if the argument has no type.
 */
static struct error *translate_type(struct translation *t,
				    const struct word *word, char **type)
{
	char *length, *fetch;
	struct error *err;

	*type = NULL;
	if (!word->type)
		return NULL;
	if (!word->length || !is_variable_expression(word->length)) {
		*type = xstrndup(word->type, argument_len(word->type));
		return NULL;
	}
	length = xstrndup(word->length, word->length_len);
	err = variable_fetch(t->scope, length, NULL, &fetch, NULL);
	if (!err) {
		*type = xasprintf("%.*s%s)", (int)(word->length - word->type),
				  word->type, fetch);
		free(fetch);
	}
	free(length);
	return err;
}

/* Append an argument, such as a register, in which only the string length is a variable. */
static void append_plain(struct translation *t, const struct word *word,
			 const char *type)
{
	const char *start = word->name ? word->name : word->fetch;
	_cleanup_free_ char *arg = xasprintf("%.*s:%s",
					     (int)(word->fetch + word->fetch_len - start),
					     start, type);

	append(t, arg, strlen(arg));
}

static struct error *append_named(struct translation *t,
				  const struct word *word)
{
	_cleanup_free_ char *expression = xstrndup(word->fetch, word->fetch_len);
	bool plain = argument_is_plain_result(word);
	char *fetch, *name = NULL, *type;
	struct error *err = translate_type(t, word, &type);
	Dwarf_Die enumeration;

	if (err) {
		/* The error is returned below. */
	} else if (!is_variable_expression(expression) && *expression != '$') {
		append_plain(t, word, type);
	} else if (argument_is(word, PARAMETERS) || argument_is(word, VARIABLES)) {
		append_all(t, argument_is(word, PARAMETERS), type);
	} else {
		err = variable_fetch(t->scope, expression, type, &fetch,
				     &enumeration);
		if (word->name)
			name = xstrndup(word->name, word->name_len);
		else if (!plain)
			name = variable_default_name(expression);
		if (!err) {
			append_fetch(t, name, fetch, &enumeration);
			free(fetch);
		}
		free(name);
	}
	free(type);
	return err;
}

static struct error *append_word(struct translation *t, const struct word *word)
{
	bool typed = argument_is_plain_result(word) &&
		     t->scope->results.n && !t->untyped;

	if (argument_is_named(word) || typed)
		return append_named(t, word);
	append(t, word->name ? word->name : word->fetch, word->len);
	return NULL;
}

static struct error *translate(const struct debug_info *info,
			       const struct place *place,
			       const struct arguments *args, char **out,
			       struct enum_names *names)
{
	struct translation t = { .names = names, .untyped = args->untyped };
	const char *rest = args->text;
	struct scope scope;
	struct error *err;
	struct word word;

	err = scope_open(info, place, &scope);
	if (err)
		return err;
	if (args->returned)
		scope_return(&scope);
	t.scope = &scope;
	t.text = xstrdup("");
	while (!err && argument_next(&rest, &word))
		err = append_word(&t, &word);
	for (size_t i = 0; args->values && !args->untyped && i < scope.results.n; i++)
		append_result(&t, &scope.results.v[i]);
	scope_close(&scope);
	if (err)
		free(t.text);
	else
		*out = t.text;
	return err;
}

/* Check whether debug information would improve the arguments, although they do not need it. */
static bool may_be_typed(const struct arguments *args)
{
	const char *rest = args->text;
	struct word word;

	if (!args->returned)
		return false;
	while (argument_next(&rest, &word))
		if (argument_is_plain_result(&word))
			return true;
	return args->values;
}

static bool needs_debug_info(const struct arguments *args)
{
	const char *rest = args->text;
	struct word word;

	while (argument_next(&rest, &word))
		if (argument_is_named(&word))
			return true;
	return false;
}

/**
 * arguments_at() - translate arguments for a place
 * @target: the file
 * @place: the place
 * @args: the arguments to fetch there
 * @out: set on success to arguments without names of variables, from malloc()
 * @names: the names of their values are added here
 */
struct error *arguments_at(struct target *target, const struct place *place,
			   const struct arguments *args, char **out,
			   struct enum_names *names)
{
	bool needed = needs_debug_info(args);
	const struct debug_info *info = NULL;
	struct error *err = NULL;

	if (needed)
		err = target_need_debug_info(target, &info);
	else if (may_be_typed(args) && !place->in_memory)
		info = target_debug_info(target, false);
	if (err)
		return err;
	if (info && !needed) {
		struct scope scope;

		err = scope_open(info, place, &scope);
		if (err)
			info = NULL;
		else
			scope_close(&scope);
		error_free(err);
	}
	if (info)
		return translate(info, place, args, out, names);
	*out = xstrdup(args->text);
	return NULL;
}
