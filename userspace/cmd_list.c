// SPDX-License-Identifier: GPL-2.0
/* uprobe list TARGET [GLOB] */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "demangle.h"
#include "error.h"
#include "lookup.h"
#include "symbols.h"
#include "target.h"

static bool wanted(const struct symbol *sym, const char *glob)
{
	char *pretty;
	bool match;

	if (!glob || !fnmatch(glob, sym->name, 0))
		return true;
	pretty = demangle(sym->name, DEMANGLE_NAME);
	match = pretty && !fnmatch(glob, pretty, 0);
	free(pretty);
	return match;
}

/* By name; of several entries for one place the plainest first. */
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

static void print_verbose(const struct elf_image *img, const struct symbol *sym)
{
	struct error *err;
	u64 offset;
	char *more;

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
	more = is_mangled(sym->name) ? demangle(sym->name, DEMANGLE_CALL) :
	       clone_suffix(sym->name) ? symbol_label(sym) : NULL;
	if (more)
		printf("\t%s", more);
	putchar('\n');
	error_free(err);
	free(more);
}

static void print_all(const struct options *options,
		      const struct symbols *syms, const struct matches *found)
{
	const struct symbol *last = NULL;

	for (size_t i = 0; i < found->n; i++) {
		const struct symbol *sym = found->v[i];
		bool again = last && !strcmp(last->name, sym->name);

		if (options->verbose) {
			if (!again || last->addr != sym->addr)
				print_verbose(syms->image, sym);
		} else if (!again) {
			puts(sym->name);
		}
		last = sym;
	}
}

int cmd_list(const struct options *options, int argc, char **argv)
{
	struct matches found = { 0 };
	const char *glob = argc > 1 ? argv[1] : NULL;
	struct target target;
	struct symbols syms;
	struct error *err;

	if (argc < 1 || argc > 2) {
		err = error_new(STATUS_USAGE,
				"list takes a target and perhaps a pattern: uprobe list TARGET ['GLOB']");
		return error_report(err);
	}
	err = target_open(argv[0], options->pid, options->debug_dir, &target);
	if (err)
		return error_report(err);
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	for (size_t i = 0; i < syms.n; i++)
		if (symbol_is_function(&syms, &syms.v[i]) &&
		    wanted(&syms.v[i], glob))
			matches_add(&found, &syms.v[i]);
	if (found.n)
		qsort(found.v, found.n, sizeof(*found.v), by_name);
	print_all(options, &syms, &found);
	if (!syms.full && !glob)
		remark("%s is stripped: these are only the functions that it exports",
		       target.image.path);
	if (!found.n && glob)
		err = error_new(STATUS_NOT_FOUND,
				"no function of %s matches %s; see: uprobe list %s",
				target.image.path, glob, target.image.path);
	else if (!found.n)
		err = error_new(STATUS_NOT_FOUND,
				"%s has no symbols; install its debug symbols, or give file offsets: 0xOFFSET",
				target.image.path);
	matches_free(&found);
	symbols_free(&syms);
	target_close(&target);
	return error_report(err);
}
