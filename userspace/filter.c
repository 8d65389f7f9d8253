// SPDX-License-Identifier: GPL-2.0
/*
 * The language of tracefs's filter files (kernel documentation, "Event
 * filtering"):
 *
 *	filter:	and { "||" and }
 *	and:	not { "&&" not }
 *	not:	"!" not | "(" filter ")" | NAME OP VALUE
 *	OP:	== != < <= > >= & for numbers, == != ~ for strings
 *
 * NAME is an argument of the event, or COMM, CPU, common_pid, __probe_ip.
 */
#include "filter.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "event_line.h"
#include "library.h"
#include "types.h"
#include "util.h"

enum filter_op {
	FILTER_OR, FILTER_AND, FILTER_NOT,
	FILTER_EQ, FILTER_NE, FILTER_LE, FILTER_GE, FILTER_LT, FILTER_GT,
	FILTER_BITS, FILTER_GLOB,
};

static const struct {
	const char *text;
	enum filter_op op;
} comparisons[] = {
	/* Of two that start alike, the longer one first. */
	{ "==", FILTER_EQ }, { "!=", FILTER_NE }, { "<=", FILTER_LE },
	{ ">=", FILTER_GE }, { "<", FILTER_LT }, { ">", FILTER_GT },
	{ "&", FILTER_BITS }, { "~", FILTER_GLOB },
};

/**
 * struct filter - a node of a parsed filter
 * @op: what it does
 * @left: first operand of or, and, not
 * @right: second operand of or, and
 * @name: what is compared
 * @string: with what; NULL for a number
 * @number: with what
 */
struct filter {
	enum filter_op op;
	struct filter *left;
	struct filter *right;
	char *name;
	char *string;
	s64 number;
};

/* Nesting of parentheses and negations; a limit on the stack. */
#define DEPTH_MAX 64

/**
 * struct parser - a filter being parsed
 * @text: all of it
 * @p: what is next
 * @depth: how deep it is nested
 * @wanted: what was expected at @p, when parsing failed
 */
struct parser {
	const char *text;
	const char *p;
	int depth;
	const char *wanted;
};

static struct filter *parse_or(struct parser *parser);

static struct filter *new_node(enum filter_op op, struct filter *left,
			       struct filter *right)
{
	struct filter *node = xcalloc(1, sizeof(*node));

	node->op = op;
	node->left = left;
	node->right = right;
	return node;
}

static struct filter *wanted(struct parser *parser, const char *what)
{
	if (!parser->wanted)
		parser->wanted = what;
	return NULL;
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

static bool parse_value(struct parser *parser, struct filter *node)
{
	const char *p;
	char *end;

	skip(parser);
	p = parser->p;
	if (*p == '"' || *p == '\'') {
		const char *close = strchr(p + 1, *p);

		if (!close)
			return false;
		node->string = xstrndup(p + 1, close - p - 1);
		parser->p = close + 1;
		return true;
	}
	if (*p == '-')
		node->number = strtoll(p, &end, 0);
	else
		node->number = strtoull(p, &end, 0);
	if (end == p)
		return false;
	parser->p = end;
	return true;
}

static struct filter *parse_comparison(struct parser *parser)
{
	const char *start = parser->p;
	struct filter *node;
	size_t i;

	while (isalnum((unsigned char)*parser->p) || *parser->p == '_')
		parser->p++;
	if (parser->p == start)
		return wanted(parser, "the name of an argument");
	node = new_node(FILTER_EQ, NULL, NULL);
	node->name = xstrndup(start, parser->p - start);
	skip(parser);
	for (i = 0; i < ARRAY_SIZE(comparisons); i++)
		if (str_starts(parser->p, comparisons[i].text) &&
		    !str_starts(parser->p, "&&"))
			break;
	if (i == ARRAY_SIZE(comparisons)) {
		filter_free(node);
		return wanted(parser, "one of == != < <= > >= & ~");
	}
	parser->p += strlen(comparisons[i].text);
	node->op = comparisons[i].op;
	if (!parse_value(parser, node)) {
		filter_free(node);
		return wanted(parser, "a number or a quoted string");
	}
	if (node->string ? node->op != FILTER_EQ && node->op != FILTER_NE &&
	    node->op != FILTER_GLOB :
			   node->op == FILTER_GLOB) {
		bool string = node->string;

		filter_free(node);
		return wanted(parser, string ?
			      "== != or ~ before a string" :
			      "a quoted string after ~");
	}
	return node;
}

static struct filter *parse_not(struct parser *parser)
{
	struct filter *node = NULL;

	if (++parser->depth > DEPTH_MAX) {
		wanted(parser, "fewer parentheses");
	} else if (take(parser, "!")) {
		node = parse_not(parser);
		node = node ? new_node(FILTER_NOT, node, NULL) : NULL;
	} else if (take(parser, "(")) {
		node = parse_or(parser);
		if (node && !take(parser, ")")) {
			filter_free(node);
			node = wanted(parser, ")");
		}
	} else {
		node = parse_comparison(parser);
	}
	parser->depth--;
	return node;
}

static struct filter *parse_and(struct parser *parser)
{
	struct filter *left = parse_not(parser), *right;

	while (left && take(parser, "&&")) {
		right = parse_not(parser);
		if (!right) {
			filter_free(left);
			return NULL;
		}
		left = new_node(FILTER_AND, left, right);
	}
	return left;
}

static struct filter *parse_or(struct parser *parser)
{
	struct filter *left = parse_and(parser), *right;

