// SPDX-License-Identifier: GPL-2.0
#include "source_line.h"

#include <ctype.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "util/error.h"
#include "util/util.h"

/* Number of lines that a message offers instead of a line without code. */
#define NEAR_MAX 3

/**
 * source_line_parse() - parse FILE:LINE
 * @text: the text
 * @file: set on success to the file, from malloc()
 * @line: set on success to the line
 *
 * Return: whether @text is FILE:LINE.
 */
bool source_line_parse(const char *text, char **file, unsigned int *line)
{
	const char *colon = strrchr(text, ':');
	u64 number = 0;

	if (!colon || colon == text || colon[-1] == ':' || !colon[1])
		return false;
	for (const char *p = colon + 1; *p; p++) {
		if (!isdigit((unsigned char)*p) || number > INT32_MAX)
			return false;
		number = 10 * number + (*p - '0');
	}
	if (!number || number > INT32_MAX)
		return false;
	*file = xstrndup(text, colon - text);
	*line = number;
	return true;
}

static void add(struct line_sites *sites, u64 addr, const char *file,
		unsigned int line)
{
	sites->v = grow(sites->v, sites->n, &sites->cap, sizeof(*sites->v));
	sites->v[sites->n++] = (struct line_site){
		.addr = addr, .file = file, .line = line,
	};
}

