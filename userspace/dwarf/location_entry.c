// SPDX-License-Identifier: GPL-2.0
/*
 * Code that is not optimized keeps a parameter in a slot of its frame.  The first
 * instructions of the function create the frame and fill the slot.  Before that,
 * the slot is empty or does not exist, but the description of the parameter does
 * not say so.  The instruction that fills the slot shows which register holds the
 * value at the function's entry.
 *
 * perf probe puts its probe behind the prologue instead.  That probe is not at the entry: $stack0
 * is not the return address there, and a return probe cannot be moved in this way.
 */
#include "location_entry.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_type.h"
#include "util/error.h"
#include "frame_base.h"
#include "prologue.h"
#include "elf/text.h"
#include "util/util.h"

/* A function stores its parameters within this many instructions. */
#define PROLOGUE_MAX 64

/* The caller passes a parameter of more words than this in memory. */
#define WORDS_MAX 2

static const char not_yet[] = "it is not in its place yet at the function's entry";
static const char not_here[] = "it is not in its place yet at this instruction";
static const char no_frame[] = "the function has no frame at this instruction";
static const char no_value[] = "it has no value yet at the function's entry";

static u64 word_size(const struct frame *frame)
{
	return frame->info->image->ehdr.e_machine == EM_X86_64 ? 8 : 4;
}

/* Check whether a description uses %bp or %sp with its value where the frame is set up. */
static bool counts_from_frame(const struct frame *frame, const Dwarf_Op *ops,
			      u64 *reg)
{
	bool wide = frame->info->image->ehdr.e_machine == EM_X86_64;
	u8 first = wide ? DW_OP_breg6 : DW_OP_breg4;

	*reg = ops[0].atom - DW_OP_breg0;
	return ops[0].atom == first || ops[0].atom == first + 1;
}

/* Check whether a location at the entry is in a slot that the function itself creates. */
static bool is_own_slot(const struct frame *frame, const Dwarf_Op *ops,
			const struct location *location)
{
	u64 unused;

	if (location->where != WHERE_MEMORY || !location->base)
		return false;
	if (!strcmp(location->base, "%bp"))
		return true;
	return !strcmp(location->base, "%sp") &&
	       (location->offset < 0 || counts_from_frame(frame, ops, &unused));
}

/* Check whether a value is found through a pointer in such a slot. */
static bool is_behind_slot(const struct location *location)
{
	return location->base && (strstr(location->base, "(%bp") ||
				  strstr(location->base, "(%sp"));
}

/**
 * struct store - the instruction that fills a slot
 * @addr: its address
 * @reg: the register that had the value at the function's entry
 */
struct store {
	u64 addr;
	const char *reg;
};

/*
 * Find the instruction that stores a word of a parameter in its slot.  @at is the offset of the
 * word from the location that the expression gives.
 */
static bool find_store(const struct frame *at_place, Dwarf_Attribute *attr,
		       const Dwarf_Op *ops, size_t n, s64 at,
		       struct store *store)
{
	struct frame frame = *at_place;
	struct prologue state;

	prologue_begin(&state);
	frame.addr = frame.entry;
	for (unsigned int i = 0; i < PROLOGUE_MAX; i++) {
		struct instruction insn;
		struct location slot;
		struct error *err;
		const char *base;
		bool same;

		err = text_instruction(frame.info->image, frame.addr, &insn);
		error_free(err);
		if (err)
			break;
		store->addr = frame.addr;
		store->reg = prologue_stored(&state, &insn, &base);
		if (store->reg &&
		    !location_evaluate(&frame, attr, ops, n, &slot)) {
			same = slot.where == WHERE_MEMORY && slot.base &&
			       !strcmp(slot.base, base) &&
			       slot.offset + at == insn.decoded.disp;
			location_free(&slot);
			if (same)
				return true;
		}
		if (!prologue_follow(&state, &insn))
			break;
		frame.addr += insn.decoded.len;
	}
	return false;
}

static const char *from_register(const struct frame *frame,
				 Dwarf_Attribute *attr, const Dwarf_Op *ops,
				 size_t n, s64 at, struct location *location)
{
	struct store store;

	memset(location, 0, sizeof(*location));
	if (!find_store(frame, attr, ops, n, at, &store))
		return not_yet;
	location->base = xstrdup(store.reg);
	return NULL;
}

