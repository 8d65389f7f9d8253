// SPDX-License-Identifier: GPL-2.0
#include "tally_specs.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "definition.h"
#include "demangle.h"
#include "error.h"
#include "go_symbols.h"
#include "lookup.h"
#include "place.h"
#include "probe_spec.h"
#include "stack_check.h"
#include "symbols.h"
#include "tally.h"
#include "target.h"
#include "text.h"
#include "util.h"

/**
 * struct omitted - functions that match and are not counted
 * @resolvers: IFUNC resolvers, which run once
 * @sizeless: may be data
 * @refused: the module cannot probe their first instruction
 * @looking_back: they use their return address, as setjmp() does
 */
struct omitted {
	size_t resolvers;
	size_t sizeless;
	size_t refused;
	size_t looking_back;
};

static bool has_pattern(const char *function)
{
	return strpbrk(function, "*?[");
}

/* f(char const*), operator* and operator[] are names: C++ has these characters, too. */
static bool is_name(struct symbols *syms, const char *function)
{
	return (strpbrk(function, "(<") || strstr(function, "operator") ||
		strstr(function, "[abi:")) &&
	       lookup_names_one(syms, function);
}

/* @squeezed: the pattern without the blanks that do not matter. */
static bool name_matches(const struct symbol *sym, const char *pattern,
			 const char *squeezed)
{
	bool match = !fnmatch(pattern, sym->name, 0);

	/* With parameters where the pattern has some, else without. */
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

/* Of several names for one place, the shortest that others can use first. */
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

/* Where each call comes once, and what a return probe needs. */
static u64 probed(const struct symbols *syms, const struct symbol *sym,
		  char kind)
{
	return kind == 'p' ? stack_check_end(syms->image, sym->addr) :
			     sym->addr;
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
	err = text_check_probable(syms->image, probed(syms, sym, kind));
	if (!err)
		return true;
	omitted->refused++;
	error_free(err);
	return false;
}

static void tell_omitted(const char *spec, const struct omitted *omitted)
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

static void add_match(struct tally *tally, const struct symbols *syms,
		      const struct symbol *sym, char kind)
{
	char expected[2 * UINSN_MAX_LEN + 1] = "", *label, *site;
	struct instruction insn;
	u64 addr = probed(syms, sym, kind), offset;
	struct error *err;

	err = elf_image_offset(syms->image, addr, &offset);
	if (err) {
		error_free(err);
		return;
	}
	label = is_mangled(sym->name) ? demangle(sym->name, DEMANGLE_CALL) :
					NULL;
	site = xasprintf("%s:0x%llx", syms->image->path,
			 (unsigned long long)offset);
	err = text_instruction(syms->image, addr, &insn);
	for (size_t i = 0; !err && i < insn.decoded.len; i++)
		sprintf(expected + 2 * i, "%02x", insn.bytes[i]);
	error_free(err);
	tally_add_site(tally, tally_add(tally, label ? label : sym->name), kind,
		       site, expected);
	free(site);
	free(label);
}

static struct error *add_matches(struct tally *tally,
				 const struct probe_spec *spec,
				 struct symbols *syms, unsigned int force)
{
	char *squeezed = name_squeeze(spec->function);
	const char *path = syms->image->path;
	struct matches found = { 0 };
	struct omitted omitted = { 0 };
	size_t before = tally->n;
	const struct symbol *last = NULL;
	struct error *err = NULL;

	if (spec->kind == 'r' && go_is_program(syms->image) &&
	    !(force & FORCE_GO))
		err = error_new(STATUS_REFUSED,
				"%s is a Go program, whose runtime moves stacks and would crash on a replaced return address; count the calls instead: uprobe count",
				path);
	for (size_t i = 0; i < syms->n && !err; i++)
		if (symbol_is_function(syms, &syms->v[i]) &&
		    name_matches(&syms->v[i], spec->function, squeezed))
			matches_add(&found, &syms->v[i]);
	if (found.n)
		qsort(found.v, found.n, sizeof(*found.v), by_place);
	for (size_t i = 0; i < found.n; i++) {
		if (last && last->addr == found.v[i]->addr)
			continue;
		last = found.v[i];
		if (wanted(syms, last, spec->kind, &omitted))
			add_match(tally, syms, last, spec->kind);
	}
	tell_omitted(spec->function, &omitted);
	if (!err && tally->n == before)
		err = error_new(STATUS_NOT_FOUND,
				"no function of %s that can be probed matches %s; see: uprobe list %s",
				path, spec->function, path);
	matches_free(&found);
	free(squeezed);
	return err;
}

static struct error *add_plain(struct tally *tally,
			       const struct probe_spec *spec,
			       const struct options *options, bool latency)
{
	struct options how = *options;
	struct definition def;
	struct error *err;
	size_t entry;

	if (latency)
		how.returns = RETURN_TRAMPOLINE;
	err = definition_make(spec, &how, &def);
	if (err)
		return err;
	entry = tally_add(tally, spec->event ? spec->event : spec->function);
	for (size_t i = 0; i < def.sites.n; i++)
		tally_add_site(tally, entry, def.kind, def.sites.v[i],
			       def.expected.v[i]);
	definition_free(&def);
	return NULL;
}

/* What has the characters of a pattern may be a function's name all the same. */
static struct error *add_pattern(struct tally *tally,
				 const struct probe_spec *spec,
				 const struct options *options, bool latency)
{
	struct target target;
	struct symbols syms;
	struct error *err;
	bool named;

	err = target_open(spec->target, options->pid, options->debug_dir,
			  &target);
	if (err)
		return err;
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	named = is_name(&syms, spec->function);
	if (!named)
		err = add_matches(tally, spec, &syms, options->force);
	symbols_free(&syms);
	target_close(&target);
	return named ? add_plain(tally, spec, options, latency) : err;
}

/* TARGET:FUNCTION is what is meant where no kind of probe is written. */
static char *with_kind(const char *text)
{
	return is_probe_spec(text) ? xstrdup(text) : xasprintf("p:%s", text);
}

/**
 * tally_add_spec() - count what is meant by a specification
 * @tally: the tally
 * @text: [p:|r:|u:]TARGET:FUNCTION; FUNCTION may be a pattern
 * @options: of the command line
 * @latency: how long the calls take is wanted, too
 */
struct error *tally_add_spec(struct tally *tally, const char *text,
			     const struct options *options, bool latency)
{
	struct probe_spec spec;
	char *full = with_kind(text);
	struct error *err;

	err = probe_spec_parse(full, &spec);
	free(full);
	if (err)
		return err;
	if (*spec.args)
		err = error_new(STATUS_USAGE,
				"\"%s\" has arguments, which are not counted; leave \"%s\" out",
				text, spec.args);
	else if (latency && spec.kind == 'u')
		err = error_new(STATUS_USAGE,
				"a probe that a program comes with takes no time; count it, or time a function");
	else if (latency && options->returns != RETURN_DEFAULT &&
		 options->returns != RETURN_TRAMPOLINE)
		err = error_new(STATUS_USAGE,
				"return instructions do not tell when their call began, so lat works by trampoline only; leave --return out");
	if (!err && latency)
		spec.kind = 'r';
	if (!err)
		err = spec.kind != 'u' && has_pattern(spec.function) ?
		      add_pattern(tally, &spec, options, latency) :
		      add_plain(tally, &spec, options, latency);
	probe_spec_free(&spec);
	return err;
}
