// SPDX-License-Identifier: GPL-2.0
#include "argument_word.h"

#include <string.h>

#include "results.h"
#include "util/util.h"
#include "variable.h"

/**
 * argument_len() - get the length of an argument
 * @text: text that starts with the argument
 *
 * As in the tracer, a blank inside \"text" does not end the argument.
 */
size_t argument_len(const char *text)
{
	bool quoted = false;
	size_t n;

	for (n = 0; text[n]; n++) {
		if (quoted) {
			quoted = text[n] != '"';
		} else if (text[n] == '\\' && text[n + 1] == '"') {
			quoted = true;
			n++;
		} else if (text[n] == ' ' || text[n] == '\t') {
			break;
		}
	}
	return n;
}

/* Find the colon before a type; ignore the colons of A::B and colons in parentheses. */
static const char *type_colon(const char *p, const char *end)
{
	const char *found = NULL;
	int depth = 0;

	for (; p < end; p++) {
		depth += (*p == '(') - (*p == ')');
		if (p[0] != ':' || depth)
			continue;
		if (p + 1 < end && p[1] == ':')
			p++;
		else
			found = p;
	}
	return found;
}

/* Take LENGTH from string(LENGTH). */
static void take_length(struct word *word, const char *type, const char *end)
{
	const char *open = memchr(type, '(', end - type);

	if (!open || end[-1] != ')')
		return;
	word->length = open + 1;
	word->length_len = end - 1 - word->length;
}

/**
 * argument_next() - parse the next argument
 * @rest: the remaining text; moved to the end of the argument
 * @word: filled in
 *
 * Return: whether there is an argument.
 */
bool argument_next(const char **rest, struct word *word)
{
	const char *p = *rest + strspn(*rest, " \t"), *end, *equals;

	memset(word, 0, sizeof(*word));
	word->len = argument_len(p);
	if (!word->len)
		return false;
	end = p + word->len;
	*rest = end;
	equals = name_end(p);
	word->fetch = p;
	if (equals > p && *equals == '=') {
		word->name = p;
		word->name_len = equals - p;
		word->fetch = equals + 1;
	}
	word->type = type_colon(word->fetch, end);
	word->fetch_len = (word->type ? word->type : end) - word->fetch;
	if (word->type)
		take_length(word, ++word->type, end);
	return true;
}

/** argument_fetches() - check whether an argument fetches @text */
bool argument_fetches(const struct word *word, const char *text)
{
	return word->fetch_len == strlen(text) &&
	       !strncmp(word->fetch, text, word->fetch_len);
}

/** argument_is() - check whether an argument is just @text, perhaps with a type */
bool argument_is(const struct word *word, const char *text)
{
	return !word->name && argument_fetches(word, text);
}

/** argument_is_result() - check for the value that a function returns, or a part of it */
bool argument_is_result(const struct word *word)
{
	return is_result_expression(word->fetch, word->fetch_len);
}

/** argument_is_plain_result() - check for the whole returned value in its own type */
bool argument_is_plain_result(const struct word *word)
{
	return argument_fetches(word, RETVAL) &&
	       (!word->type || str_starts(word->type, "string"));
}

/** argument_is_named() - check whether an argument needs debug information */
bool argument_is_named(const struct word *word)
{
	if (word->length && is_variable_expression(word->length))
		return true;
	if (argument_is_result(word))
		return !argument_fetches(word, RETVAL);
	return is_variable_expression(word->fetch) ||
	       argument_is(word, PARAMETERS) || argument_is(word, VARIABLES);
}