/* Find a structure that was passed in two registers. */
static const char *from_registers(const struct frame *frame,
				  Dwarf_Attribute *attr, const Dwarf_Op *ops,
				  size_t n, u64 size, struct location *location)
{
	const char *problem = not_yet;
	u64 word = word_size(frame);

	memset(location, 0, sizeof(*location));
	if (size > WORDS_MAX * word)
		return not_yet;
	location->where = WHERE_PIECES;
	location->n = WORDS_MAX;
	location->pieces = xcalloc(WORDS_MAX, sizeof(*location->pieces));
	for (size_t i = 0; i < WORDS_MAX; i++) {
		struct location_piece *piece = &location->pieces[i];

		piece->start = i * word;
		piece->size = word;
		piece->problem = from_register(frame, attr, ops, n, i * word,
					       &piece->location);
		if (!piece->problem)
			problem = NULL;
	}
	if (problem)
		location_free(location);
	return problem;
}

static const char *at_first(const struct frame *frame, Dwarf_Die *variable,
			    Dwarf_Attribute *attr, const Dwarf_Op *ops,
			    size_t n, struct location *location)
{
	bool parameter = dwarf_tag(variable) == DW_TAG_formal_parameter;
	const char *problem;
	Dwarf_Die type;
	u64 size;

	for (size_t i = 0; i < location->n; i++) {
		struct location_piece *piece = &location->pieces[i];

		if (!piece->problem && (is_own_slot(frame, ops, &piece->location) ||
					is_behind_slot(&piece->location)))
			piece->problem = parameter ? not_yet : no_value;
	}
	if (is_behind_slot(location)) {
		location_free(location);
		if (!parameter)
			return no_value;
		if (ops[n - 1].atom != DW_OP_deref)
			return not_yet;
		problem = from_register(frame, attr, ops, n - 1, 0, location);
		if (!problem)
			location_deref(location);
		return problem;
	}
	if (!is_own_slot(frame, ops, location))
		return NULL;
	location_free(location);
	if (!parameter)
		return no_value;
	if (type_of(variable, &type) && type_size(&type, &size) &&
	    size > word_size(frame))
		return from_registers(frame, attr, ops, n, size, location);
	return from_register(frame, attr, ops, n, 0, location);
}

/*
 * Check whether an instruction is in the body.  Debuggers stop at the start of the body, so
 * parameters are in their slots there.
 */
static bool is_in_body(const struct frame *frame)
{
	Dwarf_Die function = frame->function;
	Dwarf_Addr *starts = NULL, first = -1;
	int n = dwarf_entry_breakpoints(&function, &starts);

	for (int i = 0; i < n; i++)
		if (starts[i] < first)
			first = starts[i];
	if (n > 0)
		free(starts);
	return n <= 0 || frame->addr - frame->info->bias >= first;
}

/* Check whether part of a parameter's slot is not stored yet. */
static bool is_unfilled(const struct frame *frame, Dwarf_Die *variable,
			Dwarf_Attribute *attr, const Dwarf_Op *ops, size_t n)
{
	u64 size, word = word_size(frame);
	struct frame entry = *frame;
	struct location location;
	bool own, unfilled = false;
	struct store store;
	Dwarf_Die type;

	/* An object can be passed by its address. */
	if (ops[n - 1].atom == DW_OP_deref)
		n--;
	if (!type_of(variable, &type) || !type_size(&type, &size))
		size = word;
	entry.addr = frame->entry;
	if (!n || location_evaluate(&entry, attr, ops, n, &location))
		return false;
	own = is_own_slot(&entry, ops, &location);
	location_free(&location);
	for (u64 at = 0; own && at < size && at < WORDS_MAX * word; at += word)
		unfilled |= find_store(frame, attr, ops, n, at, &store) ?
			    store.addr >= frame->addr : !is_in_body(frame);
	return unfilled;
}

/**
 * location_at_entry() - correct a location where the frame is not set up yet
 * @frame: the instruction
 * @variable: the variable or parameter
 * @attr: its description
 * @ops: the expression in it
 * @n: number of @ops, at least one
 * @location: result of the expression; replaced, or freed if the value cannot be
 *	fetched
 *
 * Return: NULL, or why its value cannot be fetched at the instruction, as part of
 * a sentence.
 */
const char *location_at_entry(const struct frame *frame, Dwarf_Die *variable,
			      Dwarf_Attribute *attr, const Dwarf_Op *ops,
			      size_t n, struct location *location)
{
	bool parameter = dwarf_tag(variable) == DW_TAG_formal_parameter;
	const char *problem = NULL;
	u64 reg;

	if (!location_is_fixed(attr))
		return NULL;
	if (frame_is_entry(frame))
		problem = at_first(frame, variable, attr, ops, n, location);
	else if (counts_from_frame(frame, ops, &reg) &&
		 !frame_is_set_up(frame, reg))
		problem = no_frame;
	else if (parameter && frame->addr > frame->entry &&
		 is_unfilled(frame, variable, attr, ops, n))
		problem = not_here;
	if (problem)
		location_free(location);
	return problem;
}