	while (left && take(parser, "||")) {
		right = parse_and(parser);
		if (!right) {
			filter_free(left);
			return NULL;
		}
		left = new_node(FILTER_OR, left, right);
	}
	return left;
}

/**
 * filter_parse() - read a filter
 * @text: the filter
 * @filter: set on success; to be freed with filter_free()
 */
struct error *filter_parse(const char *text, struct filter **filter)
{
	struct parser parser = { .text = text, .p = text };

	*filter = parse_or(&parser);
	skip(&parser);
	if (*filter && !*parser.p)
		return NULL;
	if (*filter)
		wanted(&parser, "&& or || or the end");
	filter_free(*filter);
	*filter = NULL;
	return error_new(STATUS_USAGE,
			 "the filter is not understood: %s was expected at the mark\n  %s\n  %*s^",
			 parser.wanted, text, (int)(parser.p - text), "");
}

void filter_free(struct filter *filter)
{
	if (!filter)
		return;
	filter_free(filter->left);
	filter_free(filter->right);
	free(filter->name);
	free(filter->string);
	free(filter);
}

static const char *const common_names[] = {
	"COMM", "comm", "CPU", "cpu", "common_pid", "__probe_ip",
	"__probe_ret_ip",
};

/**
 * filter_unknown_name() - look for a name that an event does not have
 * @filter: the filter
 * @fields: names of the event's arguments
 *
 * Return: such a name, or NULL.
 */
const char *filter_unknown_name(const struct filter *filter,
				const struct paths *fields)
{
	const char *unknown;

	if (filter->op == FILTER_OR || filter->op == FILTER_AND ||
	    filter->op == FILTER_NOT) {
		unknown = filter_unknown_name(filter->left, fields);
		return unknown || !filter->right ? unknown :
		       filter_unknown_name(filter->right, fields);
	}
	for (size_t i = 0; i < ARRAY_SIZE(common_names); i++)
		if (!strcmp(filter->name, common_names[i]))
			return NULL;
	for (size_t i = 0; i < fields->n; i++)
		if (!strcmp(filter->name, fields->v[i]))
			return NULL;
	return filter->name;
}

/* The value that a name stands for, quotes included; false if there is none. */
static bool find_value(const struct event_line *event, const char *name,
		       char buf[32], const char **text, size_t *len)
{
	for (size_t i = 0; i < event->n; i++) {
		const struct event_value *value = &event->values[i];

		if (strlen(name) == value->name_len &&
		    !strncmp(name, value->name, value->name_len)) {
			*text = value->text;
			*len = value->text_len;
			return true;
		}
	}
	*text = buf;
	if (!strcmp(name, "COMM") || !strcmp(name, "comm")) {
		*text = event->comm;
		*len = event->comm_len;
		return true;
	}
	if (!strcmp(name, "common_pid"))
		*len = snprintf(buf, 32, "%d", event->tid);
	else if (!strcmp(name, "CPU") || !strcmp(name, "cpu"))
		*len = snprintf(buf, 32, "%u", event->cpu);
	else if (!strcmp(name, "__probe_ip") || !strcmp(name, "__probe_ret_ip"))
		*len = snprintf(buf, 32, "0x%llx",
				(unsigned long long)event->addr);
	else
		return false;
	return true;
}

static bool compare_string(const struct filter *filter, const char *text,
			   size_t len)
{
	char *value;
	bool same;

	/* The quotes, and the dots of a string that was cut. */
	if (len > 4 && text[0] == '"' && !strncmp(text + len - 4, "\"...", 4))
		len -= 3;
	if (len >= 2 && text[0] == '"' && text[len - 1] == '"') {
		text++;
		len -= 2;
	}
	value = xstrndup(text, len);
	same = filter->op == FILTER_GLOB ? !fnmatch(filter->string, value, 0) :
					   !strcmp(filter->string, value);
	free(value);
	return filter->op == FILTER_NE ? !same : same;
}

static bool compare_number(const struct filter *filter, const char *text,
			   size_t len)
{
	bool negative = len && text[0] == '-';
	s64 a, b = filter->number;
	char buf[32];
	char *end;

	if (!len || len >= sizeof(buf))
		return false;
	memcpy(buf, text, len);
	buf[len] = '\0';
	a = negative ? strtoll(buf, &end, 0) : (s64)strtoull(buf, &end, 0);
	if (*end)
		return false;
	switch (filter->op) {
	case FILTER_EQ:
		return a == b;
	case FILTER_NE:
		return a != b;
	case FILTER_BITS:
		return a & b;
	case FILTER_LT:
		return negative || b < 0 ? a < b : (u64)a < (u64)b;
	case FILTER_GT:
		return negative || b < 0 ? a > b : (u64)a > (u64)b;
	case FILTER_LE:
		return negative || b < 0 ? a <= b : (u64)a <= (u64)b;
	case FILTER_GE:
		return negative || b < 0 ? a >= b : (u64)a >= (u64)b;
	default:
		return false;
	}
}

/**
 * filter_matches() - does an event pass a filter?
 * @filter: the filter
 * @event: the event
 *
 * A comparison with a value that the event does not have, or that could not be
 * read, is false.
 */
bool filter_matches(const struct filter *filter, const struct event_line *event)
{
	const char *text;
	char buf[32];
	size_t len;

	switch (filter->op) {
	case FILTER_OR:
		return filter_matches(filter->left, event) ||
		       filter_matches(filter->right, event);
	case FILTER_AND:
		return filter_matches(filter->left, event) &&
		       filter_matches(filter->right, event);
	case FILTER_NOT:
		return !filter_matches(filter->left, event);
	default:
		break;
	}
	if (!find_value(event, filter->name, buf, &text, &len))
		return false;
	return filter->string ? compare_string(filter, text, len) :
				compare_number(filter, text, len);
}
