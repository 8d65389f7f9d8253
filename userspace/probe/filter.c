// SPDX-License-Identifier: GPL-2.0
/*
 * The language of tracefs's filter files (kernel documentation, "Event
 * filtering"):
 *
 *	filter:	and { "||" and }
 *	and:	not { "&&" not }
 *	not:	"!" not | "(" filter ")" | NAME [ "[" N "]" ] OP VALUE
 *	OP:	== != < <= > >= & for numbers, == != ~ for strings
 *
 * NAME is an argument of the event, or COMM, CPU, pid, tid, common_pid, __probe_ip.
 *
 * The tracer applies the filter.  This file checks it before anything is probed,
 * and replaces a character in quotes by its number, which the tracer expects.
 */
#include "filter.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "fields.h"
#include "types.h"
#include "util/util.h"

/* If two operators start alike, the longer one has to come first. */
static const char *const operators[] = {
	"==", "!=", "<=", ">=", "<", ">", "&", "~",
};

/**
 * enum value_kind - how a value is written
 * @VALUE_INTEGER: as a whole number: 5, -5, 0x5
 * @VALUE_DECIMAL: as a decimal number: 5, -0.5, 5e-1
 * @VALUE_STRING: in quotes
 */
enum value_kind {
	VALUE_INTEGER = 1,
	VALUE_DECIMAL = 2,
	VALUE_STRING = 4,
};

/**
 * struct comparison - a comparison
 * @name: name of the field that is compared
 * @has_index: an element of an array is compared
 * @index: which element
 * @op: the operator
 * @kinds: VALUE_*, how the value can be read: 5 is an integer and a decimal number
 * @value: the value, as it stands in the filter
 * @len: bytes of @value
 */
struct comparison {
	char *name;
	bool has_index;
	u64 index;
	const char *op;
	unsigned int kinds;
	const char *value;
	size_t len;
};

/**
 * struct filter - a parsed filter
 * @text: the whole filter
 * @v: its comparisons, in the order of @text
 * @n: number of @v
 * @cap: capacity of @v
 */
struct filter {
	char *text;
	struct comparison *v;
	size_t n;
	size_t cap;
};

/* Maximum nesting of parentheses and negations: it limits the stack that the parser uses. */
#define DEPTH_MAX 64

/**
 * struct parser - state of the parser
 * @filter: the filter
 * @p: the next character
 * @depth: current depth of the nesting
 * @wanted: what was expected at @p when parsing failed
 */
struct parser {
	struct filter *filter;
	const char *p;
	int depth;
	const char *wanted;
};

static bool parse_or(struct parser *parser);

static bool wanted(struct parser *parser, const char *what)
{
	if (!parser->wanted)
		parser->wanted = what;
	return false;
}

static void skip(struct parser *parser)
{
	while (isspace((unsigned char)*parser->p))
		parser->p++;
}

static bool take(struct parser *parser, const char *token)
{
	skip(parser);
	if (!str_starts(parser->p, token))
		return false;
	parser->p += strlen(token);
	return true;
}

static bool is_integer(const char *text, size_t len)
{
	char buf[32], *end;

	if (len >= sizeof(buf))
		return false;
	memcpy(buf, text, len);
	buf[len] = '\0';
	errno = 0;
	strtoull(buf + (*buf == '-'), &end, 0);
	return isdigit((unsigned char)buf[*buf == '-']) && !*end && !errno;
}

/* [-]DIGITS[.DIGITS][e[+-]DIGITS] */
static bool is_decimal(const char *text, size_t len)
{
	const char *p = text + (len && *text == '-'), *end = text + len;
	size_t digits = 0;
	bool point = false;

	for (; p < end && (isdigit((unsigned char)*p) || (*p == '.' && !point));
	     p++) {
		point |= *p == '.';
		digits += *p != '.';
	}
	if (!digits || p == end)
		return digits;
	if (*p != 'e' && *p != 'E')
		return false;
	p++;
	p += p < end && (*p == '-' || *p == '+');
	for (digits = 0; p < end && isdigit((unsigned char)*p); p++)
		digits++;
	return digits && p == end;
}

static bool parse_value(struct parser *parser, struct comparison *comparison)
{
	const char *p;

	skip(parser);
	p = parser->p;
	comparison->value = p;
	if (*p == '"' || *p == '\'') {
		const char *close = strchr(p + 1, *p);

		if (!close)
			return wanted(parser, "a string that ends in a quote");
		comparison->kinds = VALUE_STRING;
		comparison->len = close + 1 - p;
		parser->p = close + 1;
		return true;
	}
	p += *p == '-';
	while (isalnum((unsigned char)*p) || *p == '.' ||
	       ((*p == '-' || *p == '+') && p > comparison->value &&
		(p[-1] == 'e' || p[-1] == 'E')))
		p++;
	comparison->len = p - comparison->value;
	if (is_integer(comparison->value, comparison->len))
		comparison->kinds |= VALUE_INTEGER;
	if (is_decimal(comparison->value, comparison->len))
		comparison->kinds |= VALUE_DECIMAL;
	if (!comparison->kinds)
		return wanted(parser, "a number or a quoted string");
	parser->p = p;
	return true;
}

