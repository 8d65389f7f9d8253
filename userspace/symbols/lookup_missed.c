// SPDX-License-Identifier: GPL-2.0
/* Explain why a name stands for no function, and suggest names to try instead. */
#include <stdlib.h>
#include <string.h>

#include "lookup_missed.h"
#include "demangle.h"
#include "util/error.h"
#include "import.h"
#include "lookup.h"
#include "suggest.h"
#include "names.h"
#include "util/util.h"

/* @base is name_base(@name).  It rules out most symbols without demangling them. */
static bool same_name(const struct symbol *sym, const char *name,
		      const char *base)
{
	_cleanup_free_ char *pretty = NULL;

	if (!strcmp(sym->name, name))
		return true;
	if (!is_mangled(sym->name) || !base || !strstr(sym->name, base))
		return false;
	pretty = demangle(sym->name, DEMANGLE_NAME);
	return pretty && !strcmp(pretty, name);
}

static struct error *wrong_qualifier(const struct symbols *syms,
				     const char *name, const char *qualifier)
{
	_cleanup_free_ char *base = name_base(name);
	struct error *err = NULL;

	for (size_t i = 0; i < syms->n; i++) {
		const struct symbol *sym = &syms->v[i];
		const char *tag = sym->version ? sym->version : sym->file;

		if (!same_name(sym, name, base) ||
		    !symbol_is_function(syms, sym))
			continue;
		if (!err)
			err = error_new(STATUS_NOT_FOUND,
					"no %s in %s has the version or source file %s; name one of these:",
					name, syms->image->path, qualifier);
		if (tag)
			error_append(err, "\n  %s@%s", name, tag);
		else
			error_append(err, "\n  @0x%llx\t%s, without version or known source file",
				     (unsigned long long)sym->addr, name);
	}
	return err;
}

static struct error *explain_import(const struct symbols *syms,
				    const struct symbol *sym)
{
	_cleanup_free_ char *file = import_find_definer(syms, sym);
	_cleanup_free_ char *definer = file ? path_escape(file) : NULL;
	struct error *err;

	if (definer)
		err = error_new(STATUS_NOT_FOUND,
				"%s is imported by %s and defined in %s; probe it there: uprobe offset %s %s",
				sym->name, syms->image->path, definer, definer,
				sym->name);
	else if (sym->library)
		err = error_new(STATUS_NOT_FOUND,
				"%s is imported by %s from %s, which is not installed; find that library and probe it there",
				sym->name, syms->image->path, sym->library);
	else
		err = error_new(STATUS_NOT_FOUND,
				"%s is imported by %s and none of the libraries that it needs defines it; find the library that it loads at run time: uprobe offset -p PID",
				sym->name, syms->image->path);
	return err;
}

/* Report a name that exists but is no function of this file. */
static struct error *not_here(const struct symbols *syms, const char *name)
{
	const struct symbol *undefined = NULL, *data = NULL;
	char *base = name_base(name);

	for (size_t i = 0; i < syms->n && !data; i++) {
		const struct symbol *sym = &syms->v[i];

		if (!same_name(sym, name, base) ||
		    symbol_is_function(syms, sym))
			continue;
		if (sym->defined)
			data = sym;
		else if (!undefined || sym->library)
			/* Prefer an entry that names its library. */
			undefined = sym;
	}
	free(base);
	if (data)
		return error_new(STATUS_NOT_FOUND,
				 "%s is not a function of %s but a variable or constant of %llu bytes at 0x%llx; name a function",
				 name, syms->image->path,
				 (unsigned long long)data->size,
				 (unsigned long long)data->addr);
	return undefined ? explain_import(syms, undefined) : NULL;
}

/* @squeezed and @base are name_squeeze(@name) and name_base(@name). */
static bool is_clone_of(const struct symbol *sym, const char *name,
			const char *squeezed, const char *base)
{
	const char *suffix = clone_suffix(sym->name);
	size_t len = suffix ? suffix - sym->name : 0;

	if (!suffix)
		return false;
	if (!is_mangled(sym->name) || is_mangled(name))
		return strlen(name) == len && !strncmp(sym->name, name, len);
	if (base && !strstr(sym->name, base))
		return false;
	for (int form = DEMANGLE_FULL; form <= DEMANGLE_NAME; form++)
		if (demangles_to(sym->name, len, squeezed, form))
			return true;
	return false;
}

static struct error *only_clones(const struct symbols *syms, const char *name)
{
	_cleanup_free_ char *squeezed = name_squeeze(name), *base = name_base(name);
	struct error *err = NULL;

	for (size_t i = 0; i < syms->n; i++) {
		const struct symbol *sym = &syms->v[i];
		char *label;

		if (!is_clone_of(sym, name, squeezed, base) ||
		    !symbol_is_function(syms, sym))
			continue;
		if (!err)
			err = error_new(STATUS_NOT_FOUND,
					"the compiler left no function %s in %s, only clones that callers can bypass; name one:",
					name, syms->image->path);
		label = symbol_label(sym);
		error_append(err, "\n  %s", label);
		free(label);
	}
	return err;
}

static struct error *unknown(const struct symbols *syms, const char *name)
{
	const struct symbol *near[SUGGESTIONS_MAX];
	size_t n = suggest(syms, name, near), functions = 0;
	const char *path = syms->image->path;
	struct error *err;

	for (size_t i = 0; i < syms->n; i++)
		functions += symbol_is_function(syms, &syms->v[i]);
	if (!functions)
		err = error_new(STATUS_NOT_FOUND,
				"%s has no symbols, so it is not known where %s is; install its debug symbols or give a file offset: 0xOFFSET",
				path, name);
	else if (!syms->full)
		err = error_new(STATUS_NOT_FOUND,
				"there is no function %s among those that %s exports, and its other symbols were stripped; install its debug symbols, or see: uprobe list %s",
				name, path, path);
	else
		err = error_new(STATUS_NOT_FOUND,
				"there is no function %s in %s; see: uprobe list %s",
				name, path, path);
	if (n)
		error_append(err, "\n  names near it:");
	for (size_t i = 0; i < n; i++) {
		_cleanup_free_ char *label = symbol_label(near[i]);

		error_append(err, "\n  %s", label);
	}
	return err;
}

/**
 * lookup_missed() - explain why a name was not found
 * @syms: the symbols that were searched
 * @name: the name
 * @qualifier: the version or source file asked for, or NULL
 */
struct error *lookup_missed(struct symbols *syms, const char *name,
			    const char *qualifier)
{
	struct error *err = NULL;

	if (qualifier)
		err = wrong_qualifier(syms, name, qualifier);
	if (!err)
		err = not_here(syms, name);
	if (!err)
		err = only_clones(syms, name);
	if (!err)
		err = unknown(syms, name);
	return err;
}
