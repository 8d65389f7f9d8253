// SPDX-License-Identifier: GPL-2.0
/* uprobe lines TARGET [FUNCTION|FILE|FILE:LINE] */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "elf/eh_frame.h"
#include "util/error.h"
#include "util/json.h"
#include "probe/place.h"
#include "dwarf/source_line.h"
#include "symbols/lookup.h"
#include "symbols/symbols.h"
#include "probe/target.h"
#include "elf/text.h"

/**
 * struct source - a source file that is read line by line
 * @path: its path
 * @file: the open file, NULL if it cannot be read
 * @line: number of @text
 * @text: the last line that was read
 * @size: room at @text
 */
struct source {
	const char *path;
	FILE *file;
	unsigned int line;
	char *text;
	size_t size;
};

/* Return the text of a line.  Callers ask for lines in rising order, file by file. */
static const char *source_text(struct source *source, const char *path,
			       unsigned int line)
{
	if (!source->path || strcmp(source->path, path)) {
		if (source->file)
			fclose(source->file);
		source->path = path;
		source->line = 0;
		source->file = path[0] == '/' ? fopen(path, "re") : NULL;
	}
	while (source->file && source->line < line) {
		ssize_t n = getline(&source->text, &source->size, source->file);

		if (n < 0)
			return NULL;
		if (n && source->text[n - 1] == '\n')
			source->text[n - 1] = '\0';
		source->line++;
	}
	if (!source->file)
		return NULL;
	for (char *p = source->text; *p; p++)
		if ((unsigned char)*p < 0x20 && *p != '\t')
			*p = '?';
	return source->text;
}

static void source_close(struct source *source)
{
	if (source->file)
		fclose(source->file);
	free(source->text);
}

/* @text: the line itself, or NULL */
static void print_json(const struct elf_image *img, const struct line_site *site, u64 offset,
		       const char *text)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_text(&json, "source", site->file);
	json_number(&json, "line", site->line);
	json_path(&json, "file", img->path);
	json_hex(&json, "offset", offset);
	json_text(&json, "text", text);
	json_end(&json);
}

/* Print each line once, with the first place of its code. */
static struct error *print_lines(const struct elf_image *img,
				 const struct line_sites *sites, bool as_json)
{
	struct source source = { 0 };
	const char *last = NULL;

	for (size_t i = 0; i < sites->n; i++) {
		const struct line_site *site = &sites->v[i];
		const char *text;
		struct error *err;
		u64 offset;

		if (i && site->line == sites->v[i - 1].line &&
		    !strcmp(site->file, sites->v[i - 1].file))
			continue;
		err = elf_image_offset(img, site->addr, &offset);
		if (err) {
			error_free(err);
			continue;
		}
		text = source_text(&source, site->file, site->line);
		if (as_json) {
			print_json(img, site, offset, text);
			continue;
		}
		if (!last || strcmp(last, site->file))
			printf("%s:\n", site->file);
		last = site->file;
		printf("%6u 0x%llx%s%s\n", site->line,
		       (unsigned long long)offset, text ? "\t" : "",
		       text ? text : "");
	}
	source_close(&source);
	return NULL;
}

/*
 * Return the source file of a unit.  If everything but the line table of the unit is in another
 * file, take the name from the line table.
 */
static const char *unit_file(Dwarf_Die *unit)
{
	const char *name = die_name(unit);
	Dwarf_Half version;
	Dwarf_Files *files;
	size_t n;

	if (name || dwarf_cu_info(unit->cu, &version, NULL, NULL, NULL, NULL,
				  NULL, NULL) ||
	    dwarf_getsrcfiles(unit, &files, &n))
		return name;
	/* Before DWARF 5, files are numbered from one. */
	name = dwarf_filesrc(files, version < 5, NULL, NULL);
	return name && str_printable(name) ? name : NULL;
}

static void print_files(const struct debug_info *info, bool as_json)
{
	struct unit_walk walk = { .info = info };
	struct json json = { .out = stdout };

	while (unit_next(&walk)) {
		const char *name = unit_file(&walk.die);

		if (name && as_json) {
			json_open(&json, NULL, '{');
			json_text(&json, "source", name);
			json_end(&json);
		} else if (name) {
			puts(name);
		}
	}
}

static struct error *of_function(struct target *target, struct symbols *syms,
				 const struct debug_info *info,
				 const struct options *options,
				 const char *spec)
{
	struct place_options how = {
		.all = options->all, .force = options->force,
	};
	struct line_sites sites;
	struct places places;
	struct error *err;
	u64 start, end;

	err = places_find(target, syms, spec, &how, &places);
	for (size_t i = 0; !err && i < places.n; i++) {
		const struct place *place = &places.v[i];

		start = place->addr;
		if (place->function && place->function->size)
			end = place->function->addr + place->function->size;
		else if (!eh_frame_function_at(&target->image, place->addr,
					       &start, &end))
			end = place->addr + 1;
		source_lines_between(info, place->addr, end, &sites);
		err = sites.n ? print_lines(&target->image, &sites, options->json) :
		      error_new(STATUS_NOT_FOUND,
				"the code of %s has no lines in the debug information of %s",
				spec, target->image.path);
		line_sites_free(&sites);
	}
	places_free(&places);
	return err;
}

static bool is_file_name(const char *text)
{
	return strchr(text, '/') || strchr(text, '.');
}

static struct error *print_about(struct target *target, struct symbols *syms,
				 const struct options *options,
				 const char *what)
{
	const struct debug_info *info;
	struct line_sites sites;
	struct error *err;
	unsigned int line;
	char *file;

	err = target_need_debug_info(target, &info);
	if (err)
		return err;
	if (!what) {
		print_files(info, options->json);
		return NULL;
	}
	if (!lookup_is_symbol(syms, what) && source_line_parse(what, &file, &line)) {
		err = source_line_find(info, file, line, &sites);
		for (size_t i = 0; i < sites.n && !err; i++) {
			u64 offset;

			err = elf_image_offset(&target->image, sites.v[i].addr,
					       &offset);
			if (!err && options->json)
				print_json(&target->image, &sites.v[i], offset, NULL);
			else if (!err)
				printf("%s:0x%llx\n", target->image.path,
				       (unsigned long long)offset);
		}
		line_sites_free(&sites);
		free(file);
		return err;
	}
	if (is_file_name(what)) {
		source_lines_of_file(info, what, &sites);
		if (sites.n) {
			err = print_lines(&target->image, &sites, options->json);
			line_sites_free(&sites);
			return err;
		}
		line_sites_free(&sites);
	}
	return of_function(target, syms, info, options, what);
}

int cmd_lines(const struct options *options, int argc, char **argv)
{
	struct target target;
	struct symbols syms;
	struct error *err;

	if (argc < 1 || argc > 2) {
		err = error_new(STATUS_USAGE,
				"lines takes a target and perhaps a function, a source file or a line: uprobe lines TARGET [FUNCTION|FILE|FILE:LINE]");
		return error_report(err);
	}
	err = target_open(argv[0], options, &target);
	if (err)
		return error_report(err);
	symbols_load(&target.image, target.root, target.debug_dir, &syms);
	err = print_about(&target, &syms, options, argc > 1 ? argv[1] : NULL);
	symbols_free(&syms);
	target_close(&target);
	return error_report(err);
}
