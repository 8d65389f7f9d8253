// SPDX-License-Identifier: GPL-2.0
#include "place.h"

#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"
#include "elf/eh_frame.h"
#include "util/error.h"
#include "symbols/ifunc.h"
#include "dwarf/inlined.h"
#include "symbols/lookup.h"
#include "dwarf/source_line.h"
#include "symbols/stack_check.h"
#include "elf/text.h"
#include "symbols/vdso.h"

static const struct {
	const char *name;
	unsigned int flag;
} forces[] = {
	{ "align", FORCE_ALIGN },
	{ "size", FORCE_SIZE },
	{ "range", FORCE_RANGE },
	{ "ifunc", FORCE_IFUNC },
	{ "go", FORCE_GO },
};

/**
 * force_parse() - parse the argument of --force
 * @list: names separated by commas
 * @force: FORCE_* are added
 */
struct error *force_parse(const char *list, unsigned int *force)
{
	while (*list) {
		size_t len = strcspn(list, ","), i;

		for (i = 0; i < ARRAY_SIZE(forces); i++)
			if (strlen(forces[i].name) == len &&
			    !strncmp(forces[i].name, list, len))
				break;
		if (i == ARRAY_SIZE(forces))
			return error_new(STATUS_USAGE,
					 "--force cannot skip \"%.*s\"; it takes align, size, range, ifunc and go",
					 (int)len, list);
		*force |= forces[i].flag;
		list += len + (list[len] == ',');
	}
	return NULL;
}

/**
 * force_report() - tell the user which checks are skipped
 * @force: FORCE_*
 */
void force_report(unsigned int force)
{
	char names[64] = "";

	for (size_t i = 0; i < ARRAY_SIZE(forces); i++) {
		if (!(force & forces[i].flag))
			continue;
		strcat(names, " ");
		strcat(names, forces[i].name);
	}
	if (*names)
		remark("these checks are skipped:%s", names);
}

/**
 * struct spec - a parsed specification
 * @name: function name; NULL for a number
 * @qualifier: version or source file, or NULL
 * @number: file offset or address, if @name is NULL
 * @is_addr: @number is an address
 * @delta: offset to add
 */
struct spec {
	char *name;
	char *qualifier;
	u64 number;
	bool is_addr;
	u64 delta;
};

static void spec_free(struct spec *spec)
{
	free(spec->name);
	free(spec->qualifier);
}

/*
 * Parse NAME[@FILE|@VERSION][+OFF], 0xOFFSET[+OFF] in the file, or
 * @0xADDRESS[+OFF].  C++ names can contain a plus (operator+), so only the last
 * plus can start an offset, and only if a number follows.  If @whole is set, the text is the
 * name of a symbol: its colons, signs and digits belong to it.
 */
static struct error *spec_parse(const char *text, bool whole, struct spec *spec)
{
	char *name = xstrdup(text), *plus = strrchr(name, '+'), *at;

	memset(spec, 0, sizeof(*spec));
	if (whole) {
		spec->name = name;
		return NULL;
	}
	if (plus && plus > name && parse_u64(plus + 1, &spec->delta))
		*plus = '\0';
	if (parse_u64(name, &spec->number)) {
		free(name);
		return NULL;
	}
	if (name[0] == '@' && parse_u64(name + 1, &spec->number)) {
		spec->is_addr = true;
		free(name);
		return NULL;
	}
	/* Accept f@V and f@@V.  An @ at the start belongs to the name. */
	at = strrchr(name, '@');
	if (at && at > name && at[1]) {
		spec->qualifier = xstrdup(at + 1);
		*at = '\0';
		if (at > name + 1 && at[-1] == '@')
			at[-1] = '\0';
	}
	spec->name = name;
	if (*name && str_printable(text))
		return NULL;
	spec_free(spec);
	return error_new(STATUS_USAGE,
			 "\"%s\" names no function; write FUNCTION, FUNCTION+OFFSET, FILE:LINE, 0xFILE-OFFSET or @0xADDRESS",
			 str_printable(text) ? text : "");
}

/** places_add() - append a place, unless it is there already, found by another name */
void places_add(struct places *places, const struct place *place)
{
	for (size_t i = 0; i < places->n; i++)
		if (places->v[i].addr == place->addr &&
		    places->v[i].in_memory == place->in_memory)
			return;
	places->v = grow(places->v, places->n, &places->cap, sizeof(*places->v));
	places->v[places->n++] = *place;
}

