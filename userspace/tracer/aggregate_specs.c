// SPDX-License-Identifier: GPL-2.0
#include "aggregate_specs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/options.h"
#include "probe/arguments.h"
#include "probe/definition.h"
#include "probe/definitions.h"
#include "probe/fields.h"
#include "symbols/demangle.h"
#include "util/error.h"
#include "probe/return_sites.h"
#include "symbols/lookup.h"
#include "symbols/pattern.h"
#include "probe/place.h"
#include "util/probe_spec.h"
#include "symbols/runtimes.h"
#include "symbols/stack_check.h"
#include "symbols/symbols.h"
#include "aggregate.h"
#include "probe/target.h"
#include "elf/text.h"
#include "util/progress.h"
#include "util/util.h"

/* The largest number of functions of a pattern, if each has a histogram. */
#define HISTOGRAMS_MAX 64

/* The largest number of return instructions of a function at which a value is counted. */
#define RETURNS_MAX 16

/*
 * List where a function returns, if it is left by return instructions alone: then it can be timed
 * by probes there, and its return address stays as it is.  Such a place is the return instruction,
 * or one in front of it; then the highest bit is set, and the 15 bits behind it say how far the
 * stack pointer is below that at the return.  Return arguments for a definition, or "".
 * @entry: the function's start; if the list is not empty, it becomes the place where a call begins.
 */
static char *return_sites_text(struct symbols *syms, const struct symbol *function, u64 *entry)
{
	u64 addr = *entry, begin = stack_check_entry(syms->image, addr);
	char *text = xstrdup("");
	struct return_sites exits;

	/* In a loop that begins with the first instruction, each round would be a call. */
	if (return_sites_only(syms, function, addr, &exits) &&
	    !epilogues_branch_to(&exits.epilogues, begin)) {
		for (size_t i = 0; i < exits.returns.n; i++) {
			const struct place *ret = &exits.returns.v[i];
			u16 below;
			u64 at = epilogues_find(&exits.epilogues, ret->addr, begin, &below);
			u64 before = at == ret->addr ? 0 : 1ull << 63 | (u64)below << 48;
			u64 offset = ret->offset - (ret->addr - at);
			char *longer = xasprintf("%s \\0x%llx", text,
						 (unsigned long long)(before | offset));

			free(text);
			text = longer;
		}
		if (*text)
			*entry = begin;
	}
	return_sites_free(&exits);
	return text;
}

/* Refuse functions whose return addresses must stay, and that cannot be timed otherwise. */
static struct error *refuse(const char *path, const struct runtime *runtime, const char *what)
{
	return error_new(STATUS_REFUSED,
			 "%s is %s, %s, and %s; count the calls instead: uprobe count p:..., or use --force=go",
			 path, runtime->is, runtime->why, what);
}

/*
 * Add a function.  @runtime: if it is set, its return address must stay.  Return false if
 * the function is left out for that.
 */
static bool add_match(struct aggregate *aggregate, struct symbols *syms, const struct symbol *sym,
		      char kind, bool sites, const struct runtime *runtime)
{
	struct probe_site site = { .path = syms->image->path };
	u64 addr = pattern_address(syms, sym, kind);
	char *exits = sites ? return_sites_text(syms, sym, &addr) : xstrdup("");
	char *label;
	struct error *err;

	if (runtime_needs_ret_addr(runtime, sym->name) && !*exits) {
		free(exits);
		return false;
	}
	err = elf_image_offset(syms->image, addr, &site.offset);
	if (err) {
		error_free(err);
		free(exits);
		return true;
	}
	label = is_mangled(sym->name) ? demangle(sym->name, DEMANGLE_CALL) :
					NULL;
	site.expected = text_expected(syms->image, addr);
	aggregate_add_site(aggregate, aggregate_add(aggregate, label ? label : sym->name), kind,
			   &site, exits);
	free(exits);
	free(site.expected);
	free(label);
	return true;
}

