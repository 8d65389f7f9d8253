// SPDX-License-Identifier: GPL-2.0
#include "return_sites.h"

#include <stdlib.h>
#include <string.h>

#include "boundary.h"
#include "symbols/demangle.h"
#include "elf/cfa.h"
#include "elf/eh_frame.h"
#include "util/error.h"
#include "elf/text.h"
#include "jump_tables.h"
#include "util/util.h"

/* Only generated code has larger functions. */
#define FUNCTION_MAX (16u << 20)

/* A part that a compiler has moved is not larger.  So many other pieces of code are looked at. */
#define PART_MAX (64u << 10)
#define REFUSED_MAX 64

/* So many return instructions of a function are probed at most to time it. */
#define EXITS_MAX 64

/**
 * struct part - a contiguous piece of a function
 * @start: its address
 * @end: address after it
 */
struct part {
	u64 start;
	u64 end;
};

/**
 * struct parts - a function: its body, and the parts that were moved out of it
 * @v: the pieces
 * @n: number of @v
 * @cap: capacity of @v
 * @refused: starts of code that is no part
 * @nr_refused: number of @refused
 */
struct parts {
	struct part *v;
	size_t n;
	size_t cap;
	u64 refused[REFUSED_MAX];
	unsigned int nr_refused;
};

static void add_part(struct parts *parts, u64 start, u64 end)
{
	parts->v = grow(parts->v, parts->n, &parts->cap, sizeof(*parts->v));
	parts->v[parts->n].start = start;
	parts->v[parts->n++].end = end;
}

static bool inside(const struct parts *parts, u64 addr)
{
	for (size_t i = 0; i < parts->n; i++)
		if (addr >= parts->v[i].start && addr < parts->v[i].end)
			return true;
	return false;
}

/* If @target is in f.cold, add f.cold: it is a part of f, although it is elsewhere. */
static bool add_cold_part(struct parts *parts, struct symbols *syms,
			  const struct symbol *function, u64 target)
{
	const struct symbol *sym;
	const char *suffix;
	u64 end;

	sym = function ? symbols_function_at(syms, target, &end) : NULL;
	suffix = sym ? cold_suffix(sym->name) : NULL;
	if (!suffix || !sym->size ||
	    strncmp(sym->name, function->name, suffix - sym->name) ||
	    (function->name[suffix - sym->name] &&
	     function->name[suffix - sym->name] != '.'))
		return false;
	add_part(parts, sym->addr, end);
	return true;
}

/*
 * List the instructions that leave the code in a range.  Return their number, which is negative if
 * there is none that could be listed; then set @stopped to the offset of what is no instruction.
 */
static long list_exits(const struct elf_image *img, u64 start, const u8 *text, size_t len,
		       struct boundary_exit **found, size_t *stopped)
{
	long n = boundary_exits(text, len, text_mode(img), start, NULL, 0, stopped);

	*found = NULL;
	if (n > 0) {
		*found = xcalloc(n, sizeof(**found));
		boundary_exits(text, len, text_mode(img), start, *found, n, NULL);
	}
	return n;
}

/*
 * Check whether unnamed code, to which a function jumps, is a part of it: it has a frame where it
 * starts, or goes nowhere but back into the function.  Entries of the PLT have a frame, too, but
 * jump through memory.
 */
static bool is_moved_part(const struct elf_image *img, const struct parts *parts, u64 start,
			  const struct boundary_exit *found, long n)
{
	struct cfa cfa;
	bool framed = cfa_in_image(img, start, &cfa) && !cfa_of_call(img, &cfa);

	for (long i = 0; i < n; i++) {
		if (found[i].kind == BOUNDARY_JUMP_IND)
			return false;
		if (!framed &&
		    (found[i].kind == BOUNDARY_RET || !inside(parts, found[i].target)))
			return false;
	}
	return n >= 0;
}

/*
 * If @target is in code that a compiler has moved out of the function, add that to the parts.  In
 * stripped files it has no name, but it has an entry of its own in the unwind table.
 */
