// SPDX-License-Identifier: GPL-2.0
/*
 * Probe specifications: the forms of perf-tools, and a form with an event name:
 *
 *	p:bash:readline
 *	r:bash:readline +0($retval):string
 *	p:cmd /usr/sbin/mysqld:dispatch_command +0(%dx):string
 *	p:mygroup/cmd /usr/sbin/mysqld:dispatch_command
 *	p:prog:"ns::f(int, char const*)" %si
 *	u:libjvm.so:hotspot:class__loaded name=arg1:string
 *	p:"/opt/a:b/prog":parse
 *	p:/opt/sp\040ace/prog:parse
 *
 * The text after "p:" or "p " names a target if its first word is quoted,
 * starts a path, or contains a colon. Any other first word names an event.
 */
#include "probe_spec.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "error.h"
#include "util.h"

#define RETURN_SUFFIX "%return"
#define OPERATOR "operator"

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static size_t word_len(const char *p)
{
	return strcspn(p, " \t");
}

/*
 * The characters that can follow "operator " in a function name: those of
 * types such as "unsigned long", and of "new".
 */
#define TYPE_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:*&<>,[] "

/*
 * Return the end of "operator<", "operator->", "operator unsigned long" and
 * similar names at @p. If no such name starts there, return @p.
 */
static const char *skip_operator(const char *start, const char *p)
{
	size_t n = strlen(OPERATOR);

	if (strncmp(p, OPERATOR, n) ||
	    (p > start && (isalnum((unsigned char)p[-1]) || p[-1] == '_')))
		return p;
	p += n;
	if (!strncmp(p, "()", 2))
		return p + 2;
	if (!strncmp(p, "\"\"", 2))
		return p[2] == ' ' ? p + 3 : p + 2;
	if (*p == ' ') {
		p++;
		n = strspn(p, TYPE_CHARACTERS);
		return p[n] == '(' ? p + n : p;
	}
	p += strspn(p, "<>=-");
	/* A blank separates "<" from template arguments. */
	return !strncmp(p, " <", 2) ? p + 1 : p;
}

/* Return the end of a method of Objective-C, -[Cart add:count:], at @p; @p if there is none. */
static const char *skip_method(const char *p)
{
	const char *end;

	if ((*p != '-' && *p != '+') || p[1] != '[')
		return p;
	/* In the pattern -[[]Cart *] the first closing bracket belongs to the opening one. */
	end = strchr(str_starts(p + 2, "[]") ? p + 4 : p + 2, ']');
	return end ? end + 1 : p;
}

/*
 * Return the length of a function's name, or 0 if its brackets do not match.
 * Blanks inside brackets and the "const" of a method belong to the name.
 */
