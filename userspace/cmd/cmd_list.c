// SPDX-License-Identifier: GPL-2.0
/* uprobe list TARGET [GLOB] */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "symbols/demangle.h"
#include "util/error.h"
#include "dwarf/inlined.h"
#include "symbols/lookup.h"
#include "symbols/pattern.h"
#include "symbols/symbols.h"
#include "probe/target.h"
#include "util/json.h"
#include "util/util.h"
#include "symbols/names.h"

/**
 * struct copies - inlined copies of functions, by name
 * @v: the name of the function for each copy, mangled if it has a mangled name; sorted
 * @n: number of @v
 * @cap: capacity of @v
 */
struct copies {
	const char **v;
	size_t n;
	size_t cap;
};

/* @name: what the user gave; @glob: pattern_glob() of it */
static bool wanted(const struct symbol *sym, const char *name, const char *glob)
{
	_cleanup_free_ char *pretty = NULL;

	if (!name || !strcmp(name, sym->name) || !fnmatch(glob, sym->name, 0))
		return true;
	pretty = demangle(sym->name, DEMANGLE_NAME);
	return pretty && !fnmatch(glob, pretty, 0);
}

/* Sort by name; of several entries for one place, put the plainest first. */
static int by_name(const void *pa, const void *pb)
{
	const struct symbol *a = *(const struct symbol *const *)pa;
	const struct symbol *b = *(const struct symbol *const *)pb;
	int order = strcmp(a->name, b->name);

	if (order)
		return order;
	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->hidden != b->hidden)
		return a->hidden - b->hidden;
	return !!b->size - !!a->size;
}

static const char *binding(const struct symbol *sym)
{
	if (sym->type == STT_GNU_IFUNC)
		return "ifunc";
	switch (sym->bind) {
	case STB_LOCAL:
		return "local";
	case STB_WEAK:
		return "weak";
	default:
		return "global";
	}
}

static void add_copy(Dwarf_Die *copy, Dwarf_Die *function, void *arg)
{
	const char *name = die_linkage_name(function);
	struct copies *copies = arg;

	(void)copy;
	if (!name)
		name = die_name(function);
	if (!name)
		return;
	copies->v = grow(copies->v, copies->n, &copies->cap,
			 sizeof(*copies->v));
	copies->v[copies->n++] = name;
}

static int copy_by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void find_copies(struct target *target, struct copies *copies)
{
	const struct debug_info *info = target_debug_info(target, false);

	if (info)
		inlined_each(info, add_copy, copies);
	if (copies->n)
		qsort(copies->v, copies->n, sizeof(*copies->v), copy_by_name);
}