static bool parse_index(struct parser *parser, struct comparison *comparison)
{
	char *end;

	if (*parser->p != '[')
		return true;
	parser->p++;
	comparison->has_index = true;
	comparison->index = strtoull(parser->p, &end, 10);
	if (!isdigit((unsigned char)*parser->p) || *end != ']')
		return wanted(parser, "the number of an element and ]");
	parser->p = end + 1;
	return true;
}

static bool parse_operator(struct parser *parser, struct comparison *comparison)
{
	skip(parser);
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		if (!str_starts(parser->p, operators[i]) ||
		    str_starts(parser->p, "&&"))
			continue;
		comparison->op = operators[i];
		parser->p += strlen(operators[i]);
		return true;
	}
	return wanted(parser, "one of == != < <= > >= & ~");
}

static bool parse_comparison(struct parser *parser)
{
	struct filter *filter = parser->filter;
	struct comparison *comparison;
	const char *start = parser->p;

	parser->p = name_end(start);
	if (parser->p == start)
		return wanted(parser, "the name of an argument");
	filter->v = grow(filter->v, filter->n, &filter->cap,
			 sizeof(*filter->v));
	comparison = &filter->v[filter->n++];
	memset(comparison, 0, sizeof(*comparison));
	comparison->name = xstrndup(start, parser->p - start);
	return parse_index(parser, comparison) &&
	       parse_operator(parser, comparison) &&
	       parse_value(parser, comparison);
}

static bool parse_not(struct parser *parser)
{
	bool good;

	if (++parser->depth > DEPTH_MAX)
		good = wanted(parser, "fewer parentheses");
	else if (take(parser, "!"))
		good = parse_not(parser);
	else if (take(parser, "("))
		good = parse_or(parser) &&
		       (take(parser, ")") || wanted(parser, ")"));
	else
		good = parse_comparison(parser);
	parser->depth--;
	return good;
}

static bool parse_and(struct parser *parser)
{
	do {
		if (!parse_not(parser))
			return false;
	} while (take(parser, "&&"));
	return true;
}

static bool parse_or(struct parser *parser)
{
	do {
		if (!parse_and(parser))
			return false;
	} while (take(parser, "||"));
	return true;
}

/**
 * filter_parse() - parse a filter
 * @text: the filter
 * @filter: set on success; to be freed with filter_free()
 */
struct error *filter_parse(const char *text, struct filter **filter)
{
	struct parser parser = { 0 };
	struct error *err;

	*filter = NULL;
	/* The filter becomes part of one line that is written to a session. */
	if (!str_printable(text))
		return error_new(STATUS_USAGE,
				 "the filter has control characters; write it in one line, and in strings ? for each of them: NAME ~ \"a?b\"");
	parser.filter = xcalloc(1, sizeof(*parser.filter));
	parser.filter->text = xstrdup(text);
	parser.p = parser.filter->text;
	if (parse_or(&parser)) {
		skip(&parser);
		if (!*parser.p) {
			*filter = parser.filter;
			return NULL;
		}
		wanted(&parser, "&& or || or the end");
	}
	err = error_new(STATUS_USAGE,
			"the filter is not understood: %s was expected at the mark\n  %s\n  %*s^",
			parser.wanted, text,
			(int)(parser.p - parser.filter->text), "");
	filter_free(parser.filter);
	return err;
}

void filter_free(struct filter *filter)
{
	if (!filter)
		return;
	for (size_t i = 0; i < filter->n; i++)
		free(filter->v[i].name);
	free(filter->v);
	free(filter->text);
	free(filter);
}

/* The fields that every event has. */
static const struct field common_fields[] = {
	{ "COMM", FIELD_STRING, 0 }, { "comm", FIELD_STRING, 0 },
	{ "CPU", FIELD_SIGNED, 0 }, { "cpu", FIELD_SIGNED, 0 },
	{ "pid", FIELD_SIGNED, 0 }, { "tid", FIELD_SIGNED, 0 },
	{ "common_pid", FIELD_SIGNED, 0 },
	{ "common_type", FIELD_UNSIGNED, 0 },
	{ "common_flags", FIELD_UNSIGNED, 0 },
	{ "common_preempt_count", FIELD_UNSIGNED, 0 },
};

static const struct field *find_field(const struct fields *fields,
				      const char *name)
{
	for (size_t i = 0; i < fields->n; i++)
		if (!strcmp(fields->v[i].name, name))
			return &fields->v[i];
	for (size_t i = 0; i < ARRAY_SIZE(common_fields); i++)
		if (!strcmp(common_fields[i].name, name))
			return &common_fields[i];
	return NULL;
}

