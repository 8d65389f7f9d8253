// SPDX-License-Identifier: GPL-2.0
/*
 * Convert NAME, *NAME, NAME->MEMBER, NAME.MEMBER, NAME[N] and chains of these, in
 * the syntax of the source code, to fetch arguments: begin with the location of
 * the variable, then take one step for each operator.
 */
#include "variable.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_type.h"
#include "util/error.h"
#include "scope.h"
#include "util/util.h"
#include "value.h"
#include "value_fetch.h"

/* A larger index is a mistake of the user. */
#define INDEX_MAX 0xffffffffull

static struct error *syntax(const char *expression)
{
	return error_new(STATUS_USAGE,
			 "\"%s\" is not understood; write NAME, NAME->MEMBER, NAME.MEMBER, NAME[NUMBER] or *NAME",
			 expression);
}

static size_t name_len(const char *p)
{
	size_t n = 0;

	if (str_starts(p, RETVAL))
		return strlen(RETVAL);
	if (isdigit((unsigned char)*p))
		return 0;
	/* Unnamed results of a Go function are called ~r0, ~r1 and so on. */
	if (p[0] == '~' && p[1] == 'r')
		n++;
	while (isalnum((unsigned char)p[n]) || p[n] == '_' ||
	       (p[n] == ':' && p[n + 1] == ':' && ++n))
		n++;
	return n;
}

static struct error *follow(struct value *value, const char *expression,
			    const char *p)
{
	struct error *err = NULL;

	while (*p && !err) {
		char *what = xstrndup(expression, p - expression), *end;
		bool arrow = p[0] == '-' && p[1] == '>';
		size_t len;
		u64 index;

		if (arrow || *p == '.') {
			p += arrow ? 2 : 1;
			len = name_len(p);
			/* Accept either operator: the type tells whether to dereference. */
			if (!len)
				err = syntax(expression);
			else if (value->typed && type_is_pointer(&value->type))
				err = value_deref(value, what);
			if (!err)
				err = value_member(value, p, len, what);
			p += len;
		} else if (*p == '[' && isdigit((unsigned char)p[1])) {
			index = strtoull(p + 1, &end, 0);
			if (*end != ']' || index > INDEX_MAX)
				err = syntax(expression);
			else
				err = value_index(value, index, what);
			p = end + 1;
		} else {
			err = syntax(expression);
		}
		free(what);
	}
	return err;
}

/* Where the function returns, its results take precedence over variables. */
static struct error *find(const struct scope *scope, const char *name,
			  struct value *value)
{
	const struct results *results = &scope->results;
	struct error *err;
	Dwarf_Die variable;

	for (size_t i = 0; i < results->n; i++) {
		const struct result *result = &results->v[i];

		if (strcmp(result->name, name) && strcmp(name, RETVAL))
			continue;
		if (result->problem)
			return error_new(STATUS_REFUSED,
					 "%s cannot be fetched: %s", name,
					 result->problem);
		location_copy(&value->location, &result->location);
		value->type = result->type;
		value->typed = true;
		return NULL;
	}
	if (!strcmp(name, RETVAL))
		return error_new(STATUS_NOT_FOUND,
				 "the function returns nothing, so there is no %s",
				 name);
	err = scope_find(scope, name, &value->location, &variable);
	if (!err)
		value->typed = type_of(&variable, &value->type);
	return err;
}

/**
 * variable_fetch() - convert an expression of the source code to a fetch argument
 * @scope: the place
 * @expression: a variable, perhaps with operators
 * @type: the requested type, or NULL for the value's own type
 * @fetch: set on success to FETCH:TYPE, from malloc()
 * @enumeration: set to the type with names for the values; all zero if the values
 *	have no names; can be NULL
 */
struct error *variable_fetch(const struct scope *scope, const char *expression,
			     const char *type, char **fetch,
			     Dwarf_Die *enumeration)
{
	_cleanup_free_ char *name = NULL;
	const char *p = expression;
	struct value value = { .info = scope->frame.info };
	unsigned int stars = 0;
	struct error *err;
	size_t len;

	for (; *p == '*'; p++)
		stars++;
	len = name_len(p);
	if (!len)
		return syntax(expression);
	name = xstrndup(p, len);
	err = find(scope, name, &value);
	if (!err)
		err = follow(&value, p, p + len);
	while (!err && stars--)
		err = value_deref(&value, name);
	/* As in the source code, a reference stands for the object that it refers to. */
	if (!err && value.typed && strcmp(expression, RETVAL) &&
	    dwarf_tag(&value.type) != DW_TAG_pointer_type &&
	    type_is_pointer(&value.type))
		err = value_deref(&value, name);
	if (enumeration)
		memset(enumeration, 0, sizeof(*enumeration));
	if (!err && enumeration && !type && value.typed &&
	    dwarf_tag(&value.type) == DW_TAG_enumeration_type)
		*enumeration = value.type;
	if (!err)
		err = value_fetch(&value, expression, type, fetch);
	location_free(&value.location);
	return err;
}

/**
 * variable_default_name() - make a name for an argument without a name
 * @expression: the argument
 *
 * Return: NAME_MEMBER_N for NAME->MEMBER[N], from malloc().
 */
char *variable_default_name(const char *expression)
{
	char *name = xstrdup(expression);
	size_t n = 0;

	for (const char *p = expression; *p; p++) {
		if (isalnum((unsigned char)*p) || *p == '_')
			name[n++] = *p;
		else if (n && name[n - 1] != '_' && p[1] && p[1] != ']')
			name[n++] = '_';
		if (n == 31)
			break;
	}
	name[n] = '\0';
	return name;
}

/** is_variable_expression() - check whether a word names a variable */
bool is_variable_expression(const char *word)
{
	return isalpha((unsigned char)*word) || *word == '_' || *word == '*' ||
	       (word[0] == '~' && word[1] == 'r');
}

/**
 * is_result_expression() - check whether a word names the returned value, or a part of it
 * @word: a word, of which @len bytes count
 * @len: see @word
 */
bool is_result_expression(const char *word, size_t len)
{
	const char *p = word, *end = word + len;

	while (p < end && *p == '*')
		p++;
	if ((size_t)(end - p) < strlen(RETVAL) || !str_starts(p, RETVAL))
		return false;
	p += strlen(RETVAL);
	return p == end || *p == '.' || *p == '[' ||
	       (p + 1 < end && p[0] == '-' && p[1] == '>');
}
