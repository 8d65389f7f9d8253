// SPDX-License-Identifier: GPL-2.0
#include "returns.h"

#include <stdlib.h>
#include <string.h>

#include "util/options.h"
#include "symbols/demangle.h"
#include "elf/eh_frame.h"
#include "util/error.h"
#include "return_sites.h"
#include "place.h"
#include "symbols/runtimes.h"
#include "symbols/symbols.h"
#include "target.h"
#include "elf/text.h"
#include "util/util.h"

/* Check that a return probe at @place can find the return address, and may replace it. */
static struct error *check_return(const struct target *target,
				  const struct place *place,
				  unsigned int force)
{
	const struct runtime *runtime;
	const char *suffix;
	u64 start, end;
	bool entry;

	if (place->in_memory)
		return NULL;
	runtime = force & FORCE_GO ? NULL : runtime_of(&target->image);
	if (runtime_needs_ret_addr(runtime, place->function ? place->function->name : NULL))
		return error_new(STATUS_REFUSED,
				 "%s is %s, %s; use --return=sites, or --force=go",
				 target->image.path, runtime->is, runtime->why);
	if (place->function)
		entry = !place->delta;
	else
		entry = eh_frame_function_at(&target->image, place->addr,
					     &start, &end) &&
			start == place->addr;
	if (!entry && !(force & FORCE_RANGE))
		return error_new(STATUS_REFUSED,
				 "a return probe needs the first instruction of a function, where the return address is on top of the stack; 0x%llx of %s is not one",
				 (unsigned long long)place->offset,
				 target->image.path);
	suffix = place->function ? cold_suffix(place->function->name) : NULL;
	if (suffix && !(force & FORCE_RANGE))
		return error_new(STATUS_REFUSED,
				 "%s is jumped to and not called, so there is no return address to find; put the return probe on %.*s",
				 place->function->name,
				 (int)(suffix - place->function->name),
				 place->function->name);
	if (!text_keeps_return(&target->image, place->addr))
		return error_new(STATUS_REFUSED,
				 "the function at 0x%llx of %s uses its own return address, as setjmp() does, and would find another one there; use --return=sites",
				 (unsigned long long)place->addr,
				 target->image.path);
	return NULL;
}

/*
 * Add the instructions that leave the function at @place.  A function that ends
 * in a tail call is left at a return of the called function, and the value is not
 * known before.  So if @value is set, do not add tail calls.
 */
static struct error *add_exits(struct symbols *syms, const struct place *place,
			       bool value, struct returns *returns, bool *exact)
{
	struct return_sites exits;
	struct error *err;

	if (place->in_memory)
		return error_new(STATUS_REFUSED,
				 "the vDSO's function at 0x%llx is in no file where its return instructions could be looked up; use --return=trampoline",
				 (unsigned long long)place->addr);
	err = return_sites_find(syms, place, &exits);
	for (size_t i = 0; i < exits.returns.n && !err; i++) {
		exits.returns.v[i].named = place->named;
		places_add(&returns->sites, &exits.returns.v[i]);
	}
	for (size_t i = 0; i < exits.tail_calls.n && !value && !err; i++) {
		exits.tail_calls.v[i].named = place->named;
		places_add(&returns->sites, &exits.tail_calls.v[i]);
	}
	returns->early |= exits.tail_calls.n;
	if (exits.unclear || (value && exits.tail_calls.n))
		*exact = false;
	if (!err && !exits.returns.n && (value || !exits.tail_calls.n))
		err = error_new(STATUS_REFUSED,
				"the function at 0x%llx of %s has no return instruction; use --return=trampoline",
				(unsigned long long)place->addr,
				syms->image->path);
	return_sites_free(&exits);
	return err;
}

/* Check whether a runtime needs the real return addresses; if so, tell the user once. */
static bool runtime_wants_sites(const struct target *target, const struct places *places,
				unsigned int force)
{
	const struct runtime *runtime = force & FORCE_GO ? NULL : runtime_of(&target->image);
	static const struct runtime *reported;
	bool needed = false;

	for (size_t i = 0; i < places->n; i++) {
		const struct symbol *function = places->v[i].function;

		needed |= runtime_needs_ret_addr(runtime, function ? function->name : NULL);
	}
	if (needed && reported != runtime)
		remark("%s is %s, %s: its return instructions are probed instead",
		       target->image.path, runtime->is, runtime->why);
	if (needed)
		reported = runtime;
	return needed;
}

/**
 * returns_find() - decide how returns are probed
 * @target: the file
 * @syms: its symbols
 * @options: of the command line
 * @places: the functions
 * @value: the probe fetches the returned value
 * @returns: filled in; its sites are to be freed with places_free() in any case
 */
struct error *returns_find(struct target *target, struct symbols *syms,
			   const struct options *options,
			   const struct places *places, bool value,
			   struct returns *returns)
{
	enum return_mode mode = options->returns;
	struct error *err = NULL;
	bool exact = true;

	memset(returns, 0, sizeof(*returns));
	if ((mode == RETURN_DEFAULT || mode == RETURN_AUTO) &&
	    runtime_wants_sites(target, places, options->force))
		mode = RETURN_SITES;
	if (mode == RETURN_SITES || mode == RETURN_AUTO) {
		for (size_t i = 0; i < places->n && !err; i++) {
			if (places->v[i].delta)
				err = check_return(target, &places->v[i], 0);
			if (!err)
				err = add_exits(syms, &places->v[i], value,
						returns, &exact);
		}
		if (mode == RETURN_SITES && !err && !exact)
			remark("some returns may be missed: the function is also left by jumps");
		if (mode == RETURN_SITES && err)
			return err;
		returns->at_sites = !err && (exact || mode == RETURN_SITES);
		if (returns->at_sites)
			return NULL;
		error_free(err);
		err = NULL;
	}
	for (size_t i = 0; i < places->n && !err; i++)
		err = check_return(target, &places->v[i], options->force);
	return err;
}