/*
 * Return the end of code that begins with a global symbol without a size, as assembly has it: the
 * next symbol, or the end of the section.  Return 0 for a local symbol, which can be a label inside
 * a function, and for a symbol without a type that is followed by anything but instructions.
 */
static u64 label_end(const struct target *target, const struct symbols *syms,
		     const struct symbol *sym)
{
	u64 end = elf_image_code_end(&target->image, sym->addr);

	for (size_t i = 0; i < syms->n; i++)
		if (syms->v[i].section && syms->v[i].addr > sym->addr && syms->v[i].addr < end)
			end = syms->v[i].addr;
	if (sym->bind == STB_LOCAL || end == sym->addr ||
	    (sym->type == STT_NOTYPE && !text_is_code(&target->image, sym->addr, end)))
		return 0;
	return end;
}

/* Return the end of the function @sym; UINT64_MAX, and @known false, if nothing tells it. */
static u64 function_end(const struct target *target, struct symbols *syms,
			const struct symbol *sym, bool *known)
{
	u64 start, end;

	*known = true;
	if (sym->size)
		return sym->addr + sym->size;
	/* An alias of the function may have a size. */
	if (symbols_function_at(syms, sym->addr, &end) &&
	    symbols_function_at(syms, sym->addr, &end)->size)
		return end;
	if (eh_frame_function_at(&target->image, sym->addr, &start, &end) &&
	    start == sym->addr)
		return end;
	end = label_end(target, syms, sym);
	*known = end;
	return end ? end : UINT64_MAX;
}

static struct error *check_range(const struct target *target,
				 struct symbols *syms, const struct symbol *sym,
				 const struct spec *spec, unsigned int force)
{
	u64 end, other_end;
	const struct symbol *other;
	struct error *err;
	bool known;

	end = function_end(target, syms, sym, &known);
	if (!known && !(force & FORCE_SIZE))
		return error_new(STATUS_REFUSED,
				 "%s of %s has no size, and it is local or no instructions follow: it may be a label or data and not a function; look at it with objdump -d, then use --force=size",
				 sym->name, target->image.path);
	if (spec->delta < end - sym->addr || force & FORCE_RANGE)
		return NULL;
	err = error_new(STATUS_REFUSED,
			"%s+0x%llx lies outside the function, which has 0x%llx bytes",
			sym->name, (unsigned long long)spec->delta,
			(unsigned long long)(end - sym->addr));
	other = symbols_function_at(syms, sym->addr + spec->delta, &other_end);
	if (other && other->size)
		return error_append(err, "; it is %s+0x%llx, so write that",
				    other->name,
				    (unsigned long long)(sym->addr + spec->delta -
							 other->addr));
	return error_append(err, "; take a lower offset, or skip the check with --force=range");
}

static struct error *check_number(const struct target *target,
				  struct symbols *syms, struct place *place,
				  unsigned int force)
{
	u64 start, end;
	const struct symbol *sym;
	struct error *err;
	char *what;

	sym = symbols_function_at(syms, place->addr, &end);
	if (sym && !sym->size)
		sym = NULL;
	if (sym) {
		place->function = sym;
		place->delta = place->addr - sym->addr;
		start = sym->addr;
		what = xstrdup(sym->name);
	} else if (eh_frame_function_at(&target->image, place->addr, &start,
					&end)) {
		what = xasprintf("@0x%llx", (unsigned long long)start);
	} else if (force & FORCE_ALIGN) {
		return NULL;
	} else {
		return error_new(STATUS_REFUSED,
				 "no symbol and no unwind table tells in which function 0x%llx of %s lies, so it is not known to be the start of an instruction; check it with objdump -d, then use --force=align",
				 (unsigned long long)place->addr,
				 target->image.path);
	}
	err = force & FORCE_ALIGN ? NULL :
	      text_check_boundary(&target->image, what, start, place->addr);
	free(what);
	return err;
}

