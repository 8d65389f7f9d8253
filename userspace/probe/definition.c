// SPDX-License-Identifier: GPL-2.0
#include "definition.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "util/options.h"
#include "symbols/demangle.h"
#include "util/error.h"
#include "fields.h"
#include "filter_word.h"
#include "place.h"
#include "util/probe_spec.h"
#include "dwarf/register_variables.h"
#include "dwarf/results.h"
#include "returns.h"
#include "sdt/sdt.h"
#include "sdt/sdt_define.h"
#include "symbols/stack_check.h"
#include "symbols/symbols.h"
#include "target.h"
#include "elf/text.h"
#include "translate.h"
#include "util/util.h"

/* The longest name that the tracer accepts. */
#define EVENT_NAME_MAX 63

/*
 * Append @text to @name. Letters, digits and underscores stay. One underscore replaces each run
 * of other characters, unless @name is empty or already ends in an underscore.
 */
static void append_identifier(char *name, const char *text, size_t len)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < len && n < EVENT_NAME_MAX; i++) {
		unsigned char c = text[i];

		if (isascii(c) && (isalnum(c) || c == '_'))
			name[n++] = c;
		else if (n && name[n - 1] != '_')
			name[n++] = '_';
	}
	name[n] = '\0';
}

/*
 * Derive the name of an event from its probe: readline from bash:readline, sleep_0x10 from
 * libc:sleep+0x10, and, as in perf-tools, libc_0xbf130 from libc:0xbf130.
 */
char *definition_event(const struct probe_spec *spec)
{
	const char *f = spec->function, *base;
	char name[EVENT_NAME_MAX + 1] = "";
	u64 number;

	if (spec->kind == 'u') {
		append_identifier(name, f, strlen(f));
	} else if (f[0] == '@' || parse_u64(f, &number)) {
		base = strrchr(spec->target, '/');
		base = base ? base + 1 : spec->target;
		append_identifier(name, base, strcspn(base, "."));
		append_identifier(name, "_", 1);
		append_identifier(name, f, strlen(f));
	} else {
		size_t len = strlen(f);
		const char *at = strrchr(f, '@'), *plus = strrchr(f, '+');
		const char *params = strchr(f + 1, '(');

		/* In Go, a parenthesis after a dot is part of the name: main.(*T).Method. */
		while (params && params[-1] == '.')
			params = strchr(params + 1, '(');
		if (plus && (!parse_u64(plus + 1, &number)))
			plus = NULL;
		if (plus)
			len = plus - f;
		if (at && at > f && (size_t)(at - f) < len)
			len = at - f;
		if (params && (size_t)(params - f) < len)
			len = params - f;
		append_identifier(name, f, len);
		if (plus) {
			append_identifier(name, "_", 1);
			append_identifier(name, plus + 1, strlen(plus + 1));
		}
	}
	while (*name && name[strlen(name) - 1] == '_' && strlen(name) > 1)
		name[strlen(name) - 1] = '\0';
	if (isdigit((unsigned char)name[0]) || !name[0])
		return xasprintf("p_%.*s", EVENT_NAME_MAX - 2, name);
	return xstrdup(name);
}

/* Check whether a function's return address is at the stack pointer. */
static bool is_entry(const struct target *target, const struct place *place)
{
	u64 start = place->function ? place->function->addr : 0;

	if (!start || place->inlined || place->in_memory)
		return false;
	return place->addr == start || place->addr == stack_check_entry(&target->image, start);
}

static void add_site(struct definition *def, const struct target *target,
		     const struct place *place, const struct options *options,
		     bool returned, const char *args)
{
	pid_t pid = options->pid;
	char *memory = xasprintf("/proc/%d/mem", pid);

	if (place->in_memory)
		probe_sites_add(&def->sites, memory, place->addr, 0, args);
	else
		probe_sites_add(&def->sites, target->image.path, place->offset, 0, args);
	/* At a return instruction, too, the stack pointer is where it was at the entry. */
	def->sites.v[def->sites.n - 1].entry = options->stacks && def->kind == 'p' &&
					       (returned || is_entry(target, place));
	def->in_memory |= place->in_memory;
	free(memory);
}

/*
 * Drop inlined copies for a return probe, or if arguments name registers. An inlined copy has no
 * return to probe, and its parameters are in no fixed registers.
 */