static int by_line(const void *pa, const void *pb)
{
	const struct line_site *a = pa, *b = pb;
	int order = strcmp(a->file, b->file);

	if (order)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

static void sort(struct line_sites *sites)
{
	size_t n = 0;

	if (!sites->n)
		return;
	qsort(sites->v, sites->n, sizeof(*sites->v), by_line);
	for (size_t i = 0; i < sites->n; i++)
		if (!n || by_line(&sites->v[n - 1], &sites->v[i]))
			sites->v[n++] = sites->v[i];
	sites->n = n;
}

/**
 * struct row - a row of a unit's line table
 * @addr: see struct line_site
 * @file: see struct line_site
 * @line: see struct line_site
 * @statement: a statement starts here
 * @end: no code of this unit is at @addr
 */
struct row {
	u64 addr;
	const char *file;
	int line;
	bool statement;
	bool end;
};

static bool get_row(const struct debug_info *info, Dwarf_Lines *lines, size_t i,
		    struct row *row)
{
	Dwarf_Line *line = dwarf_onesrcline(lines, i);
	Dwarf_Addr addr;

	memset(row, 0, sizeof(*row));
	if (!line || dwarf_lineaddr(line, &addr) ||
	    dwarf_lineno(line, &row->line) ||
	    dwarf_linebeginstatement(line, &row->statement) ||
	    dwarf_lineendsequence(line, &row->end))
		return false;
	row->addr = addr + info->bias;
	row->file = dwarf_linesrc(line, NULL, NULL);
	return row->file && str_printable(row->file) && row->line > 0;
}

/* Files that the linker has discarded still have lines, at address 0. */
static bool is_there(const struct debug_info *info, const struct row *row)
{
	return row->statement && !row->end &&
	       elf_image_is_code(info->image, row->addr);
}

static void unit_lines(const struct debug_info *info, Dwarf_Die *unit,
		       const char *file, struct line_sites *sites)
{
	Dwarf_Lines *lines;
	size_t n;

	if (dwarf_getsrclines(unit, &lines, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct row row;

		if (get_row(info, lines, i, &row) && is_there(info, &row) &&
		    path_has_tail(row.file, file))
			add(sites, row.addr, row.file, row.line);
	}
}

/**
 * source_lines_of_file() - list the lines of a file that have code
 * @info: the debug information
 * @file: name of the file, or the last part of its path
 * @sites: filled in, in order; to be freed with line_sites_free()
 */
void source_lines_of_file(const struct debug_info *info, const char *file,
			  struct line_sites *sites)
{
	struct unit_walk walk = { .info = info };

	memset(sites, 0, sizeof(*sites));
	while (unit_next(&walk))
		unit_lines(info, &walk.die, file, sites);
	sort(sites);
}

/**
 * source_lines_between() - list the source lines of a range of code
 * @info: the debug information
 * @start: address of the code
 * @end: address after the code
 * @sites: filled in, in order; to be freed with line_sites_free()
 */
void source_lines_between(const struct debug_info *info, u64 start, u64 end,
			  struct line_sites *sites)
{
	Dwarf_Lines *lines;
	Dwarf_Die unit;
	size_t n;

	memset(sites, 0, sizeof(*sites));
	if (!unit_at(info, start, &unit) ||
	    dwarf_getsrclines(&unit, &lines, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		struct row row;

		if (get_row(info, lines, i, &row) && is_there(info, &row) &&
		    row.addr >= start && row.addr < end)
			add(sites, row.addr, row.file, row.line);
	}
	sort(sites);
}

/**
 * source_line_at() - find the source line of an instruction
 * @info: the debug information
 * @addr: address of the instruction
 * @site: filled in on success; its addr is the start of the line
 */
bool source_line_at(const struct debug_info *info, u64 addr,
		    struct line_site *site)
{
	struct row row, best = { 0 };
	Dwarf_Lines *lines;
	bool found = false;
	Dwarf_Die unit;
	size_t n;

	if (!unit_at(info, addr, &unit) || dwarf_getsrclines(&unit, &lines, &n))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!get_row(info, lines, i, &row) || row.addr > addr)
			continue;
		if (!found || row.addr > best.addr ||
		    (row.addr == best.addr && best.end))
			best = row;
		found = true;
	}
	if (!found || best.end)
		return false;
	*site = (struct line_site){
		.addr = best.addr, .file = best.file, .line = best.line,
	};
	return true;
}

/*
 * Return the description of the innermost function at an instruction; this can
 * be an inlined function.  Identify the description by its address in memory,
 * because offsets are unique only within one file of debug information.
 */
static const void *function_of(const struct debug_info *info, u64 addr)
{
	const void *function = NULL;
	struct blocks blocks;

	blocks_find(info, addr, &blocks);
	for (size_t i = 0; i < blocks.n && !function; i++)
		if (is_function_block(&blocks.v[i]))
			function = blocks.v[i].addr;
	blocks_free(&blocks);
	return function;
}

static struct error *unknown_functions(const struct debug_info *info,
				       const struct line_sites *sites)
{
	struct error *err;

	err = error_new(STATUS_NOT_FOUND,
			"%s:%u of %s starts at several places, and it is not known which of them are in one function; name one of these:",
			sites->v[0].file, sites->v[0].line, info->image->path);
	for (size_t i = 0; i < sites->n; i++)
		error_append(err, "\n  @0x%llx",
			     (unsigned long long)sites->v[i].addr);
	return debug_info_excuse(info, err);
}

/* Of the instructions at which a line starts, keep the first one of each function. */
static struct error *first_of_each(const struct debug_info *info,
				   struct line_sites *sites)
{
	_cleanup_free_ char *missing = NULL;
	const void **functions = xcalloc(sites->n, sizeof(*functions));
	size_t n = 0, unknown = 0;
	struct error *err = NULL;

	for (size_t i = 0; i < sites->n; i++) {
		const void *function = function_of(info, sites->v[i].addr);
		size_t j;

		for (j = 0; j < n && functions[j] != function; j++)
			;
		if (j < n && function)
			continue;
		unknown += !function;
		functions[n] = function;
		sites->v[n++] = sites->v[i];
	}
	sites->n = n;
	free(functions);
	missing = unknown > 1 ? debug_info_missing(info) : NULL;
	if (missing)
		err = unknown_functions(info, sites);
	return err;
}

static struct error *no_file(const struct debug_info *info, const char *file)
{
	struct unit_walk walk = { .info = info };
	const char *base = strrchr(file, '/');
	struct error *err;

	base = base ? base + 1 : file;
	err = error_new(STATUS_NOT_FOUND,
			"no line of %s comes from a file %s; see: uprobe lines %s",
			info->image->path, file, info->image->path);
	while (unit_next(&walk)) {
		const char *name = die_name(&walk.die);
		const char *its = name ? strrchr(name, '/') : NULL;

		its = its ? its + 1 : name;
		if (its && !strcasecmp(its, base))
			error_append(err, "\n  %s", name);
	}
	return err;
}

static struct error *no_code(const struct line_sites *all, const char *file,
			     unsigned int line)
{
	unsigned int shown = 0, last = 0;
	struct error *err;

	err = error_new(STATUS_NOT_FOUND,
			"line %u of %s has no code; the next ones that have:",
			line, file);
	for (size_t i = 0; i < all->n && shown < NEAR_MAX; i++) {
		if (all->v[i].line <= line || all->v[i].line == last)
			continue;
		last = all->v[i].line;
		error_append(err, "\n  %s:%u", file, last);
		shown++;
	}
	if (!shown && all->n)
		error_append(err, " none; the last one is %s:%u", file,
			     all->v[all->n - 1].line);
	return err;
}

/**
 * source_line_find() - find the instructions at which a line starts
 * @info: the debug information
 * @file: name of the file, or the last part of its path
 * @line: number of the line
 * @sites: filled in on success, one for each function or inlined copy that
 *	contains the line; to be freed with line_sites_free() in any case
 */
struct error *source_line_find(const struct debug_info *info, const char *file,
			       unsigned int line, struct line_sites *sites)
{
	struct line_sites all;
	struct error *err = NULL;

	memset(sites, 0, sizeof(*sites));
	source_lines_of_file(info, file, &all);
	for (size_t i = 0; i < all.n && !err; i++) {
		if (strcmp(all.v[i].file, all.v[0].file)) {
			err = error_new(STATUS_NOT_FOUND,
					"%s names several source files; write more of the path:\n  %s\n  %s",
					file, all.v[0].file, all.v[i].file);
			break;
		}
		if (all.v[i].line == line)
			add(sites, all.v[i].addr, all.v[i].file, line);
	}
	if (!err && !all.n)
		err = no_file(info, file);
	else if (!err && !sites->n)
		err = no_code(&all, file, line);
	else if (!err)
		err = first_of_each(info, sites);
	line_sites_free(&all);
	return err;
}

void line_sites_free(struct line_sites *sites)
{
	free(sites->v);
	memset(sites, 0, sizeof(*sites));
}