static struct error *unknown_name(const char *name, const char *event,
				  const struct fields *fields)
{
	struct error *err;

	err = error_new(STATUS_USAGE,
			"the filter asks for %s, which %s does not record; it has COMM CPU pid tid common_pid",
			name, event);
	/* Do not offer the fields that the user did not ask for. */
	for (size_t i = 0; i < fields->n; i++)
		if (!str_starts(fields->v[i].name, "__probe_"))
			error_append(err, " %s", fields->v[i].name);
	return err;
}

static struct error *check_index(const struct comparison *comparison,
				 const struct field *field)
{
	const char *name = field->name;

	if (comparison->has_index && !field->count)
		return error_new(STATUS_USAGE,
				 "%s is no array; leave [%llu] out of the filter",
				 name, (unsigned long long)comparison->index);
	if (field->count && !comparison->has_index)
		return error_new(STATUS_USAGE,
				 "%s is an array, and a filter compares one of its elements; write %s[0], for example",
				 name, name);
	if (comparison->has_index && comparison->index >= field->count)
		return error_new(STATUS_USAGE,
				 "%s has no element %llu; it has %s[0] to %s[%llu]",
				 name, (unsigned long long)comparison->index,
				 name, name,
				 (unsigned long long)field->count - 1);
	return NULL;
}

static struct error *check_value(const struct comparison *comparison,
				 const struct field *field)
{
	const char *name = field->name, *op = comparison->op;
	bool string = comparison->kinds == VALUE_STRING;

	switch (field->kind) {
	case FIELD_STRING:
		if (!string)
			return error_new(STATUS_USAGE,
					 "%s is a string; put what the filter compares it with in quotes: %s == \"%.*s\"",
					 name, name, (int)comparison->len,
					 comparison->value);
		if (strcmp(op, "==") && strcmp(op, "!=") && strcmp(op, "~"))
			return error_new(STATUS_USAGE,
					 "%s is a string, and filters compare strings with == != or ~, not with %s",
					 name, op);
		return NULL;
	case FIELD_CHAR:
		/* Two quotes and one character. */
		if (!strcmp(op, "~") || (string && comparison->len != 3))
			return error_new(STATUS_USAGE,
					 "%s is one character; compare it with one, %s == 'x', or with its number",
					 name, name);
		break;
	case FIELD_FLOAT:
		if (!strcmp(op, "~") || !strcmp(op, "&"))
			return error_new(STATUS_USAGE,
					 "%s is a floating-point number, which filters compare with == != < <= > >=, not with %s",
					 name, op);
		if (!(comparison->kinds & VALUE_DECIMAL))
			return error_new(STATUS_USAGE,
					 "%s is a floating-point number; compare it with a decimal one: %s > 0.5",
					 name, name);
		return NULL;
	case FIELD_UNSIGNED:
	case FIELD_SIGNED:
		if (string)
			return error_new(STATUS_USAGE,
					 "%s is a number; compare it with a number, without quotes, or record a string: %s=...:string",
					 name, name);
		if (!strcmp(op, "~"))
			return error_new(STATUS_USAGE,
					 "%s is a number, and ~ compares strings; use == != < <= > >= or &",
					 name);
		break;
	}
	if (!string && !(comparison->kinds & VALUE_INTEGER))
		return error_new(STATUS_USAGE,
				 "%s is a whole number and cannot be compared with %.*s; write a whole number, or record it as what it is: %s=...:f64",
				 name, (int)comparison->len, comparison->value,
				 name);
	/* Without a sign, -1 in 32 bits of a 64-bit register is not -1 in all 64 bits. */
	if (*comparison->value == '-' && field->kind != FIELD_SIGNED)
		return error_new(STATUS_USAGE,
				 "%s is recorded without a sign and cannot be compared with %.*s; record it with one, of the size that it has: %s=...:s32",
				 name, (int)comparison->len, comparison->value,
				 name);
	return NULL;
}

/**
 * filter_fit() - check a filter against an event and translate it for the tracer
 * @filter: the filter
 * @event: the event
 * @fields: the fields that it records
 * @text: set on success, from malloc()
 */
struct error *filter_fit(const struct filter *filter, const char *event,
			 const struct fields *fields, char **text)
{
	const char *rest = filter->text + strspn(filter->text, " ");
	char *out = xstrdup("");

	for (size_t i = 0; i < filter->n; i++) {
		const struct comparison *comparison = &filter->v[i];
		const struct field *field = find_field(fields,
						       comparison->name);
		struct error *err;
		char *more;

		err = field ? check_index(comparison, field) :
			      unknown_name(comparison->name, event, fields);
		if (!err)
			err = check_value(comparison, field);
		if (err) {
			free(out);
			return err;
		}
		if (field->kind != FIELD_CHAR ||
		    comparison->kinds != VALUE_STRING)
			continue;
		more = xasprintf("%s%.*s%u", out,
				 (int)(comparison->value - rest), rest,
				 (unsigned char)comparison->value[1]);
		free(out);
		out = more;
		rest = comparison->value + comparison->len;
	}
	*text = xasprintf("%s%s", out, rest);
	free(out);
	return NULL;
}