static struct error *choose_copies(const struct probe_spec *spec,
				   const struct target *target,
				   struct places *places)
{
	bool registers = arguments_have_registers(spec->args);
	size_t n = 0, copies = 0;

	for (size_t i = 0; i < places->n; i++) {
		if (places->v[i].inlined && (spec->kind == 'r' || registers))
			copies++;
		else
			places->v[n++] = places->v[i];
	}
	places->n = n;
	if (copies && !n)
		return error_new(STATUS_REFUSED,
				 "%s of %s was inlined everywhere, so it has no %s; %s",
				 spec->function, target->image.path,
				 spec->kind == 'r' ? "return" :
						     "registers of its own",
				 spec->kind == 'r' ? "trace its start with p:" :
				 "name arguments by name, see: uprobe vars");
	if (copies)
		remark("%zu inlined copies of %s are not traced: %s", copies,
		       spec->function, spec->kind == 'r' ?
		       "they do not return" :
		       "registers mean something else there; name arguments by name, or trace without arguments");
	return NULL;
}

/* Replace $retval by %ax: at a return instruction, that register has the value. */
static void without_retval(char **args)
{
	char *text = xstrdup(""), *more;
	const char *rest = *args, *p;

	while ((p = strstr(rest, RETVAL))) {
		more = xasprintf("%s%.*s%%ax", text, (int)(p - rest), rest);
		free(text);
		text = more;
		rest = p + strlen(RETVAL);
	}
	more = xasprintf("%s%s", text, rest);
	free(text);
	free(*args);
	*args = more;
}

/*
 * Translate the arguments for each place into @texts, and add the places that have them to @left.
 * After an error, both can be filled in part.
 */
static struct error *find_texts(struct definition *def, struct target *target,
				const struct places *places,
				const struct arguments *args, char **texts,
				struct places *left)
{
	struct error *err = NULL;

	for (size_t i = 0; i < places->n && !err; i++) {
		const struct place *place = &places->v[i];

		err = arguments_at(target, place, args, &texts[left->n],
				   &def->names);
		if (!err) {
			if (args->returned && def->kind == 'p')
				without_retval(&texts[left->n]);
			places_add(left, place);
		} else if (err->status == STATUS_REFUSED && places->n > 1) {
			/* Another place may still have the argument. */
			remark("0x%llx is left out: %s",
			       (unsigned long long)place->addr, err->text);
			if (i + 1 < places->n || left->n) {
				error_free(err);
				err = NULL;
			}
		}
	}
	return err;
}

static void free_texts(struct definition *def, char **texts, struct places *left)
{
	for (size_t i = 0; i < left->n; i++)
		free(texts[i]);
	places_free(left);
	enum_names_free(&def->names);
}

static struct error *add_sites(struct definition *def, struct target *target,
			       const struct places *places,
			       const struct options *options,
			       const struct arguments *args)
{
	char **texts = xcalloc(places->n, sizeof(*texts));
	struct arguments plain = *args;
	struct places left = { 0 };
	struct error *err;

	err = find_texts(def, target, places, args, texts, &left);
	/* Give the returned value a type only if the arguments are the same at all places. */
	plain.untyped = args->returned;
	for (size_t i = 1; i < left.n && !err; i++) {
		if (!plain.untyped || !strcmp(texts[i], texts[0]))
			continue;
		free_texts(def, texts, &left);
		err = find_texts(def, target, places, &plain, texts, &left);
		break;
	}
	if (!err)
		err = arguments_unify(args->text, texts, left.n);
	for (size_t i = 0; i < left.n; i++) {
		if (!err)
			add_site(def, target, &left.v[i], options, args->returned,
				 texts[i]);
		free(texts[i]);
	}
	places_free(&left);
	free(texts);
	return err;
}

/*
 * If the user gives the address of a static probe, for example from readelf, mention its
 * reference counter: while the counter is 0, the program may skip the probe.
 */
static void mention_counter(const struct probe_spec *spec,
			    const struct symbols *syms,
			    const struct places *places)
{
	struct sdt_list probes;

	if (!isdigit((unsigned char)spec->function[0]) &&
	    spec->function[0] != '@')
		return;
	sdt_load(syms->image, &probes);
	for (size_t i = 0; i < probes.n; i++) {
		const struct sdt_site *probe = &probes.v[i];

		char *word;

		if (probe->offset != places->v[0].offset || !probe->semaphore)
			continue;
		word = path_escape(spec->target);
		remark("the probe %s:%s at this place counts its tracers, and the program may go around it while there are none; use: u:%s:%s:%s",
		       probe->provider, probe->name, word, probe->provider, probe->name);
		free(word);
	}
	sdt_free(&probes);
}