static bool add_moved_part(struct parts *parts, struct symbols *syms, u64 target)
{
	const struct elf_image *img = syms->image;
	struct boundary_exit *found;
	u64 start, end, offset;
	struct error *err;
	size_t len;
	bool part;
	u8 *text;
	long n;

	if (symbols_function_at(syms, target, &end) ||
	    !eh_frame_function_at(img, target, &start, &end) || end - start > PART_MAX ||
	    parts->nr_refused == REFUSED_MAX)
		return false;
	for (unsigned int i = 0; i < parts->nr_refused; i++)
		if (parts->refused[i] == start)
			return false;
	err = elf_image_offset(img, start, &offset);
	if (err) {
		error_free(err);
		return false;
	}
	text = xmalloc(end - start);
	len = elf_image_read(img, offset, text, end - start);
	n = list_exits(img, start, text, len, &found, NULL);
	part = is_moved_part(img, parts, start, found, n);
	if (part)
		add_part(parts, start, end);
	else
		parts->refused[parts->nr_refused++] = start;
	free(found);
	free(text);
	return part;
}

static struct error *add_exit(const struct elf_image *img, u64 addr,
			      struct places *places)
{
	struct place place = { .addr = addr };
	struct error *err = elf_image_offset(img, addr, &place.offset);

	if (!err)
		places_add(places, &place);
	return err;
}

/**
 * struct scan - the search for the instructions that leave a function
 * @syms: symbols of the file
 * @function: its symbol, or NULL
 * @parts: its parts, as far as they are known
 * @tables: the tables of the part that is looked at
 * @exits: what has been found
 */
struct scan {
	struct symbols *syms;
	const struct symbol *function;
	struct parts parts;
	struct jump_tables tables;
	struct return_sites *exits;
};

/* Check whether an address is in the function; a part with it may become known by that. */
static bool is_ours(struct scan *scan, u64 addr)
{
	return inside(&scan->parts, addr) ||
	       add_cold_part(&scan->parts, scan->syms, scan->function, addr) ||
	       add_moved_part(&scan->parts, scan->syms, addr);
}

/* Check whether a jump through a register or memory stays in the function. */
static bool stays(struct scan *scan, u64 jump)
{
	const struct jump_table *table = jump_tables_of(&scan->tables, jump);

	for (size_t i = 0; table && i < table->n; i++) {
		if (!is_ours(scan, table->targets[i]))
			return false;
		epilogues_add_target(&scan->exits->epilogues, table->targets[i]);
	}
	return table;
}

static struct error *add_exits(struct scan *scan, u64 start, const struct boundary_exit *found,
			       size_t n)
{
	struct return_sites *exits = scan->exits;
	struct error *err = NULL;

	for (size_t i = 0; i < n && !err; i++) {
		u64 addr = start + found[i].offset;

		switch (found[i].kind) {
		case BOUNDARY_RET:
			err = add_exit(scan->syms->image, addr, &exits->returns);
			break;
		case BOUNDARY_JUMP:
			if (!is_ours(scan, found[i].target))
				err = add_exit(scan->syms->image, addr, &exits->tail_calls);
			break;
		case BOUNDARY_JUMP_IF:
			exits->unclear += !is_ours(scan, found[i].target);
			break;
		default:
			exits->unclear += !stays(scan, addr);
		}
	}
	return err;
}

static struct error *scan_part(struct scan *scan, size_t part)
{
	const struct elf_image *img = scan->syms->image;
	u64 start = scan->parts.v[part].start, offset;
	u64 len = scan->parts.v[part].end - start;
	struct boundary_exit *found;
	struct error *err;
	size_t stopped = 0;
	u8 *text;
	long n;

