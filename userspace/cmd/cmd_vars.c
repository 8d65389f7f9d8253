// SPDX-License-Identifier: GPL-2.0
/* uprobe vars TARGET FUNCTION|FILE:LINE */
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "dwarf/dwarf_type.h"
#include "util/error.h"
#include "probe/place.h"
#include "dwarf/scope.h"
#include "dwarf/source_line.h"
#include "symbols/symbols.h"
#include "probe/target.h"
#include "dwarf/variable.h"
#include "util/json.h"

static char *declared_type(Dwarf_Die *variable)
{
	Dwarf_Attribute attr;
	Dwarf_Die type;

	if (!dwarf_attr_integrate(variable, DW_AT_type, &attr) ||
	    !dwarf_formref_die(&attr, &type))
		return xstrdup("?");
	return type_name(&type);
}

/* @fetch: what fetches it, or NULL; then @problem says why nothing does */
static void print_json(const struct target *target, const struct place *place, const char *name,
		       const char *type, const char *fetch, const char *problem)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_text(&json, "name", name);
	json_text(&json, "type", type);
	json_text(&json, "fetch", fetch);
	json_text(&json, "problem", problem);
	json_path(&json, "file", target->image.path);
	json_hex(&json, "offset", place->offset);
	if (place->function)
		json_text(&json, "function", place->function->name);
	json_end(&json);
}

/* Print the name, the type in the source code, and NAME=FETCH:TYPE for a definition. */
static void print_variable(const struct scope *scope, const struct visible *variable,
			   const struct target *target, const struct place *place, bool as_json)
{
	Dwarf_Die die = variable->die;
	char *type = declared_type(&die), *fetch = NULL;
	struct error *err;

	err = variable_fetch(scope, variable->name, NULL, &fetch, NULL);
	if (err)
		err->text[strcspn(err->text, ";")] = '\0';
	if (as_json) {
		print_json(target, place, variable->name, type, err ? NULL : fetch,
			   err ? err->text : NULL);
	} else if (err) {
		printf("%s\t%s\t(%s)\n", variable->name, type, err->text);
	} else {
		printf("%s\t%s\t%s=%s\n", variable->name, type, variable->name,
		       fetch);
	}
	if (!err)
		free(fetch);
	error_free(err);
	free(type);
}

static void print_heading(const struct debug_info *info,
			  const struct target *target,
			  const struct place *place)
{
	struct line_site line;

	printf("%s:0x%llx", target->image.path,
	       (unsigned long long)place->offset);
	if (place->function)
		printf(" %s+0x%llx", place->function->name,
		       (unsigned long long)place->delta);
	if (source_line_at(info, place->addr, &line))
		printf(" %s:%u", line.file, line.line);
	puts(":");
}

static struct error *print_place(const struct debug_info *info, const struct target *target,
				 const struct place *place, bool as_json)
{
	struct scope scope;
	struct error *err;

	err = scope_open(info, place, &scope);
	if (err)
		return err;
	for (size_t i = 0; i < scope.n; i++)
		print_variable(&scope, &scope.v[i], target, place, as_json);
	scope_close(&scope);
	return NULL;
}

static struct error *print_places(const struct options *options,
				  struct target *target,
				  struct symbols *syms, const char *spec)
{
	struct place_options how = {
		.all = options->all, .force = options->force, .inlined = true,
	};
	const struct debug_info *info;
	struct places places;
	struct error *err;

	err = target_need_debug_info(target, &info);
	if (err)
		return err;
	err = places_find(target, syms, spec, &how, &places);
	for (size_t i = 0; !err && i < places.n; i++) {
		if (places.n > 1 && !options->json)
			print_heading(info, target, &places.v[i]);
		err = print_place(info, target, &places.v[i], options->json);
	}
	places_free(&places);
	return err;
}

int cmd_vars(const struct options *options, int argc, char **argv)
{
	struct target target;
	struct symbols syms;
	struct error *err;

	if (argc != 2) {
		err = error_new(STATUS_USAGE,
				"vars takes a target and a place: uprobe vars TARGET FUNCTION, uprobe vars TARGET FILE:LINE");
		return error_report(err);
	}
	err = target_open(argv[0], options, &target);
	if (err)
		return error_report(err);
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	err = print_places(options, &target, &syms, argv[1]);
	symbols_free(&syms);
	target_close(&target);
	return error_report(err);
}