static struct error *add_matches(struct aggregate *aggregate,
				 const struct probe_spec *spec,
				 struct symbols *syms, const struct options *options)
{
	bool sites = spec->kind == 'r' && options->returns != RETURN_TRAMPOLINE;
	const struct runtime *runtime = NULL;
	struct matches found = { 0 };
	struct error *err = pattern_find(spec, syms, &found);
	struct progress progress;
	size_t out = 0;

	if (spec->kind == 'r' && !(options->force & FORCE_GO))
		runtime = runtime_of(syms->image);
	pattern_report_stripped(syms, &found);
	progress_begin(&progress, "functions looked at");
	for (size_t i = 0; i < found.n && !err; i++) {
		progress_step(&progress, i, found.n);
		out += !add_match(aggregate, syms, found.v[i], spec->kind, sites, runtime);
	}
	progress_end(&progress);
	if (out && (!sites || out == found.n))
		err = refuse(syms->image->path, runtime, sites ?
			     "none of these functions is left by return instructions alone" :
			     "--return=trampoline replaces it");
	else if (out)
		remark("%zu functions are left out: %s is %s, %s, and they are not left by return instructions alone",
		       out, syms->image->path, runtime->is, runtime->why);
	matches_free(&found);
	return err;
}

/*
 * List the return instructions of @function, which should be at @addr: see return_sites_text().
 * @site becomes the place where a call begins.
 */
static char *site_exits(struct symbols *syms, const struct symbol *function, u64 addr,
			struct probe_site *site)
{
	u64 entry = addr;
	char *exits;

	if (!function || function->addr != addr)
		return xstrdup("");
	exits = return_sites_text(syms, function, &entry);
	if (entry != addr) {
		site->offset += entry - addr;
		free(site->expected);
		site->expected = text_expected(syms->image, entry);
	}
	return exits;
}

/* Find the function at a place of a return probe; NULL if it is in another file, or has no name. */
static const struct symbol *site_function(struct target *target, struct symbols *syms,
					  const struct probe_site *site, u64 *addr)
{
	const struct symbol *function = NULL;
	struct error *err;
	u64 end;

	if (strcmp(site->path, target->image.path))
		return NULL;
	err = elf_image_addr(&target->image, site->offset, addr);
	if (!err)
		function = symbols_function_at(syms, *addr, &end);
	error_free(err);
	return function;
}

/* Add the places of returns. */
static struct error *add_returns(struct aggregate *aggregate, size_t entry,
				 const struct probe_spec *spec, const struct options *options,
				 struct definition *def)
{
	const struct runtime *runtime;
	struct target target;
	struct symbols syms;
	struct error *err;

	err = target_open(spec->target, options, &target);
	if (err)
		return err;
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	runtime = options->force & FORCE_GO ? NULL : runtime_of(&target.image);
	for (size_t i = 0; i < def->sites.n && !err; i++) {
		struct probe_site *site = &def->sites.v[i];
		u64 addr = 0;
		const struct symbol *function = site_function(&target, &syms, site, &addr);
		char *exits = site_exits(&syms, function, addr, site);

		if (!*exits && runtime_needs_ret_addr(runtime, function ? function->name : NULL))
			err = refuse(site->path, runtime,
				     "the function is not left by return instructions alone");
		else
			aggregate_add_site(aggregate, entry, def->kind, site, exits);
		free(exits);
	}
	symbols_free(&syms);
	target_close(&target);
	return err;
}

/* Check that an argument is a number. */
static struct error *check_number(const struct field *field, const struct probe_spec *spec)
{
	if (field->count)
		return error_new(STATUS_USAGE,
				 "hist takes a number, and \"%s\" is an array; fetch one element",
				 spec->args);
	if (field->kind == FIELD_STRING || field->kind == FIELD_FLOAT)
		return error_new(STATUS_USAGE,
				 "hist takes a whole number, and \"%s\" is %s; trace it instead: uprobe '%c:...'",
				 spec->args,
				 field->kind == FIELD_STRING ? "text" : "a floating-point number",
				 spec->kind);
	return NULL;
}

