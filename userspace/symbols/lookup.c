// SPDX-License-Identifier: GPL-2.0
#include "lookup.h"

#include <stdlib.h>
#include <string.h>

#include "demangle.h"
#include "lookup_missed.h"
#include "names.h"
#include "util/error.h"
#include "util/util.h"

void matches_add(struct matches *matches, const struct symbol *sym)
{
	matches->v = grow(matches->v, matches->n, &matches->cap, sizeof(*matches->v));
	matches->v[matches->n++] = sym;
}

void matches_free(struct matches *matches)
{
	free(matches->v);
	memset(matches, 0, sizeof(*matches));
}

/**
 * symbol_qualified() - check whether f@QUALIFIER stands for a symbol
 * @sym: a symbol with the name f
 * @qualifier: a version, or a source file with or without its directories
 */
static bool symbol_qualified(const struct symbol *sym, const char *qualifier)
{
	const char *base;

	if (sym->version && !strcmp(sym->version, qualifier))
		return true;
	if (!sym->file)
		return false;
	base = strrchr(sym->file, '/');
	return !strcmp(sym->file, qualifier) ||
	       (base && !strcmp(base + 1, qualifier));
}

/* Check for a function that link-time optimisation has given a unique name. */
static bool is_renamed(const char *symbol, const char *name, size_t len)
{
	const char *suffix;

	if (strncmp(symbol, name, len) || symbol[len] != '.')
		return false;
	suffix = clone_suffix(symbol);
	return suffix == symbol + len && !*clone_kind(suffix);
}

#define ANY_TYPES "[...]"

/*
 * Check for an instance of a generic Go function.  Go's tracebacks and the
 * function table write [...] for the types: main.(*Stack[...]).Push.
 */
static bool is_instance(const char *symbol, const char *name)
{
	const char *any;

	while ((any = strstr(name, ANY_TYPES))) {
		size_t len = any - name;
		int depth = 0;

		if (strncmp(symbol, name, len) || symbol[len] != '[')
			return false;
		symbol += len;
		do {
			depth += (*symbol == '[') - (*symbol == ']');
		} while (*symbol++ && depth);
		if (depth)
			return false;
		name = any + strlen(ANY_TYPES);
	}
	return !strcmp(symbol, name);
}

static void match_instances(const struct symbols *syms, const char *name,
			    struct matches *found)
{
	if (!strstr(name, ANY_TYPES))
		return;
	for (size_t i = 0; i < syms->n; i++)
		if (is_instance(syms->v[i].name, name) &&
		    symbol_is_function(syms, &syms->v[i]))
			matches_add(found, &syms->v[i]);
}

static void match_plain(const struct symbols *syms, const char *name,
			bool renamed, struct matches *found)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < syms->n; i++) {
		const struct symbol *sym = &syms->v[i];

		if (renamed ? is_renamed(sym->name, name, len) :
			      !strcmp(sym->name, name))
			if (symbol_is_function(syms, sym))
				matches_add(found, sym);
	}
}

/*
 * Demangling all symbols of a program is slow.  A mangled name contains each
 * identifier literally, so demangle only the names that contain the wanted
 * base identifier.
 */
static void match_demangled(const struct symbols *syms, const char *name,
			    bool renamed, enum demangle_form form,
			    struct matches *found)
{
	char *squeezed = name_squeeze(name), *base = name_base(name);

	for (;;) {
		for (size_t i = 0; i < syms->n; i++) {
			const struct symbol *sym = &syms->v[i];
			const char *suffix;
			size_t len;

			if (!is_mangled(sym->name) ||
			    (base && !strstr(sym->name, base)))
				continue;
			suffix = clone_suffix(sym->name);
			if (renamed ? !suffix || *clone_kind(suffix) :
				      form == DEMANGLE_NAME && suffix)
				continue;
			len = renamed ? (size_t)(suffix - sym->name) :
					strlen(sym->name);
			if (symbol_is_function(syms, sym) &&
			    demangles_to(sym->name, len, squeezed, form))
				matches_add(found, sym);
		}
		/* Mangled forms abbreviate std::string and the like, so retry without @base. */
		if (found->n || !base || strncmp(name, "std::", 5))
			break;
		free(base);
		base = NULL;
	}
	free(base);
	free(squeezed);
}

static void keep(struct matches *found, bool (*wanted)(const struct symbol *,
						       const char *),
		 const char *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < found->n; i++)
		if (wanted(found->v[i], arg))
			found->v[n++] = found->v[i];
	found->n = n;
}

static bool not_hidden(const struct symbol *sym, const char *arg)
{
	(void)arg;
	return !sym->hidden;
}

/* Rate the information in a symbol, to choose one of several names for one place. */
static int information(const struct symbol *sym)
{
	return (sym->type == STT_GNU_IFUNC) * 16 + !!sym->size * 8 +
	       !!sym->version * 4 + !!sym->file * 2 + (sym->bind != STB_LOCAL);
}

