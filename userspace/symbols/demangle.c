// SPDX-License-Identifier: GPL-2.0
#include "demangle.h"

#include <ctype.h>
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#undef ARRAY_SIZE /* libiberty.h has one too */
#include "util/util.h"

/*
 * A short mangled name can expand to an enormous one: each substitution can
 * double the length.  The longest name in Debian's libraries has about 20,000
 * bytes.
 */
#define DEMANGLED_MAX 65536
#define MANGLED_MAX 32768

struct output {
	char *text;
	size_t len, cap;
	jmp_buf too_long;
};

/*
 * Collect the output of a demangler.  A demangler has no way to be stopped, so
 * leave it by longjmp if the name is too long.  This is safe: a demangler holds
 * no allocated memory while it writes a C++ name, and at most one short buffer
 * while it writes a Rust name.
 */
static void collect(const char *s, size_t n, void *opaque)
{
	struct output *out = opaque;

	if (n > DEMANGLED_MAX - out->len)
		longjmp(out->too_long, 1);
	while (out->cap - out->len <= n) {
		out->cap = out->cap ? 2 * out->cap : 256;
		out->text = xreallocarray(out->text, out->cap, 1);
	}
	memcpy(out->text + out->len, s, n);
	out->len += n;
	out->text[out->len] = '\0';
}

bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

static bool write_name(const char *mangled, int options, struct output *out)
{
	if (setjmp(out->too_long))
		return false;
	if (rust_demangle_callback(mangled, options, collect, out))
		return true;
	out->len = 0;
	return cplus_demangle_v3_callback(mangled, options, collect, out);
}

/**
 * demangle() - convert a symbol's name to the name in the source
 * @mangled: a symbol's name
 * @form: which parts of the name to write
 *
 * Return: the name, from malloc(); NULL if @mangled is not mangled, or if the
 * result would be absurdly long or not printable.
 */
char *demangle(const char *mangled, enum demangle_form form)
{
	static const int options[] = {
		[DEMANGLE_FULL] = DMGL_PARAMS | DMGL_ANSI,
		[DEMANGLE_CALL] = DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP,
		[DEMANGLE_NAME] = DMGL_ANSI,
	};
	struct output out = { 0 };

	if (!is_mangled(mangled) || strnlen(mangled, MANGLED_MAX) == MANGLED_MAX)
		return NULL;
	if (write_name(mangled, options[form], &out) && out.text &&
	    str_printable(out.text))
		return out.text;
	free(out.text);
	return NULL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' ||
	       (unsigned char)c >= 0x80;
}

/**
 * name_squeeze() - remove insignificant blanks from a name
 * @name: a name as a user or a demangler wrote it
 *
 * Return: the name, from malloc(), with blanks only where they separate words,
 * so that f(int,char const *) and f(int, char const*) become equal.
 */
char *name_squeeze(const char *name)
{
	char *out = xmalloc(strlen(name) + 1);
	size_t n = 0;

	for (const char *p = name; *p; p++) {
		if (*p == ' ') {
			while (p[1] == ' ')
				p++;
			if (!n || !is_word(out[n - 1]) || !is_word(p[1]))
				continue;
		}
		out[n++] = *p;
	}
	out[n] = '\0';
	return out;
}

/**
 * name_base() - get the identifier that the mangled form of a name must contain
 * @name: a C++ or Rust name as a programmer writes it
 *
 * Return: the last identifier outside parentheses and template arguments,
 * from malloc(); NULL for operators, which mangled names abbreviate.
 */
char *name_base(const char *name)
{
	const char *start = NULL, *end = NULL;
	int depth = 0;

	if (strstr(name, "operator"))
		return NULL;
	for (const char *p = name; *p; p++) {
		if (*p == '<' || *p == '(' || *p == '[' || *p == '{')
			depth++;
		else if (*p == '>' || *p == ')' || *p == ']' || *p == '}')
			depth--;
		if (*p == '(' && end && depth == 1)
			break;
		if (depth || !is_word(*p))
			continue;
		start = p;
		while (is_word(p[1]))
			p++;
		end = p + 1;
	}
	return start ? xstrndup(start, end - start) : NULL;
}

static bool is_suffix(const char *dot, const char *word)
{
	size_t n = strlen(word);

	return !strncmp(dot + 1, word, n) && (!dot[n + 1] || dot[n + 1] == '.');
}

/* Describe the first part of a suffix; ignore the parts after it. */
static const char *kind_of(const char *suffix)
{
	if (is_suffix(suffix, "cold") || is_suffix(suffix, "unlikely"))
		return "rarely executed part of";
	if (is_suffix(suffix, "part"))
		return "part split off from";
	if (is_suffix(suffix, "constprop"))
		return "copy for constant arguments of";
	if (is_suffix(suffix, "isra"))
		return "copy with changed arguments of";
	if (is_suffix(suffix, "lto_priv") || is_suffix(suffix, "llvm") ||
	    is_suffix(suffix, "localalias"))
		return "";
	return NULL;
}

/**
 * clone_suffix() - find the suffix that a compiler added to a function's name
 * @name: a symbol's name
 *
 * Return: the dot at the start of the suffix, or NULL.
 */
const char *clone_suffix(const char *name)
{
	const char *dot = name;

	while ((dot = strchr(dot + 1, '.')))
		if (kind_of(dot))
			return dot;
	return NULL;
}

/**
 * cold_suffix() - find the suffix that marks the cold part of a function
 * @name: a symbol's name
 *
 * The function jumps to its cold (rarely executed) part, so the cold part has
 * no return address of its own.
 *
 * Return: the dot at the start of the suffix, or NULL.
 */
const char *cold_suffix(const char *name)
{
	const char *dot = clone_suffix(name);

	while (dot && !is_suffix(dot, "cold"))
		dot = strchr(dot + 1, '.');
	return dot;
}

/**
 * clone_kind() - describe a suffix that a compiler added to a name
 * @suffix: the result of clone_suffix()
 *
 * Return: a phrase that fits in front of "f"; "" if the symbol is the function
 * itself under a changed name; NULL for an unknown suffix.
 */
const char *clone_kind(const char *suffix)
{
	const char *kind = kind_of(suffix);

	/* A renamed function can also be a clone or a part: describe the next suffix. */
	while (kind && !*kind && (suffix = clone_suffix(suffix)))
		kind = kind_of(suffix);
	return kind;
}
