// SPDX-License-Identifier: GPL-2.0
/*
 * Resolve a name as in the source code: it stands for the variable of the
 * innermost namespace or class around the function that has such a variable.
 * Ignore namespaces without a name, and functions that the function is inlined
 * into.  If no variable matches, the user may have left out namespaces: take the
 * only variable whose path ends in the name.
 */
#include "global.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/util.h"
#include "dwarf_type.h"
#include "location_find.h"

/* Nested namespaces; a limit on hostile files. */
#define NESTING_MAX 64

/* References from a definition to its declaration; a limit on hostile files, too. */
#define REFERENCES_MAX 8

/* Ranks of a variable: only the last parts of its path match the name, or it matches exactly. */
#define RANK_TAIL 1
#define RANK_EXACT 2

/**
 * struct candidate - a variable that the name can stand for
 * @die: its description
 * @path: its name with the names of the namespaces and classes around it
 * @rank: how well @path matches the name
 * @own: the source file of the function mentions it
 * @external: other source files can name it, too
 * @placed: 2 if it has a location, 1 if it has only a value, otherwise 0
 * @declared: @die only declares the variable; its definition is elsewhere
 */
struct candidate {
	Dwarf_Die die;
	char *path;
	size_t rank;
	bool own;
	bool external;
	unsigned int placed;
	bool declared;
};

/**
 * struct search - a search for a variable
 * @name: the name as the user typed it
 * @last: its last part
 * @around: namespaces and classes around the function, with :: between them
 * @types: look into classes, too
 * @own: the searched unit is the source file of the function
 * @v: the candidates
 * @n: number of @v
 * @cap: capacity of @v
 */
struct search {
	const char *name;
	const char *last;
	char *around;
	bool types;
	bool own;
	struct candidate *v;
	size_t n;
	size_t cap;
};

static bool is_around(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag_has_members(tag);
}

/* Follow a definition to its declaration, which is inside its namespace. */
static Dwarf_Die declaration_of(const Dwarf_Die *die)
{
	Dwarf_Die at = *die, next;
	Dwarf_Attribute attr;

	for (unsigned int i = 0; i < REFERENCES_MAX; i++) {
		if (!dwarf_attr(&at, DW_AT_abstract_origin, &attr) &&
		    !dwarf_attr(&at, DW_AT_specification, &attr))
			break;
		if (!dwarf_formref_die(&attr, &next))
			break;
		at = next;
	}
	return at;
}

/* Return @name, preceded by the names of the namespaces and classes around a description. */
static char *path_of(const Dwarf_Die *die, const char *name)
{
	Dwarf_Die at = declaration_of(die), *around = NULL;
	char *path = xstrdup(name), *longer;
	int n = dwarf_getscopes_die(&at, &around);

	for (int i = 1; i < n; i++) {
		const char *its = die_name(&around[i]);

		if (!is_around(dwarf_tag(&around[i])) || !its)
			continue;
		longer = xasprintf("%s%s%s", its, *path ? "::" : "", path);
		free(path);
		path = longer;
	}
	if (n > 0)
		free(around);
	return path;
}

static size_t rank(const struct search *search, const char *path)
{
	const char *around = search->around;
	size_t len = strlen(around), n = strlen(path);
	size_t tail = strlen(search->name);

	if (n < tail || strcmp(path + n - tail, search->name))
		return 0;
	for (;;) {
		if (!len && n == tail)
			return RANK_EXACT;
		if (!len)
			break;
		if (n == len + 2 + tail && path[len] == ':' &&
		    !strncmp(path, around, len))
			return RANK_EXACT + len;
		while (len && around[--len] != ':')
			;
		if (len)
			len--;
	}
	return path[n - tail - 1] == ':' ? RANK_TAIL : 0;
}

static void add(struct search *search, Dwarf_Die *die)
{
	const char *name = die_name(die);
	struct candidate found = { .die = *die };
	Dwarf_Attribute attr;

	if (!name || strcmp(name, search->last))
		return;
	found.path = path_of(die, name);
	found.rank = rank(search, found.path);
	found.own = search->own;
	found.external = dwarf_hasattr_integrate(die, DW_AT_external);
	found.declared = dwarf_hasattr(die, DW_AT_declaration);
	if (dwarf_hasattr(die, DW_AT_location))
		found.placed = 2;
	else if (dwarf_attr(die, DW_AT_const_value, &attr))
		found.placed = 1;
	if (!found.rank) {
		free(found.path);
		return;
	}
	search->v = grow(search->v, search->n, &search->cap,
			 sizeof(*search->v));
	search->v[search->n++] = found;
}

static void walk(struct search *search, Dwarf_Die *parent, unsigned int depth)
{
	Dwarf_Die child;

	if (depth == NESTING_MAX || dwarf_child(parent, &child))
		return;
	do {
		int tag = dwarf_tag(&child);

		/* A constant member has no separate description as a variable. */
		if (tag == DW_TAG_variable ||
		    (tag == DW_TAG_member &&
		     dwarf_hasattr(&child, DW_AT_const_value)))
			add(search, &child);
		else if (is_around(tag) &&
			 (search->types || tag == DW_TAG_namespace ||
			  tag == DW_TAG_module))
			walk(search, &child, depth + 1);
	} while (!dwarf_siblingof(&child, &child));
}

