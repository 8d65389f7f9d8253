// SPDX-License-Identifier: GPL-2.0
/*
 * COMM-TID [CPU] FLAGS TIME: EVENT: (ADDR[ <- FUNC]) NAME=VALUE...
 *
 * The process ID can follow TID, in parentheses.
 *
 * A program chooses COMM, so COMM can look like the rest of the line.  But its
 * fifteen bytes cannot hold everything from TID up to the parenthesis of ADDR.
 */
#include "event_line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/util.h"

static const char *digits(const char *p)
{
	while (isdigit((unsigned char)*p))
		p++;
	return p;
}

static const char *blanks(const char *p)
{
	while (*p == ' ')
		p++;
	return p;
}

/* Parse from the dash before TID on, up to the values.  Return whether it is one. */
static bool parse_from(const char *dash, struct event_line *event)
{
	const char *p = digits(dash + 1), *q;
	char *end;

	if (*dash != '-' || p == dash + 1)
		return false;
	event->tid = strtoul(dash + 1, NULL, 10);
	p = blanks(p);
	event->pid = 0;
	if (*p == '(') {
		q = blanks(p + 1);
		event->pid = strtoul(q, NULL, 10);
		p = digits(q);
		if (p == q || *p != ')')
			return false;
		p = blanks(p + 1);
	}
	if (*p != '[' || digits(p + 1) == p + 1)
		return false;
	event->cpu = strtoul(p + 1, NULL, 10);
	p = digits(p + 1);
	if (p[0] != ']' || p[1] != ' ')
		return false;
	/* Flags are letters, digits, dots and hashes.  PREEMPT_RT has more flags. */
	p = blanks(p + 1);
	for (q = p; isalnum((unsigned char)*q) || *q == '.' || *q == '#'; q++)
		;
	event->flags = p;
	event->flags_len = q - p;
	if (event->flags_len < 4 || event->flags_len > 8)
		return false;
	p = blanks(q);
	event->time = p;
	q = digits(p);
	if (q == p || *q != '.')
		return false;
	p = digits(q + 1);
	event->time_len = p - event->time;
	if (p[0] != ':' || p[1] != ' ')
		return false;
	event->event = p + 2;
	p = name_end(event->event);
	event->event_len = p - event->event;
	if (!event->event_len || strncmp(p, ": (0x", 5))
		return false;
	event->addr = strtoull(p + 3, &end, 16);
	event->is_return = !strncmp(end, " <- 0x", 6);
	if (event->is_return)
		event->func = strtoull(end + 4, &end, 16);
	event->rest = end + 1;
	return *end == ')';
}

/*
 * Return the end of a quoted value.  Quotes inside the value are not escaped, so
 * take the first quote that could end it: at the end of the line, before another
 * NAME=, or before a comma or brace of an array.
 */
static const char *quoted_end(const char *p)
{
	for (p++; *p; p++) {
		const char *after = p + 1, *name;

		if (*p != '"')
			continue;
		if (!strncmp(after, "...", 3))
			after += 3;
		if (!*after || *after == ',' || *after == '}')
			return after;
		name = after + 1;
		if (*after == ' ' && name_end(name) > name &&
		    *name_end(name) == '=')
			return after;
	}
	return p;
}

/*
 * Return the end of a character in quotes; NULL if @p is none.  Control characters
 * are written as \n, \t, \r and \xNN.  No other character is escaped, not even a
 * quote.
 */
static const char *character_end(const char *p)
{
	size_t n = 1;

	if (p[0] != '\'' || !p[1])
		return NULL;
	if (p[1] == '\\' && p[2] && p[2] != '\'')
		n = p[2] == 'x' && p[3] && p[4] ? 4 : 2;
	return p[1 + n] == '\'' ? p + n + 2 : NULL;
}

/* Return the end of a value: a blank ends it, except in quoted text and between { }. */
static const char *value_end(const char *p)
{
	bool braces = *p == '{';

	while (*p) {
		if (*p == '"') {
			p = quoted_end(p);
			continue;
		}
		if (character_end(p)) {
			p = character_end(p);
			continue;
		}
		if (*p == '}')
			braces = false;
		if (*p == ' ' && !braces)
			break;
		p++;
	}
	return p;
}

static void parse_values(const char *p, struct event_line *event)
{
	while (*(p = blanks(p))) {
		const char *equals = name_end(p), *end;
		struct event_value *value;

		if (equals == p || *equals != '=')
			return;
		end = value_end(equals + 1);
		event->values = grow(event->values, event->n, &event->cap,
				     sizeof(*event->values));
		value = &event->values[event->n++];
		value->name = p;
		value->name_len = equals - p;
		value->text = equals + 1;
		value->text_len = end - value->text;
		p = end;
	}
}

/**
 * event_line_parse() - parse a line about a hit
 * @line: the line, without its newline; must outlive @event
 * @event: filled in on success; to be freed with event_line_free()
 *
 * Return: whether the line is about a hit.
 */
bool event_line_parse(const char *line, struct event_line *event)
{
	memset(event, 0, sizeof(*event));
	event->comm = blanks(line);
	for (const char *p = event->comm; *p; p++) {
		if (!parse_from(p, event))
			continue;
		event->comm_len = p - event->comm;
		parse_values(event->rest, event);
		return true;
	}
	return false;
}

