// SPDX-License-Identifier: GPL-2.0
#include "pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "util/error.h"
#include "lookup.h"
#include "util/probe_spec.h"
#include "stack_check.h"
#include "symbols.h"
#include "elf/text.h"
#include "util/progress.h"
#include "util/util.h"

/**
 * struct omitted - numbers of functions that match and are left out
 * @resolvers: IFUNC resolvers, which run once
 * @sizeless: symbols without a size, which may be data
 * @refused: the module cannot probe their first instruction
 * @looking_back: they use their return address, as setjmp() does
 */
struct omitted {
	size_t resolvers;
	size_t sizeless;
	size_t refused;
	size_t looking_back;
};

/** pattern_has() - check whether a string has characters of a pattern */
bool pattern_has(const char *function)
{
	return strpbrk(function, "*?[");
}

/* Demangling all symbols is slow: do it only for a string that can be a name of C++ or Rust. */
static bool is_name(struct symbols *syms, const char *text)
{
	return lookup_is_symbol(syms, text) ||
	       ((strpbrk(text, "(<") || strstr(text, "operator") || strstr(text, "[abi:")) &&
		lookup_names_one(syms, text));
}

/**
 * pattern_is_name() - check whether a string with characters of a pattern is a name
 * @syms: the symbols of the target
 * @function: the string: NAME[@FILE|@VERSION][+OFF]
 *
 * Names of C++ and Objective-C can have these characters, too: f(char const*), operator*,
 * operator[], -[Cart add:count:].
 */
bool pattern_is_name(struct symbols *syms, const char *function)
{
	char *name = xstrdup(function), *end = strrchr(name, '+');
	bool is = is_name(syms, name);
	u64 delta;

	if (!is && end && parse_u64(end + 1, &delta)) {
		*end = '\0';
		is = is_name(syms, name);
	}
	end = strrchr(name, '@');
	if (!is && end) {
		*end = '\0';
		is = is_name(syms, name);
	}
	free(name);
	return is;
}

/* Check for the start of an Objective-C method, whose class is in brackets; -[[] is a pattern. */
static bool is_method(const char *name)
{
	return (*name == '-' || *name == '+') && name[1] == '[' && !str_starts(name + 2, "[]");
}

/**
 * pattern_glob() - get the form of a pattern that fnmatch() takes
 * @pattern: the pattern
 * @literal: no character has a meaning
 *
 * The brackets of a method of Objective-C are no part of the pattern in -[Cart *] either.
 *
 * Return: the form, from malloc().
 */
char *pattern_glob(const char *pattern, bool literal)
{
	char *glob = xmalloc(2 * strlen(pattern) + 1), *out = glob;

	for (const char *p = pattern; *p; p++) {
		if (literal ? !!strchr("*?[\\", *p) :
			      p == pattern + 1 && is_method(pattern))
			*out++ = '\\';
		*out++ = *p;
	}
	*out = '\0';
	return glob;
}

/* @squeezed is the pattern without insignificant blanks. */
static bool name_matches(const struct symbol *sym, const char *pattern,
			 const char *squeezed)
{
	bool match = !fnmatch(pattern, sym->name, 0);

	/* Try the forms with parameters only if the pattern has parameters. */
	for (int form = strchr(pattern, '(') ? DEMANGLE_FULL : DEMANGLE_NAME;
	     !match && form <= DEMANGLE_NAME && is_mangled(sym->name); form++) {
		char *pretty = demangle(sym->name, form), *s;

		if (!pretty)
			break;
		s = name_squeeze(pretty);
		match = !fnmatch(squeezed, s, 0);
		free(s);
		free(pretty);
	}
	return match;
}