static struct error *make_sites(const struct probe_spec *spec,
				const struct options *options,
				struct target *target,
				struct symbols *syms, struct definition *def)
{
	struct place_options how = {
		.all = options->all, .force = options->force, .inlined = true,
		.pid = options->pid, .entered = spec->kind == 'p',
	};
	struct arguments args = { .returned = spec->kind == 'r' };
	struct returns returns = { 0 };
	struct places places;
	struct error *err;
	char *text;

	def->kind = spec->kind;
	err = register_variables(&target->image, spec->kind, spec->args, &text);
	if (err)
		return err;
	args.text = text;
	err = places_find(target, syms, spec->function, &how, &places);
	if (!err)
		mention_counter(spec, syms, &places);
	if (!err)
		err = choose_copies(spec, target, &places);
	if (!err && spec->kind == 'r')
		err = returns_find(target, syms, options, &places,
				   strstr(text, RETVAL), &returns);
	if (returns.at_sites)
		def->kind = 'p';
	args.values = spec->values && !returns.early;
	if (!err && def->kind == 'r' && arguments_have_names(text))
		err = error_new(STATUS_REFUSED,
				"variables of %s are gone when it has returned; fetch them with p:, or use --return=sites",
				spec->function);
	if (!err)
		err = add_sites(def, target, returns.at_sites ? &returns.sites :
							       &places,
				options, &args);
	places_free(&places);
	places_free(&returns.sites);
	free(text);
	return err;
}

/* Record the bytes that were checked here: the kernel has to find the same bytes. */
static void add_expected(struct definition *def, const struct elf_image *img)
{
	for (size_t i = 0; i < def->sites.n; i++) {
		struct probe_site *site = &def->sites.v[i];
		struct error *err;
		u64 addr;

		err = elf_image_addr(img, site->offset, &addr);
		if (!err) {
			free(site->expected);
			site->expected = text_expected(img, addr);
		}
		error_free(err);
	}
}

/**
 * definition_target() - open the target of a probe
 * @spec: the probe
 * @options: of the command line
 * @target: set on success; to be closed with target_close()
 * @syms: its symbols; to be freed with symbols_free()
 */
struct error *definition_target(const struct probe_spec *spec,
				const struct options *options,
				struct target *target, struct symbols *syms)
{
	struct error *err = target_open(spec->target, options, target);

	/* With -f, the target may be a program that the process has yet to execute. */
	if (err && err->status == STATUS_NOT_FOUND && options->follow) {
		struct options any = *options;

		any.pid = 0;
		error_free(err);
		err = target_open(spec->target, &any, target);
	}
	if (!err)
		symbols_load(&target->image, target->root, target->debug_dir,
			     syms);
	return err;
}

/**
 * definition_in() - definition_make() in an open target
 * @spec: the probe
 * @options: of the command line
 * @target: its target
 * @syms: its symbols
 * @def: filled in on success; to be freed with definition_free()
 */
struct error *definition_in(const struct probe_spec *spec,
			    const struct options *options,
			    struct target *target, struct symbols *syms,
			    struct definition *def)
{
	struct error *err;

	memset(def, 0, sizeof(*def));
	def->kind = 'p';
	if (spec->kind == 'u')
		err = sdt_define(spec, syms, &def->sites);
	else
		err = make_sites(spec, options, target, syms, def);
	if (!err)
		add_expected(def, &target->image);
	def->group = spec->group ? xstrdup(spec->group) : NULL;
	def->named = spec->event;
	def->event = spec->event ? xstrdup(spec->event) : definition_event(spec);
	if (err)
		definition_free(def);
	return err;
}

/**
 * definition_memory() - definition_make() for an address in a process's memory
 * @spec: the probe; target_is_memory() is true for its target
 * @def: filled in on success; to be freed with definition_free()
 *
 * Do not check the instruction there: no file describes this memory.
 */
struct error *definition_memory(const struct probe_spec *spec, struct definition *def)
{
	u64 addr;