static void clear(struct search *search)
{
	while (search->n)
		free(search->v[--search->n].path);
}

/* Return criterion number @what of a candidate; lower numbers take precedence. */
static size_t key(const struct candidate *c, int what)
{
	switch (what) {
	case 0:
		return c->rank;
	case 1:
		return c->own ? 2 : c->external;
	default:
		return c->placed;
	}
}

/*
 * Keep the candidates of the best rank, of these the most visible ones, and of these the
 * candidates with a location.
 */
static void keep_best(struct search *search)
{
	for (int what = 0; what < 3; what++) {
		size_t best = 0, n = 0;

		for (size_t i = 0; i < search->n; i++)
			if (key(&search->v[i], what) > best)
				best = key(&search->v[i], what);
		for (size_t i = 0; i < search->n; i++) {
			if (key(&search->v[i], what) == best)
				search->v[n++] = search->v[i];
			else
				free(search->v[i].path);
		}
		search->n = n;
	}
}

static bool is_same(const struct frame *frame, Dwarf_Die *a, Dwarf_Die *b)
{
	struct location one, other;
	const char *problem, *problem_b;
	bool same;

	if (declaration_of(a).addr == declaration_of(b).addr)
		return true;
	problem = location_find(frame, a, &one);
	problem_b = location_find(frame, b, &other);
	same = !problem && !problem_b && one.where == other.where &&
	       one.where != WHERE_PIECES && one.offset == other.offset &&
	       !one.base == !other.base &&
	       (!one.base || !strcmp(one.base, other.base));
	if (!problem)
		location_free(&one);
	if (!problem_b)
		location_free(&other);
	return same;
}

static struct error *ambiguous(const struct search *search)
{
	const char *first = search->v[0].path;
	bool differ = false;
	struct error *err;

	for (size_t i = 1; i < search->n; i++)
		differ |= strcmp(search->v[i].path, first) != 0;
	if (!differ)
		return error_new(STATUS_NOT_FOUND,
				 "several source files have a variable %s of their own, and that of the function has none; name a function of the file that is meant",
				 first);
	err = error_new(STATUS_NOT_FOUND,
			"%s is the name of several variables; write which one:",
			search->name);
	for (size_t i = 0; i < search->n; i++)
		error_append(err, "\n  %s", search->v[i].path);
	return err;
}

/* Choose the only variable that is left; one variable can have several descriptions. */
static struct error *choose(struct search *search, const struct frame *frame,
			    Dwarf_Die *variable)
{
	for (size_t i = 1; i < search->n; i++)
		if (!is_same(frame, &search->v[0].die, &search->v[i].die))
			return ambiguous(search);
	*variable = search->v[0].die;
	return NULL;
}

static void search_others(struct search *search, const struct frame *frame,
			  const Dwarf_Die *own)
{
	struct unit_walk units = { .info = frame->info };

	while (unit_next(&units))
		if (!own || units.die.addr != own->addr)
			walk(search, &units.die, 0);
}

/*
 * Check whether all candidates only declare one variable.  If so, set @path to the full name
 * of the declaration, to search for the definition under that name.
 */
static bool is_elsewhere(struct search *search, char **path)
{
	for (size_t i = 0; i < search->n; i++)
		if (!search->v[i].declared || search->v[i].placed ||
		    strcmp(search->v[i].path, search->v[0].path))
			return false;
	*path = xstrdup(search->v[0].path);
	return true;
}

static struct error *find(struct search *search, const struct frame *frame,
			  Dwarf_Die *variable, bool *found)
{
	Dwarf_Die function = frame->function, own;
	bool known = dwarf_diecu(&function, &own, NULL, NULL);
	struct error *err = NULL;
	Dwarf_Die declared;
	char *path = NULL;

	search->own = true;
	if (known)
		walk(search, &own, 0);
	search->own = false;
	keep_best(search);
	if (!search->n || search->v[0].rank == RANK_TAIL) {
		search_others(search, frame, known ? &own : NULL);
		keep_best(search);
	}
	*found = search->n;
	if (!search->n)
		return NULL;
	if (!is_elsewhere(search, &path))
		return choose(search, frame, variable);
	declared = search->v[0].die;
	clear(search);
	search->name = path;
	*search->around = '\0';
	search_others(search, frame, known ? &own : NULL);
	keep_best(search);
	if (search->n && search->v[0].external)
		err = choose(search, frame, variable);
	else
		*variable = declared;
	free(path);
	return err;
}

/**
 * global_find() - find a variable that belongs to no function
 * @frame: the instruction at which the name is looked up
 * @around: the innermost function at that instruction
 * @name: its name, with or without the names of namespaces and classes
 * @variable: set to its description, if the variable exists
 * @found: set to whether the variable exists
 */
struct error *global_find(const struct frame *frame, const Dwarf_Die *around,
			  const char *name, Dwarf_Die *variable, bool *found)
{
	struct search search = { .name = name, .last = name };
	struct error *err;

	for (const char *p = name; (p = strstr(p, "::")); p += 2)
		search.last = p + 2;
	search.around = path_of(around, "");
	search.types = search.last != name || *search.around;
	err = find(&search, frame, variable, found);
	clear(&search);
	free(search.v);
	free(search.around);
	return err;
}
