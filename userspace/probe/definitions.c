// SPDX-License-Identifier: GPL-2.0
/* Probes whose function is a pattern. */
#include <stdlib.h>

#include "definitions.h"
#include "definition.h"
#include "symbols/demangle.h"
#include "util/error.h"
#include "symbols/lookup.h"
#include "symbols/pattern.h"
#include "util/probe_spec.h"
#include "symbols/symbols.h"
#include "target.h"
#include "util/util.h"

/* Define one of several functions by its address, but name the event after the function. */
static struct error *define_match(const struct probe_spec *spec,
				  const struct options *options,
				  struct target *target, struct symbols *syms,
				  const struct symbol *sym,
				  struct definition *def)
{
	struct probe_spec one = *spec;
	struct error *err;

	one.function = is_mangled(sym->name) ?
		       demangle(sym->name, DEMANGLE_NAME) : NULL;
	if (!one.function)
		one.function = xstrdup(sym->name);
	one.event = spec->event ? xstrdup(spec->event) : definition_event(&one);
	free(one.function);
	one.function = xasprintf("@0x%llx", (unsigned long long)sym->addr);
	err = definition_in(&one, options, target, syms, def);
	def->named = spec->event;
	free(one.function);
	free(one.event);
	return err;
}

static void add_definition(struct definitions *defs,
			   struct definition *def)
{
	struct definition *last = defs->n ? &defs->v[defs->n - 1] : NULL;

	/* If the user has chosen the name, all sites belong to one event. */
	if (last && def->named) {
		probe_sites_move(&last->sites, &def->sites);
		definition_free(def);
		return;
	}
	defs->v = grow(defs->v, defs->n, &defs->cap, sizeof(*defs->v));
	defs->v[defs->n++] = *def;
}

/**
 * definitions_make() - definition_make() for a probe whose function may be a pattern
 * @spec: the probe
 * @options: of the command line
 * @max: maximum number of functions
 * @defs: filled in on success, empty before
 */
struct error *definitions_make(const struct probe_spec *spec,
			       const struct options *options, u64 max,
			       struct definitions *defs)
{
	struct matches found = { 0 };
	struct definition def;
	struct target target;
	struct symbols syms;
	struct error *err;

	if (target_is_memory(spec->target)) {
		err = definition_memory(spec, &def);
		if (!err)
			add_definition(defs, &def);
		return err;
	}
	err = definition_target(spec, options, &target, &syms);
	if (err)
		return err;
	if (spec->kind == 'u' || !pattern_has(spec->function) ||
	    pattern_is_name(&syms, spec->function)) {
		err = definition_in(spec, options, &target, &syms, &def);
		if (!err)
			add_definition(defs, &def);
	} else {
		err = pattern_find(spec, &syms, &found);
	}
	if (!err && found.n > max)
		err = definitions_too_many(found.n, max);
	for (size_t i = 0; i < found.n && !err; i++) {
		err = define_match(spec, options, &target, &syms, found.v[i],
				   &def);
		if (!err)
			add_definition(defs, &def);
	}
	matches_free(&found);
	symbols_free(&syms);
	target_close(&target);
	return err;
}

/**
 * definitions_too_many() - make the error for probes at too many places
 * @n: number of places
 * @max: maximum number of places
 *
 * More places than @max are more often a mistake than not.
 */
struct error *definitions_too_many(u64 n, u64 max)
{
	return error_new(STATUS_USAGE,
			 "the probes have %llu places, more than %llu; allow them with --max-probes %llu, or count them: uprobe count",
			 (unsigned long long)n, (unsigned long long)max,
			 (unsigned long long)n);
}
