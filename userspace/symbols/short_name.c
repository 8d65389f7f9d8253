// SPDX-License-Identifier: GPL-2.0
#include "short_name.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "util/util.h"

/* Return the length of an operator at @p whose name has angle brackets; 0 if there is none. */
static size_t angled_operator(const char *p)
{
	static const char *const names[] = { "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=",
					     "->", "<", ">" };
	const size_t len = strlen("operator");

	if (strncmp(p, "operator", len))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_starts(p + len, names[i]))
			return len + strlen(names[i]);
	return 0;
}

/* Return the end of the angle brackets that open at @p. */
static const char *brackets_end(const char *p)
{
	int depth = 0;

	for (; *p; p++) {
		depth += *p == '<';
		/* The arrow of a function's type closes nothing. */
		if (*p == '>' && p[-1] != '-' && !--depth)
			return p + 1;
	}
	return p;
}

/* Leave out what stands in angle brackets; of Rust's <TYPE as TRAIT>, keep TYPE. */
static char *without_templates(const char *name)
{
	char *out = xmalloc(strlen(name) + 1);
	const char *p = name;
	size_t n = 0;

	if (*p == '<') {
		const char *end = brackets_end(p), *as = strstr(p, " as ");
		char *type = xstrndup(p + 1, (as && as < end ? as : end - 1) - (p + 1));
		char *inner = without_templates(type);

		n = strlen(inner);
		memcpy(out, inner, n);
		free(inner);
		free(type);
		p = end;
	}
	while (*p) {
		size_t operator = angled_operator(p);

		if (operator) {
			memcpy(out + n, p, operator);
			n += operator;
			p += operator;
		} else if (*p == '<') {
			p = brackets_end(p);
			/* Rust writes f::<T>. */
			if (n > 2 && !strncmp(out + n - 2, "::", 2) && str_starts(p, "::"))
				n -= 2;
		} else {
			out[n++] = *p++;
		}
	}
	out[n] = '\0';
	return out;
}

/* In Go, the path of a package comes first, and type arguments stand in square brackets. */
static char *go_name(const char *name)
{
	size_t len = strcspn(name, "[");
	const char *slash = memrchr(name, '/', len);

	return slash ? xstrndup(slash + 1, len - (slash + 1 - name)) : xstrndup(name, len);
}

/**
 * short_name() - shorten the name of a function for a line of its own
 * @name: the symbol
 *
 * Return: the name without parameters, arguments of templates, the path of a package, and the
 * suffix of a clone; from malloc().
 */
char *short_name(const char *name)
{
	char *full = is_mangled(name) ? demangle(name, DEMANGLE_NAME) : NULL, *out;
	const char *suffix;

	if (full) {
		out = without_templates(full);
		free(full);
		if (*out)
			return out;
		free(out);
	}
	if (strchr(name, '/'))
		return go_name(name);
	suffix = clone_suffix(name);
	return suffix ? xstrndup(name, suffix - name) : xstrdup(name);
}