/* Return the name that an argument is given, or the argument. */
static char *name_of(const char *arg, size_t arg_len)
{
	size_t len = strcspn(arg, "=");

	return xstrndup(arg, len < arg_len ? len : arg_len);
}

/* Check that a probe has one argument, a number, or with --by two, and remember the names. */
static struct error *take_value(struct aggregate *aggregate, const struct probe_spec *spec,
				const struct options *options, const struct definition *def)
{
	size_t wanted = options->by ? 2 : 1, len = strlen(spec->args);
	struct fields fields = { 0 };
	struct error *err = NULL;

	arguments_fields(def->sites.v[0].args, &fields);
	if (fields.n < wanted)
		err = error_new(STATUS_USAGE,
				"hist takes a value, such as %%di or bytes=%%si, besides the one of --by");
	else if (fields.n != wanted)
		err = error_new(STATUS_USAGE,
				"hist takes one value%s, and \"%s\" has %zu; run it once for each",
				options->by ? " and one for --by" : "", spec->args, fields.n);
	for (size_t i = 0; i < fields.n && !err; i++)
		err = check_number(&fields.v[i], spec);
	fields_free(&fields);
	if (err)
		return err;
	if (options->by) {
		free(aggregate->by);
		aggregate->by = name_of(options->by, strlen(options->by));
		len -= strlen(options->by) + 1;
	}
	free(aggregate->value);
	aggregate->value = name_of(spec->args, len);
	return NULL;
}

static struct error *add_plain(struct aggregate *aggregate,
			       const struct probe_spec *spec,
			       const struct options *options)
{
	bool latency = aggregate->what == AGGREGATE_TIMES;
	struct options how = *options;
	struct definition def;
	struct error *err;
	size_t entry;
	bool sites;

	sites = spec->kind == 'r' && options->returns != RETURN_TRAMPOLINE;
	if (latency)
		how.returns = RETURN_TRAMPOLINE;
	/* Whether to refuse Go functions is decided when the return instructions are known. */
	if (latency && sites)
		how.force |= FORCE_GO;
	err = definition_make(spec, &how, &def);
	if (err)
		return err;
	entry = aggregate_add(aggregate, spec->event ? spec->event : spec->function);
	if (sites)
		err = add_returns(aggregate, entry, spec, options, &def);
	/* A USDT probe has arguments that the user has not asked for. */
	for (size_t i = 0; i < def.sites.n && !sites; i++)
		aggregate_add_site(aggregate, entry, def.kind, &def.sites.v[i], "");
	definition_free(&def);
	return err;
}

static void definitions_drop(struct definitions *defs)
{
	for (size_t i = 0; i < defs->n; i++)
		definition_free(&defs->v[i]);
	free(defs->v);
	memset(defs, 0, sizeof(*defs));
}

/*
 * Define each function that a specification names.  At a return instruction, a returned value costs
 * less than behind it.  The stack is another one there, and a value for each of many returns takes
 * much memory: then it is fetched behind the return, unless the user has a wish.
 */
static struct error *define_values(const struct probe_spec *spec, const struct options *options,
				   struct definitions *defs)
{
	u64 max = options->max_probes ? options->max_probes : HISTOGRAMS_MAX;
	struct options how = *options;
	struct error *err;
	bool many = false;

	if (spec->kind != 'r' || options->returns != RETURN_DEFAULT ||
	    !strstr(spec->args, "$retval") || strstr(spec->args, "$stack") ||
	    strstr(spec->args, "%sp") || strstr(spec->args, "%rsp"))
		return definitions_make(spec, options, max, defs);
	how.returns = RETURN_AUTO;
	err = definitions_make(spec, &how, max, defs);
	for (size_t i = 0; i < defs->n; i++)
		many |= defs->v[i].kind == 'p' && defs->v[i].sites.n > RETURNS_MAX;
	if (err || !many)
		return err;
	definitions_drop(defs);
	return definitions_make(spec, options, max, defs);
}