static size_t function_len(const char *start)
{
	const char *p = start;
	int depth = 0;

	while (*p && (depth || (*p != ' ' && *p != '\t'))) {
		const char *next = skip_operator(start, p);

		if (next == p && !depth)
			next = skip_method(p);
		if (next > p) {
			p = next;
			continue;
		}
		if (*p == '(' || *p == '<')
			depth++;
		else if (*p == ')' || *p == '>')
			depth--;
		if (depth < 0)
			return 0;
		p++;
	}
	if (depth)
		return 0;
	if (p > start && p[-1] == ')' && str_starts(p, " const") &&
	    (!p[6] || p[6] == ' ' || p[6] == '\t'))
		p += 6;
	return p - start;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* Check for the start of a path. No event name starts like this. */
static bool starts_path(const char *p)
{
	return *p == '/' || str_starts(p, "./") || str_starts(p, "../");
}

/* Return the length of a quoted word at @p with its quotes; 0 if the closing quote is missing. */
static size_t quoted_len(const char *p)
{
	const char *end = strchr(p + 1, *p);

	return end ? end + 1 - p : 0;
}

/**
 * target_name() - remove quotes and escapes from a target
 * @word: the target, perhaps in quotes, perhaps with octal escapes such as \040
 * @len: its length
 *
 * Return: the name; the caller frees it.
 */
char *target_name(const char *word, size_t len)
{
	bool quoted = len > 1 && is_quote(*word) && word[len - 1] == *word;
	char *name = quoted ? xstrndup(word + 1, len - 2) : xstrndup(word, len);

	path_unescape(name);
	return name;
}

static bool names_file(const char *word, size_t len)
{
	_cleanup_free_ char *path = NULL;
	struct stat st;

	if (!memchr(word, '/', len))
		return false;
	path = target_name(word, len);
	return !stat(path, &st) && S_ISREG(st.st_mode);
}

/*
 * Return the length of the target at @p, which ends before a colon; 0 if there is no target.
 * A path can contain colons and blanks: if the text before one of the colons is the path of a
 * regular file, that text is the target. Otherwise the first colon of the first word ends it.
 */
static size_t target_len(const char *p)
{
	size_t word = starts_path(p) ? strlen(p) : word_len(p), len;
	const char *colon;

	if (is_quote(*p)) {
		len = quoted_len(p);
		return len > 2 && p[len] == ':' ? len : 0;
	}
	for (colon = p; (colon = memchr(colon, ':', p + word - colon)); colon++)
		if (names_file(p, colon - p))
			return colon - p;
	colon = memchr(p, ':', word_len(p));
	return colon ? colon - p : 0;
}

/**
 * is_probe_spec() - check whether a word is a probe and not a filter or a command
 * @text: a word of the command line
 *
 * In a filter, p, r and u can be names of arguments: "p == 5" compares argument p.
 */
bool is_probe_spec(const char *text)
{
	const char *p;

	if (!*text || !strchr("pru", *text))
		return false;
	if (text[1] == ':')
		return true;
	p = skip_blanks(text + 1);
	/* A target can be ~/prog if the shell does not expand the ~. */
	return p > text + 1 &&
	       (!*p || !strchr("=!<>&~", *p) || str_starts(p, "~/"));
}

/**
 * is_place() - check whether a word is TARGET:FUNCTION without the kind of a probe
 * @text: a word of the command line
 *
 * In a filter, a blank, quote, operator or bracket comes before any colon. Treat a single
 * letter before the colon as an unknown kind, not as a target.
 */
bool is_place(const char *text)
{
	size_t len = strcspn(text, ":");

	if (is_quote(*text) || starts_path(text))
		return target_len(text);
	return len > 1 && text[len] &&
	       strcspn(text, " \t\"'=!<>&|()") > len;
}

/**
 * probe_spec_full() - prepend the default kind p: to a probe without a kind
 * @text: the probe
 *
 * Return: the full probe; the caller frees it.
 */
char *probe_spec_full(const char *text)
{
	return is_probe_spec(text) || !is_place(text) ? xstrdup(text) :
							xasprintf("p:%s", text);
}

static const char *take_function(const char *p, struct probe_spec *spec)
{
	size_t len;

	if (*p == '"' || *p == '\'') {
		const char *end = strchr(p + 1, *p);

		if (!end)
			return NULL;
		/* An offset, a version or %return can follow the quotes. */
		len = word_len(end + 1);
		spec->function = xasprintf("%.*s%.*s", (int)(end - p - 1), p + 1, (int)len,
					   end + 1);
		return end + 1 + len;
	}
	len = function_len(p);
	if (!len)
		len = word_len(p);
	spec->function = xstrndup(p, len);
	return p + len;
}

static struct error *malformed(const char *text)
{
	return error_new(STATUS_USAGE,
			 "\"%s\" is no probe; write p:TARGET:FUNCTION, r:TARGET:FUNCTION or u:TARGET:PROBE, perhaps with an event's name and with arguments: 'p:EVENT TARGET:FUNCTION %%di'",
			 str_printable(text) ? text : "this");
}

static bool is_identifier(const char *name)
{
	if (!*name || isdigit((unsigned char)*name))
		return false;
	while (isascii((unsigned char)*name) &&
	       (isalnum((unsigned char)*name) || *name == '_'))
		name++;
	return !*name;
}

static struct error *take_name(const char *word, size_t len,
			       struct probe_spec *spec)
{
	const char *slash = memchr(word, '/', len);

	if (slash) {
		spec->group = xstrndup(word, slash - word);
		len -= slash + 1 - word;
		word = slash + 1;
	}
	if (len)
		spec->event = xstrndup(word, len);
	for (int i = 0; i < 2; i++) {
		const char *name = i ? spec->event : spec->group;

		if (!name)
			continue;
		if (!is_identifier(name))
			return error_new(STATUS_USAGE,
					 "%s names are made of letters, digits and _, and do not start with a digit",
					 i ? "event" : "group");
	}
	return NULL;
}

static struct error *parse(const char *text, struct probe_spec *spec)
{
	const char *p = skip_blanks(text);
	struct error *err;
	size_t len;

	spec->kind = *p;
	if (!is_probe_spec(p))
		return malformed(text);
	p = p[1] == ':' ? p + 2 : skip_blanks(p + 1);
	len = word_len(p);
	if (!is_quote(*p) && !starts_path(p) && !memchr(p, ':', len)) {
		err = take_name(p, len, spec);
		if (err)
			return err;
		p = skip_blanks(p + len);
	}
	len = target_len(p);
	if (!len)
		return malformed(text);
	spec->target = target_name(p, len);
	p = take_function(skip_blanks(p + len + 1), spec);
	if (!p || !*spec->function)
		return malformed(text);
	if (spec->kind == 'p' && str_ends(spec->function, RETURN_SUFFIX)) {
		spec->function[strlen(spec->function) -
			       strlen(RETURN_SUFFIX)] = '\0';
		spec->kind = 'r';
	}
	spec->args = xstrdup(skip_blanks(p));
	len = strlen(spec->args);
	while (len && isspace((unsigned char)spec->args[len - 1]))
		spec->args[--len] = '\0';
	/* The arguments become part of one line of a control file. */
	if (!str_printable(spec->args))
		return error_new(STATUS_USAGE,
				 "the arguments of the probe have control characters; write them in one line, separated by blanks");
	return NULL;
}

/**
 * probe_spec_parse() - parse a probe of the command line
 * @text: the probe
 * @spec: filled in on success; to be freed with probe_spec_free()
 */
struct error *probe_spec_parse(const char *text, struct probe_spec *spec)
{
	struct error *err;

	memset(spec, 0, sizeof(*spec));
	err = parse(text, spec);
	if (err)
		probe_spec_free(spec);
	return err;
}

void probe_spec_free(struct probe_spec *spec)
{
	free(spec->group);
	free(spec->event);
	free(spec->target);
	free(spec->function);
	free(spec->args);
	memset(spec, 0, sizeof(*spec));
}