static int by_place(const void *pa, const void *pb)
{
	const struct symbol *a = *(const struct symbol *const *)pa;
	const struct symbol *b = *(const struct symbol *const *)pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return information(b) - information(a);
}

static void one_per_place(struct matches *found)
{
	size_t n = 0;

	qsort(found->v, found->n, sizeof(*found->v), by_place);
	for (size_t i = 0; i < found->n; i++)
		if (!n || found->v[n - 1]->addr != found->v[i]->addr)
			found->v[n++] = found->v[i];
	found->n = n;
}

/* Return a name that selects only this one of the matches. */
static char *distinct_name(const struct matches *found,
			   const struct symbol *sym)
{
	const char *const tags[] = { sym->version, sym->file };

	/* A mangled name selects one overload if no other match has that name. */
	if (is_mangled(sym->name)) {
		size_t same = 0;

		for (size_t i = 0; i < found->n; i++)
			same += !strcmp(found->v[i]->name, sym->name);
		if (same == 1)
			return xstrdup(sym->name);
	}
	for (size_t t = 0; t < ARRAY_SIZE(tags); t++) {
		const char *base;
		size_t same = 0;

		if (!tags[t])
			continue;
		base = strrchr(tags[t], '/');
		for (size_t i = 0; i < found->n; i++)
			same += symbol_qualified(found->v[i], tags[t]);
		if (same == 1)
			return xasprintf("%s@%s", sym->name,
					 base && tags[t] == sym->file ?
					 base + 1 : tags[t]);
	}
	return xasprintf("@0x%llx", (unsigned long long)sym->addr);
}

static struct error *ambiguous(const struct symbols *syms, const char *name,
			       const char *qualifier,
			       const struct matches *found)
{
	struct error *err;

	err = error_new(STATUS_NOT_FOUND,
			"%s%s%s names %zu functions of %s; name one of these, or use --all:",
			name, qualifier ? "@" : "", qualifier ? qualifier : "",
			found->n, syms->image->path);
	for (size_t i = 0; i < found->n; i++) {
		_cleanup_free_ char *spec = distinct_name(found, found->v[i]);
		_cleanup_free_ char *label = symbol_label(found->v[i]);
		const struct symbol *sym = found->v[i];

		error_append(err, "\n  %s\t%s at 0x%llx, %llu bytes%s%s", spec,
			     label, (unsigned long long)sym->addr,
			     (unsigned long long)sym->size,
			     sym->file ? ", from " : "",
			     sym->file ? sym->file : "");
	}
	return err;
}

static void match(const struct symbols *syms, const char *name,
		  struct matches *found)
{
	match_plain(syms, name, false, found);
	if (!found->n)
		match_instances(syms, name, found);
	if (!found->n)
		match_plain(syms, name, true, found);
	for (int renamed = 0; renamed <= 1; renamed++)
		for (int form = DEMANGLE_FULL;
		     !found->n && form <= DEMANGLE_NAME; form++)
			match_demangled(syms, name, renamed, form, found);
}

/**
 * lookup_is_symbol() - check whether a string is the name of a function's symbol
 * @syms: the symbols to search
 * @name: the string
 */
bool lookup_is_symbol(const struct symbols *syms, const char *name)
{
	struct matches found = { 0 };
	bool any;

	match_plain(syms, name, false, &found);
	any = found.n;
	matches_free(&found);
	return any;
}

/**
 * lookup_names_one() - check whether a string, taken literally, names a function
 * @syms: the symbols to search
 * @name: as for lookup_function()
 */
bool lookup_names_one(struct symbols *syms, const char *name)
{
	struct matches found = { 0 };
	bool any;

	match(syms, name, &found);
	any = found.n;
	matches_free(&found);
	return any;
}

/**
 * lookup_function() - find a function by its name
 * @syms: the symbols to search
 * @name: the symbol's name, or a C++ or Rust name with or without parameters
 * @qualifier: version or source file it must have, or NULL
 * @all: accept several functions of that name
 * @found: filled in on success with one symbol per address, lowest first; to
 *	be freed with matches_free() in any case
 *
 * An exact name takes precedence over a demangled name, and the default version
 * over other versions.
 */
struct error *lookup_function(struct symbols *syms, const char *name,
			      const char *qualifier, bool all,
			      struct matches *found)
{
	struct matches before;

	memset(found, 0, sizeof(*found));
	match(syms, name, found);
	if (!found->n && symbols_fetch(syms))
		match(syms, name, found);
	if (qualifier)
		keep(found, symbol_qualified, qualifier);
	if (!found->n)
		return lookup_missed(syms, name, qualifier);

	before = *found;
	if (!qualifier && !all) {
		keep(found, not_hidden, NULL);
		if (!found->n)
			*found = before;
	}
	one_per_place(found);
	if (found->n > 1 && !all)
		return ambiguous(syms, name, qualifier, found);
	return NULL;
}