/* Add each function that a specification names, with a histogram of its own. */
static struct error *add_values(struct aggregate *aggregate, const struct probe_spec *spec,
				const struct options *options)
{
	struct definitions defs = { 0 };
	struct error *err = define_values(spec, options, &defs);

	for (size_t i = 0; i < defs.n; i++) {
		struct definition *def = &defs.v[i];
		const char *label = defs.n > 1 ? def->event :
				    spec->event ? spec->event : spec->function;
		size_t entry;

		if (!err)
			err = take_value(aggregate, spec, options, def);
		entry = err ? 0 : aggregate_add(aggregate, label);
		for (size_t k = 0; k < def->sites.n && !err; k++) {
			_cleanup_free_ char *args = xasprintf(" %s", def->sites.v[k].args);

			aggregate_add_site(aggregate, entry, def->kind, &def->sites.v[k], args);
		}
	}
	definitions_drop(&defs);
	return err;
}

/* Add a pattern.  A function's name can have characters of a pattern, too: check that first. */
static struct error *add_pattern(struct aggregate *aggregate,
				 const struct probe_spec *spec,
				 const struct options *options)
{
	struct target target;
	struct symbols syms;
	struct error *err;
	bool named;

	err = target_open(spec->target, options, &target);
	if (err)
		return err;
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	named = pattern_is_name(&syms, spec->function);
	if (!named)
		err = add_matches(aggregate, spec, &syms, options);
	symbols_free(&syms);
	target_close(&target);
	return named ? add_plain(aggregate, spec, options) : err;
}

/* If the user gives no kind of probe, TARGET:FUNCTION means p:TARGET:FUNCTION. */
static char *with_kind(const char *text)
{
	return is_probe_spec(text) ? xstrdup(text) : xasprintf("p:%s", text);
}

/**
 * aggregate_add_spec() - add the places of a specification
 * @aggregate: the aggregate
 * @text: [p:|r:|u:]TARGET:FUNCTION; FUNCTION may be a pattern; with AGGREGATE_VALUES, and a value
 * @options: of the command line
 */
struct error *aggregate_add_spec(struct aggregate *aggregate, const char *text,
				 const struct options *options)
{
	bool latency = aggregate->what == AGGREGATE_TIMES;
	struct probe_spec spec;
	char *full = with_kind(text);
	struct error *err;

	err = probe_spec_parse(full, &spec);
	free(full);
	if (err)
		return err;
	if (aggregate->what == AGGREGATE_VALUES && !*spec.args)
		err = error_new(STATUS_USAGE,
				"hist takes a value, such as %%di, the name of an argument, or of a return $retval: uprobe hist %s VALUE",
				text);
	else if (aggregate->what != AGGREGATE_VALUES && *spec.args)
		err = error_new(STATUS_USAGE,
				"\"%s\" has arguments, which are not counted; leave \"%s\" out",
				text, spec.args);
	else if (latency && spec.kind == 'u')
		err = error_new(STATUS_USAGE,
				"a USDT probe takes no time; count it, or time a function");
	else if (latency && options->returns != RETURN_DEFAULT &&
		 options->returns != RETURN_TRAMPOLINE)
		err = error_new(STATUS_USAGE,
				"lat decides by itself how returns are found; leave --return out, or take --return=trampoline");
	if (!err && latency)
		spec.kind = 'r';
	if (!err && aggregate->what == AGGREGATE_VALUES)
		err = add_values(aggregate, &spec, options);
	else if (!err)
		err = spec.kind != 'u' && pattern_has(spec.function) ?
		      add_pattern(aggregate, &spec, options) :
		      add_plain(aggregate, &spec, options);
	probe_spec_free(&spec);
	return err;
}