	err = elf_image_offset(img, start, &offset);
	if (err)
		return err;
	if (len > FUNCTION_MAX)
		return error_new(STATUS_REFUSED,
				 "the function at 0x%llx of %s has 0x%llx bytes, which are too many to look for its returns; use --return=trampoline",
				 (unsigned long long)start, img->path,
				 (unsigned long long)len);
	text = xmalloc(len);
	len = elf_image_read(img, offset, text, len);
	if (text_mode(img) == UINSN_MODE_64) {
		epilogues_scan(&scan->exits->epilogues, text, len, start);
		jump_tables_find(img, start, text, len, &scan->tables);
	}
	n = list_exits(img, start, text, len, &found, &stopped);
	if (n > 0) {
		err = add_exits(scan, start, found, n);
	} else if (n < 0) {
		err = error_new(STATUS_REFUSED,
				"the code at 0x%llx of %s cannot be followed, so its returns are not known; use --return=trampoline",
				(unsigned long long)start + stopped, img->path);
	}
	jump_tables_free(&scan->tables);
	free(found);
	free(text);
	return err;
}

/**
 * return_sites_find() - find the instructions that leave a function
 * @syms: symbols of the file
 * @function: the function's start
 * @exits: filled in; to be freed with return_sites_free() in any case
 */
struct error *return_sites_find(struct symbols *syms, const struct place *function,
				struct return_sites *exits)
{
	struct scan scan = { .syms = syms, .function = function->function, .exits = exits };
	struct error *err = NULL;
	u64 start, end;

	memset(exits, 0, sizeof(*exits));
	if (function->function && function->function->size)
		end = function->addr + function->function->size;
	else if (!eh_frame_function_at(syms->image, function->addr, &start,
				       &end))
		return error_new(STATUS_REFUSED,
				 "the end of the function at 0x%llx of %s is not known, so its returns are not known; use --return=trampoline",
				 (unsigned long long)function->addr,
				 syms->image->path);
	add_part(&scan.parts, function->addr, end);
	/* scan_part() can add more parts. */
	for (size_t i = 0; i < scan.parts.n && !err; i++)
		err = scan_part(&scan, i);
	free(scan.parts.v);
	return err;
}

/*
 * Check for a return instruction of one byte that is not the first one of its function.  Before it
 * must not be what pushes or stores the return address: the function has moved it, so the call and
 * its return have different stack pointers.
 */
static bool is_plain(const struct symbols *syms, const struct place *exit, u64 entry)
{
	u8 text[4];
	bool pushes, stores;

	if (exit->addr < entry + 3 ||
	    elf_image_read(syms->image, exit->offset - 3, text, sizeof(text)) != sizeof(text))
		return exit->addr != entry &&
		       elf_image_read(syms->image, exit->offset, text, 1) == 1 && text[0] == 0xc3;
	pushes = (text[2] & 0xf8) == 0x50 || (text[1] == 0xff && (text[2] & 0x38) == 0x30);
	stores = text[0] == 0x89 && (text[1] & 0xc7) == 0x04 && text[2] == 0x24;
	return text[3] == 0xc3 && !pushes && !stores;
}

/**
 * return_sites_only() - check whether a function is left by return instructions alone
 * @syms: symbols of the file
 * @function: the function
 * @addr: its start
 * @exits: set to its return instructions, of one byte each; to be freed with return_sites_free() in
 *	any case
 *
 * If so, its calls can be timed by probes there, and return addresses stay as they are.
 */
bool return_sites_only(struct symbols *syms, const struct symbol *function, u64 addr,
		       struct return_sites *exits)
{
	const struct place place = { .addr = addr, .function = function };
	struct error *err = return_sites_find(syms, &place, exits);
	bool only = !err && exits->returns.n && !exits->unclear && !exits->tail_calls.n &&
		    exits->returns.n <= EXITS_MAX;

	error_free(err);
	for (size_t i = 0; only && i < exits->returns.n; i++)
		only = is_plain(syms, &exits->returns.v[i], addr);
	return only;
}

void return_sites_free(struct return_sites *exits)
{
	places_free(&exits->returns);
	places_free(&exits->tail_calls);
	epilogues_free(&exits->epilogues);
	memset(exits, 0, sizeof(*exits));
}