/* Of several names for one place, put the shortest global name with a size first. */
static int by_place(const void *pa, const void *pb)
{
	const struct symbol *a = *(const struct symbol *const *)pa;
	const struct symbol *b = *(const struct symbol *const *)pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (!a->size != !b->size)
		return !a->size - !b->size;
	if (a->bind != b->bind && (!a->bind || !b->bind))
		return a->bind ? -1 : 1;	/* STB_LOCAL is 0 */
	if (strlen(a->name) != strlen(b->name))
		return strlen(a->name) < strlen(b->name) ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* If a stripped file exports no more functions than this, the user hardly means these alone. */
#define FEW 20

/**
 * pattern_address() - get the address at which a matching function is probed
 * @syms: the symbols of its target
 * @sym: the function
 * @kind: 'p' for the address that each call reaches once, 'r' for the address
 *	that a return probe needs
 */
u64 pattern_address(const struct symbols *syms, const struct symbol *sym, char kind)
{
	return kind == 'p' ? stack_check_end(syms->image, sym->addr) : sym->addr;
}

static bool wanted(const struct symbols *syms, const struct symbol *sym,
		   char kind, struct omitted *omitted)
{
	struct error *err;

	if (sym->type == STT_GNU_IFUNC) {
		omitted->resolvers++;
		return false;
	}
	if (!sym->size) {
		omitted->sizeless++;
		return false;
	}
	if (kind == 'r' && !text_keeps_return(syms->image, sym->addr)) {
		omitted->looking_back++;
		return false;
	}
	if (kind == 'r' && cold_suffix(sym->name))
		return false;
	err = text_check_probable(syms->image, pattern_address(syms, sym, kind));
	if (!err)
		return true;
	omitted->refused++;
	error_free(err);
	return false;
}

static void report_omitted(const char *spec, const struct omitted *omitted)
{
	const struct {
		size_t n;
		const char *what;
	} kinds[] = {
		{ omitted->resolvers, "IFUNC resolvers" },
		{ omitted->sizeless, "symbols without a size" },
		{ omitted->refused, "whose first instruction cannot be probed" },
		{ omitted->looking_back, "that use their own return address" },
	};
	char *text = xstrdup(""), *more;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!kinds[i].n)
			continue;
		more = xasprintf("%s%s%zu %s", text, *text ? ", " : "",
				 kinds[i].n, kinds[i].what);
		free(text);
		text = more;
	}
	if (*text)
		remark("%s leaves out: %s", spec, text);
	free(text);
}

/**
 * pattern_find() - find the functions that match a pattern
 * @spec: the probe
 * @syms: the symbols of its target
 * @found: set on success to one symbol for each place; to be freed with matches_free() in any
 *	case
 *
 * Leave out the functions that match but cannot be probed, and print a note about them.
 */
struct error *pattern_find(const struct probe_spec *spec, struct symbols *syms,
			   struct matches *found)
{
	char *glob = pattern_glob(spec->function, pattern_is_name(syms, spec->function));
	char *squeezed = name_squeeze(glob);
	const char *path = syms->image->path;
	struct omitted omitted = { 0 };
	const struct symbol *last = NULL;
	struct progress progress;
	size_t n = 0;

	progress_begin(&progress, "symbols compared with the pattern");
	memset(found, 0, sizeof(*found));
	for (size_t i = 0; i < syms->n; i++) {
		progress_step(&progress, i, syms->n);
		if (symbol_is_function(syms, &syms->v[i]) &&
		    name_matches(&syms->v[i], glob, squeezed))
			matches_add(found, &syms->v[i]);
	}
	progress_end(&progress);
	free(squeezed);
	free(glob);
	if (found->n)
		qsort(found->v, found->n, sizeof(*found->v), by_place);
	progress_begin(&progress, "functions checked");
	for (size_t i = 0; i < found->n; i++) {
		progress_step(&progress, i, found->n);
		if (last && last->addr == found->v[i]->addr)
			continue;
		last = found->v[i];
		if (wanted(syms, last, spec->kind, &omitted))
			found->v[n++] = last;
	}
	progress_end(&progress);
	found->n = n;
	report_omitted(spec->function, &omitted);
	if (n)
		return NULL;
	return error_new(STATUS_NOT_FOUND,
			 "no function of %s that can be probed matches %s; see: uprobe list %s",
			 path, spec->function, path);
}

/**
 * pattern_report_stripped() - tell the user why few functions match
 * @syms: the symbols of the target
 * @found: the functions
 */
void pattern_report_stripped(const struct symbols *syms, const struct matches *found)
{
	if (!syms->full && found->n && found->n < FEW)
		remark("%s is stripped: only %zu of the functions that it exports match",
		       syms->image->path, found->n);
}