static size_t count_copies(const struct copies *copies, const char *name)
{
	size_t lo = 0, hi = copies->n, n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(copies->v[mid], name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (n = lo; n < copies->n && !strcmp(copies->v[n], name); n++)
		;
	return n - lo;
}

static void print_copies(size_t n)
{
	if (n)
		printf("\t(inlined %zu time%s)", n, n > 1 ? "s" : "");
}

/* Return what the compiler made the name of, or NULL. */
static char *full_name(const struct symbol *sym)
{
	return is_mangled(sym->name) ? demangle(sym->name, DEMANGLE_CALL) :
	       clone_suffix(sym->name) ? symbol_label(sym) : NULL;
}

/* Write what print_verbose() prints; a function without code has neither position nor size. */
static void print_json(const struct elf_image *img, const struct symbol *sym,
		       const struct copies *copies)
{
	struct json json = { .out = stdout };
	size_t inlined = count_copies(copies, sym->name);
	_cleanup_free_ char *full = full_name(sym);
	struct error *err;
	u64 offset;

	json_open(&json, NULL, '{');
	json_text(&json, "function", full ? full : sym->name);
	json_text(&json, "symbol", sym->name);
	err = elf_image_offset(img, sym->addr, &offset);
	if (!err)
		json_hex(&json, "offset", offset);
	if (sym->size)
		json_number(&json, "size", sym->size);
	json_text(&json, "binding", binding(sym));
	json_text(&json, "version", sym->version);
	if (sym->version)
		json_bool(&json, "default", !sym->hidden);
	json_text(&json, "source", sym->file);
	if (inlined)
		json_number(&json, "inlined", inlined);
	json_end(&json);
	error_free(err);
}

static void print_only_copy(const char *name, size_t n, bool as_json)
{
	struct json json = { .out = stdout };

	if (!as_json) {
		printf("%18s %8s %-6s %s", "-", "-", "inline", name);
		print_copies(n);
		putchar('\n');
		return;
	}
	json_open(&json, NULL, '{');
	json_text(&json, "function", name);
	json_text(&json, "symbol", name);
	json_text(&json, "binding", "inline");
	json_number(&json, "inlined", n);
	json_end(&json);
}

/* Print the functions that have only inlined copies, no code of their own; return how many. */
static size_t print_only_copies(const struct copies *copies, const struct matches *found,
				const char *glob, bool as_json)
{
	size_t shown = 0, n, i, at = 0;

	for (i = 0; i < copies->n; i += n) {
		const char *name = copies->v[i];

		n = count_copies(copies, name);
		while (at < found->n && strcmp(found->v[at]->name, name) < 0)
			at++;
		if (at < found->n && !strcmp(found->v[at]->name, name))
			continue;
		if (glob && fnmatch(glob, name, 0))
			continue;
		print_only_copy(name, n, as_json);
		shown++;
	}
	return shown;
}

static void print_verbose(const struct elf_image *img, const struct symbol *sym,
			  const struct copies *copies)
{
	struct error *err;
	u64 offset;
	_cleanup_free_ char *more = NULL;

	err = elf_image_offset(img, sym->addr, &offset);
	if (err)
		printf("%18s", "-");
	else
		printf("0x%016llx", (unsigned long long)offset);
	printf(" %8llu %-6s ", (unsigned long long)sym->size, binding(sym));
	fputs(sym->name, stdout);
	if (sym->hidden && sym->version)
		printf("@%s", sym->version);
	else if (sym->version)
		printf("@@%s", sym->version);
	else if (sym->file)
		printf("@%s", sym->file);
	more = full_name(sym);
	if (more)
		printf("\t%s", more);
	print_copies(count_copies(copies, sym->name));
	putchar('\n');
	error_free(err);
}

/* Print a demangled name.  Variants of a constructor have the same one: print it only once. */
static void print_name(const struct symbol *sym, char **last)
{
	char *name = is_mangled(sym->name) ?
		     demangle(sym->name, DEMANGLE_CALL) : NULL;

	if (!name)
		name = xstrdup(sym->name);
	if (!*last || strcmp(*last, name))
		puts(name);
	free(*last);
	*last = name;
}

static void print_all(const struct options *options,
		      const struct symbols *syms, const struct matches *found,
		      const struct copies *copies)
{
	const struct symbol *last = NULL;
	_cleanup_free_ char *name = NULL;

	for (size_t i = 0; i < found->n; i++) {
		const struct symbol *sym = found->v[i];
		bool again = last && !strcmp(last->name, sym->name);
		bool same_place = again && last->addr == sym->addr;

		if (options->json && !same_place)
			print_json(syms->image, sym, copies);
		else if (options->verbose && !same_place)
			print_verbose(syms->image, sym, copies);
		else if (!again && !options->verbose && !options->json)
			print_name(sym, &name);
		last = sym;
	}
}

int cmd_list(const struct options *options, int argc, char **argv)
{
	struct matches found = { 0 };
	const char *name = argc > 1 ? argv[1] : NULL;
	struct copies copies = { 0 };
	size_t only_copies = 0;
	struct target target;
	struct symbols syms;
	struct error *err;
	char *glob;

	if (argc < 1 || argc > 2) {
		err = error_new(STATUS_USAGE,
				"list takes a target and perhaps a pattern: uprobe list TARGET ['GLOB']");
		return error_report(err);
	}
	err = target_open(argv[0], options, &target);
	if (err)
		return error_report(err);
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	glob = name ? pattern_glob(name, false) : NULL;
	for (size_t i = 0; i < syms.n; i++)
		if (symbol_is_function(&syms, &syms.v[i]) &&
		    wanted(&syms.v[i], name, glob))
			matches_add(&found, &syms.v[i]);
	if (found.n)
		qsort(found.v, found.n, sizeof(*found.v), by_name);
	if (options->verbose)
		find_copies(&target, &copies);
	print_all(options, &syms, &found, &copies);
	only_copies = print_only_copies(&copies, &found, glob, options->json);
	free(copies.v);
	if (!syms.full && !glob && found.n)
		remark("%s is stripped: these are only the functions that it exports",
		       target.image.path);
	if (found.n || only_copies)
		err = NULL;
	else if (glob)
		err = error_new(STATUS_NOT_FOUND,
				"no function of %s matches %s; see: uprobe list %s",
				target.image.path, name, target.image.path);
	else
		err = error_new(STATUS_NOT_FOUND,
				"%s has no symbols; install its debug symbols, or give file offsets: 0xOFFSET",
				target.image.path);
	free(glob);
	matches_free(&found);
	symbols_free(&syms);
	target_close(&target);
	return error_report(err);
}