void event_line_free(struct event_line *event)
{
	free(event->values);
	memset(event, 0, sizeof(*event));
}

/* Return the number of bytes of the first @max characters; do not split UTF-8 characters. */
static size_t characters(const char *s, size_t len, size_t max)
{
	size_t n;

	for (n = 0; n < len; n++)
		if (((unsigned char)s[n] & 0xc0) != 0x80 && !max--)
			break;
	return n;
}

/**
 * event_line_cut() - shorten the strings of a line
 * @line: the line
 * @event: the same line, parsed
 * @max: number of characters that a string keeps; dots replace the others
 *
 * Return: the line with shorter strings, from malloc().
 */
char *event_line_cut(const char *line, const struct event_line *event,
		     size_t max)
{
	const char *p = line;
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return xstrdup(line);
	for (size_t i = 0; i < event->n; i++) {
		const struct event_value *value = &event->values[i];
		const char *s = value->text;
		size_t len = value->text_len, n;

		if (len < 2 || s[0] != '"')
			continue;
		/* A string that the tracer has cut already ends in dots. */
		while (len > 2 && s[len - 1] == '.')
			len--;
		n = characters(s + 1, len - 2, max);
		if (n == len - 2)
			continue;
		fwrite(p, 1, s + 1 + n - p, out);
		fputs("\"...", out);
		p = s + value->text_len;
	}
	fputs(p, out);
	fclose(out);
	return text;
}

/**
 * event_line_lost() - check for the line that reports lost events
 * @line: the line
 * @lost: set to their number
 */
bool event_line_lost(const char *line, u64 *lost)
{
	unsigned long long n;
	int end = 0;

	if (sscanf(line, "CPU:%*u [LOST %llu EVENTS]%n", &n, &end) != 1 || !end)
		return false;
	*lost = n;
	return true;
}

/* Most JSON readers store numbers as doubles: larger integers would be rounded. */
#define INTEGER_MAX (1ull << 53)

/*
 * Check for a JSON number that a reader can store exactly.  A number with a point
 * or an exponent comes from a floating-point type, and a reader can store it.
 */
static bool is_number(const char *s, size_t len)
{
	const char *end = s + len, *p = s + (len && *s == '-'), *q = digits(p);

	if (q == p || q > end || (*p == '0' && q > p + 1))
		return false;
	if (q == end)
		return q - p <= 16 && strtoull(p, NULL, 10) <= INTEGER_MAX;
	if (*q == '.') {
		p = q + 1;
		q = digits(p);
		if (q == p)
			return false;
	}
	if (q < end && *q == 'e') {
		p = q + 1;
		p += *p == '-' || *p == '+';
		q = digits(p);
		if (q == p)
			return false;
	}
	return q == end;
}

static void put_value(FILE *out, const char *s, size_t len);

static void put_array(FILE *out, const char *p, const char *end)
{
	putc('[', out);
	while (p < end) {
		const char *next = *p == '"' ? quoted_end(p) : character_end(p);

		if (!next)
			next = memchr(p, ',', end - p);
		if (!next || next > end)
			next = end;
		put_value(out, p, next - p);
		p = next < end ? next + 1 : end;
		if (p < end)
			putc(',', out);
	}
	putc(']', out);
}

static void put_character(FILE *out, const char *s, size_t len)
{
	unsigned int code;
	char c = s[1];

	if (len == 4)
		c = s[2] == 'n' ? '\n' : s[2] == 't' ? '\t' : '\r';
	else if (len > 4 && sscanf(s + 3, "%2x", &code) == 1)
		c = code;
	json_string(out, &c, 1);
}

static void put_value(FILE *out, const char *s, size_t len)
{
	if (len == 7 && !strncmp(s, "(fault)", 7))
		fputs("null", out);
	else if (len >= 2 && s[0] == '"' && s[len - 1] == '"')
		json_string(out, s + 1, len - 2);
	else if (len >= 2 && s[0] == '{' && s[len - 1] == '}')
		put_array(out, s + 1, s + len - 1);
	else if (character_end(s) == s + len)
		put_character(out, s, len);
	else if (is_number(s, len))
		fprintf(out, "%.*s", (int)len, s);
	else
		/* For example inf, nan, and a cut string with its quotes and dots. */
		json_string(out, s, len);
}

/**
 * event_line_json() - write a line as one JSON object, which is not closed yet
 * @event: the line
 * @name: name of the event in the object
 * @json: where to
 *
 * These values become strings: whole numbers that a double cannot store exactly,
 * hexadecimal numbers, and text that is no number.
 */
void event_line_json(const struct event_line *event, const char *name, struct json *json)
{
	json_open(json, NULL, '{');
	json_raw(json, "time", "%.*s", (int)event->time_len, event->time);
	json_text(json, "event", name);
	json_key(json, "comm", strlen("comm"));
	json_string(json->out, event->comm, event->comm_len);
	if (event->pid)
		json_number(json, "pid", event->pid);
	json_number(json, "tid", event->tid);
	json_number(json, "cpu", event->cpu);
	json_hex(json, "address", event->addr);
	if (event->is_return)
		json_hex(json, "function", event->func);
	json_open(json, "args", '{');
	for (size_t i = 0; i < event->n; i++) {
		const struct event_value *value = &event->values[i];

		json_key(json, value->name, value->name_len);
		put_value(json->out, value->text, value->text_len);
	}
	json_close(json, '}');
}