	memset(def, 0, sizeof(*def));
	if (spec->kind == 'u' || !parse_u64(spec->function, &addr))
		return error_new(STATUS_USAGE,
				 "a place in %s is an address: p:%s:0xADDRESS",
				 spec->target, spec->target);
	probe_sites_add(&def->sites, spec->target, addr, 0, spec->args);
	def->kind = spec->kind;
	def->in_memory = true;
	def->group = spec->group ? xstrdup(spec->group) : NULL;
	def->named = spec->event;
	def->event = spec->event ? xstrdup(spec->event) : definition_event(spec);
	return NULL;
}

/**
 * definition_make() - make the definition of a probe
 * @spec: the probe
 * @options: of the command line
 * @def: filled in on success; to be freed with definition_free()
 */
struct error *definition_make(const struct probe_spec *spec,
			      const struct options *options,
			      struct definition *def)
{
	struct target target;
	struct symbols syms;
	struct error *err;

	if (target_is_memory(spec->target))
		return definition_memory(spec, def);
	err = definition_target(spec, options, &target, &syms);
	if (err)
		return err;
	err = definition_in(spec, options, &target, &syms, def);
	symbols_free(&syms);
	target_close(&target);
	return err;
}

/**
 * definition_parse() - parse a probe for tracing
 * @text: the probe
 * @options: of the command line
 * @spec: filled in on success; to be freed with probe_spec_free()
 */
struct error *definition_parse(const char *text, const struct options *options,
			       struct probe_spec *spec)
{
	struct error *err = probe_spec_parse(text, spec);

	if (!err)
		spec->values = spec->kind == 'r' && !options->control &&
			       !spec->args[strspn(spec->args, " \t")];
	if (!err)
		err = filter_word_refuse(text, spec->args);
	if (err)
		probe_spec_free(spec);
	return err;
}

/**
 * definition_read() - definition_make() from the text of a probe
 * @text: the probe
 * @options: of the command line
 * @def: filled in on success; to be freed with definition_free()
 */
struct error *definition_read(const char *text, const struct options *options,
			      struct definition *def)
{
	struct probe_spec spec;
	struct error *err = definition_parse(text, options, &spec);

	if (err)
		return err;
	err = definition_make(&spec, options, def);
	probe_spec_free(&spec);
	return err;
}

void definition_free(struct definition *def)
{
	free(def->group);
	free(def->event);
	free(def->label);
	probe_sites_free(&def->sites);
	enum_names_free(&def->names);
	memset(def, 0, sizeof(*def));
}

/**
 * definition_fields() - list the fields of an event's records
 * @def: the definition
 * @fields: filled in; to be freed with fields_free()
 */
void definition_fields(const struct definition *def, struct fields *fields)
{
	memset(fields, 0, sizeof(*fields));
	if (def->kind == 'r') {
		fields_add(fields, "__probe_func", "x64");
		fields_add(fields, "__probe_ret_ip", "x64");
	} else {
		fields_add(fields, "__probe_ip", "x64");
	}
	arguments_fields(def->sites.v[0].args, fields);
}

/**
 * definition_line() - make a line for uprobe_events
 * @def: the definition
 * @site: which of its sites
 * @group: group to put the event into; NULL for the tracer's default
 *
 * Return: the line without a newline, from malloc().
 */
char *definition_line(const struct definition *def, size_t site,
		      const char *group)
{
	const struct probe_site *at = &def->sites.v[site];
	char *place = probe_site_place(at), *line;

	line = xasprintf("%c:%s%s%s %s%s%s", def->kind, group ? group : "",
			 group ? "/" : "", def->event, place, *at->args ? " " : "", at->args);
	free(place);
	return line;
}

/**
 * definition_checked_line() - definition_line() with the expected bytes of the site
 * @def: the definition
 * @site: which of its sites
 * @group: group to put the event into; NULL for the tracer's default
 *
 * Only the uprobes module knows this form.
 */
char *definition_checked_line(const struct definition *def, size_t site,
			      const char *group)
{
	char *line = definition_line(def, site, group), *checked;
	const struct probe_site *at = &def->sites.v[site];

	checked = xasprintf("%s%s%s%s", line, *at->expected ? " expect=" : "", at->expected,
			    at->entry ? " stack=entry" : "");
	free(line);
	return checked;
}