static struct error *find_number(const struct target *target,
				 struct symbols *syms, const struct spec *spec,
				 unsigned int force, struct places *places)
{
	struct place place = { 0 };
	struct error *err;

	if (spec->is_addr) {
		place.addr = spec->number + spec->delta;
		err = elf_image_offset(&target->image, place.addr,
				       &place.offset);
	} else {
		place.offset = spec->number + spec->delta;
		err = elf_image_addr(&target->image, place.offset, &place.addr);
	}
	if (!err)
		err = check_number(target, syms, &place, force);
	if (!err)
		places_add(places, &place);
	return err;
}

static struct error *find_in_function(const struct target *target,
				      struct symbols *syms,
				      const struct symbol *sym,
				      const struct spec *spec,
				      unsigned int force, struct place *place)
{
	struct error *err;

	if (sym->type == STT_GNU_IFUNC && !(force & FORCE_IFUNC))
		return ifunc_refuse(syms, sym);
	*place = (struct place){
		.addr = sym->addr + spec->delta,
		.function = sym,
		.delta = spec->delta,
		.named = true,
	};
	err = elf_image_offset(&target->image, sym->addr, &place->offset);
	if (!err)
		err = check_range(target, syms, sym, spec, force);
	if (!err)
		err = elf_image_offset(&target->image, place->addr,
				       &place->offset);
	if (!err && !(force & FORCE_ALIGN))
		err = text_check_boundary(&target->image, sym->name, sym->addr,
					  place->addr);
	return err;
}

static struct error *variant_outside(const struct symbol *ifunc, pid_t pid,
				     struct places *places)
{
	struct place place = { .in_memory = true };
	struct error *err;

	if (!pid) {
		if (vdso_has(ifunc->name))
			remark("64-bit processes get the %s of the vDSO, which is in no file; name one with -p",
			       ifunc->name);
		return NULL;
	}
	err = vdso_find(pid, ifunc->name, &place.addr);
	if (!err && place.addr)
		places_add(places, &place);
	return err;
}

/* Add all functions that a call of the IFUNC could reach. */
static struct error *find_variants(const struct target *target,
				   struct symbols *syms,
				   const struct symbol *ifunc, pid_t pid,
				   struct places *places)
{
	struct ifunc_variants variants;
	struct error *err = NULL;
	size_t before = places->n;

	ifunc_find_variants(syms, ifunc, &variants);
	for (size_t i = 0; i < variants.n && !err; i++) {
		struct place place = {
			.addr = variants.v[i], .named = true,
		};
		u64 end;

		place.function = symbols_function_at(syms, place.addr, &end);
		if (place.function && place.function->addr != place.addr)
			place.function = NULL;
		err = elf_image_offset(&target->image, place.addr,
				       &place.offset);
		if (!err)
			places_add(places, &place);
	}
	if (!err)
		err = variant_outside(ifunc, pid, places);
	if (err)
		return err;
	if (places->n == before)
		return ifunc_refuse(syms, ifunc);
	remark("%s is an IFUNC, and the %zu functions that it can stand for are taken",
	       ifunc->name, places->n - before);
	return NULL;
}

/* Move the place after the code that can start the function again, see stack_check_end(). */
static struct error *enter(const struct target *target, struct place *place)
{
	u64 end;

	if (!place->function || place->delta)
		return NULL;
	end = stack_check_end(&target->image, place->addr);
	place->delta = end - place->addr;
	place->addr = end;
	return elf_image_offset(&target->image, end, &place->offset);
}

static struct error *find_line(struct target *target, struct symbols *syms,
			       const char *file, unsigned int line,
			       const struct place_options *options,
			       struct places *places)
{
	const struct debug_info *info;
	struct line_sites sites;
	struct error *err;

	err = target_need_debug_info(target, &info);
	if (err)
		return err;
	err = source_line_find(info, file, line, &sites);
	for (size_t i = 0; i < sites.n && !err; i++) {
		struct place place = { .addr = sites.v[i].addr };

		err = elf_image_offset(&target->image, place.addr,
				       &place.offset);
		if (!err)
			err = check_number(target, syms, &place,
					   options->force);
		if (!err && options->entered)
			err = enter(target, &place);
		if (!err)
			places_add(places, &place);
	}
	line_sites_free(&sites);
	return err;
}

static void add_inlined(struct target *target, struct symbols *syms,
			const struct spec *spec, unsigned int force,
			struct places *places)
{
	/* The variants of an IFUNC in a stripped library have no names. */
	const char *symbol = places->n && places->v[0].function ?
			     places->v[0].function->name : NULL;
	char *base = name_base(spec->name);
	const struct debug_info *info;
	struct inlined inlined;
	struct error *err;
	bool may;

	may = debug_info_may_mention(&target->debug_info, &target->image,
				     target->debug_dir,
				     base ? base : spec->name);
	free(base);
	info = may ? target_debug_info(target, false) : NULL;
	if (!info)
		return;
	inlined_find(info, spec->name, symbol, spec->qualifier, &inlined);
	for (size_t i = 0; i < inlined.n; i++) {
		struct place place = { .addr = inlined.v[i].addr };

		err = elf_image_offset(&target->image, place.addr,
				       &place.offset);
		if (!err)
			err = check_number(target, syms, &place, force);
		place.inlined = true;
		place.copy = inlined.v[i].die;
		if (!err)
			places_add(places, &place);
		else
			remark("the inlined copy of %s at 0x%llx is left out: %s",
			       spec->name, (unsigned long long)place.addr,
			       err->text);
		error_free(err);
	}
	inlined_free(&inlined);
}

static struct error *several_copies(const struct target *target,
				    const struct spec *spec,
				    const struct places *places)
{
	struct error *err;

	err = error_new(STATUS_NOT_FOUND,
			"%s of %s has no code of its own, only %zu inlined copies; name one of these, or use --all:",
			spec->name, target->image.path, places->n);
	for (size_t i = 0; i < places->n; i++) {
		const struct place *place = &places->v[i];

		error_append(err, "\n  @0x%llx\tin %s",
			     (unsigned long long)place->addr,
			     place->function ? place->function->name : "?");
	}
	return err;
}

static struct error *find_function(struct target *target, struct symbols *syms,
				   const struct spec *spec,
				   const struct place_options *options,
				   struct places *places)
{
	struct matches found = { 0 };
	struct error *err;

	err = lookup_function(syms, spec->name, spec->qualifier, options->all,
			      &found);
	for (size_t i = 0; !err && i < found.n; i++) {
		struct place place;

		if (found.v[i]->type == STT_GNU_IFUNC && !spec->delta &&
		    (options->all || options->pid) &&
		    !(options->force & FORCE_IFUNC)) {
			err = find_variants(target, syms, found.v[i],
					    options->pid, places);
			continue;
		}
		err = find_in_function(target, syms, found.v[i], spec,
				       options->force, &place);
		if (!err && options->entered)
			err = enter(target, &place);
		if (!err)
			places_add(places, &place);
	}
	if (!spec->delta && (err ? !found.n : options->inlined))
		add_inlined(target, syms, spec, options->force, places);
	if (err && !found.n && places->n) {
		error_free(err);
		err = places->n > 1 && !options->all && !options->inlined ?
		      several_copies(target, spec, places) : NULL;
	}
	matches_free(&found);
	return err;
}

/**
 * places_find() - find the places that a specification stands for
 * @target: the file
 * @syms: its symbols
 * @text: NAME[@FILE|@VERSION][+OFF], 0xOFFSET in the file, @0xADDRESS, or
 *	FILE:LINE
 * @options: which places to take, and which checks to skip
 * @places: filled in on success, at least one; to be freed with places_free()
 *	in any case
 *
 * Every place returned is the start of an instruction of executable code that
 * the file holds, unless @options skips that check.
 */
struct error *places_find(struct target *target, struct symbols *syms,
			  const char *text, const struct place_options *options,
			  struct places *places)
{
	struct error *err;
	unsigned int line;
	struct spec spec;
	char *file;
	bool whole;

	memset(places, 0, sizeof(*places));
	whole = lookup_is_symbol(syms, text);
	if (!whole && source_line_parse(text, &file, &line)) {
		err = find_line(target, syms, file, line, options,
				places);
		free(file);
		return err;
	}
	err = spec_parse(text, whole, &spec);
	if (err)
		return err;
	if (spec.name)
		err = find_function(target, syms, &spec, options, places);
	else
		err = find_number(target, syms, &spec, options->force, places);
	spec_free(&spec);
	return err;
}

void places_free(struct places *places)
{
	free(places->v);
	memset(places, 0, sizeof(*places));
}
