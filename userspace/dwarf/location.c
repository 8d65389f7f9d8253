// SPDX-License-Identifier: GPL-2.0
/*
 * Convert DWARF location descriptions (DWARF 5, 2.5 and 2.6) to fetch arguments.
 * Compilers mostly emit a register, memory at an offset from a register, or a
 * constant.  Only sums of these and loads through them are evaluated:
 *
 *	DW_OP_reg5				%di
 *	DW_OP_fbreg -20				-4(%sp), by the unwind table
 *	DW_OP_addr X				X - here + %ip
 *	DW_OP_breg3 8; DW_OP_deref		memory at +8(%bx)
 *	DW_OP_entry_value reg5; stack_value	%di, if this is the entry
 */
#include "location.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "frame_base.h"
#include "util/util.h"

#define STACK_MAX 8
#define NESTING_MAX 4

/* Maximum size of a constant in bytes. */
#define CONSTANT_MAX 65536

static const char too_complex[] = "its place is computed in a way that no fetch argument can say";
static const char no_frame[] = "it is not known where its frame is";

static const char *const names_64[] = {
	"%ax", "%dx", "%cx", "%bx", "%si", "%di", "%bp", "%sp", "%r8", "%r9",
	"%r10", "%r11", "%r12", "%r13", "%r14", "%r15", "%ip",
};

static const char *const names_32[] = {
	"%ax", "%cx", "%dx", "%bx", "%sp", "%bp", "%si", "%di", "%ip",
};

/**
 * struct term - base + offset, on the stack of an expression
 * @base: see struct location
 * @offset: see struct location
 */
struct term {
	char *base;
	s64 offset;
};

/**
 * struct evaluation - an expression being evaluated
 * @frame: the instruction
 * @stack: terms, the top one last
 * @n: number of @stack
 * @depth: number of expressions around this one
 */
struct evaluation {
	const struct frame *frame;
	struct term stack[STACK_MAX];
	size_t n;
	unsigned int depth;
};

static const char *const xmm_names[] = {
	"%xmm0", "%xmm1", "%xmm2", "%xmm3", "%xmm4", "%xmm5", "%xmm6", "%xmm7",
	"%xmm8", "%xmm9", "%xmm10", "%xmm11", "%xmm12", "%xmm13", "%xmm14",
	"%xmm15",
};

static const char *register_name(const struct frame *frame, u64 number)
{
	if (frame->info->image->ehdr.e_machine == EM_X86_64) {
		if (number >= 17 && number - 17 < ARRAY_SIZE(xmm_names))
			return xmm_names[number - 17];
		return number < ARRAY_SIZE(names_64) ? names_64[number] : NULL;
	}
	return number < ARRAY_SIZE(names_32) ? names_32[number] : NULL;
}

static const char *no_register(const struct frame *frame, u64 number)
{
	bool wide = frame->info->image->ehdr.e_machine == EM_X86_64;

	if ((wide && number >= 17 && number <= 40) ||
	    (!wide && number >= 11 && number <= 36))
		return "it is in a floating-point register, which cannot be fetched";
	return "it is in a register that cannot be fetched";
}

static void clear(struct evaluation *eval)
{
	while (eval->n)
		free(eval->stack[--eval->n].base);
}

static const char *push(struct evaluation *eval, const char *base, s64 offset)
{
	if (eval->n == STACK_MAX)
		return too_complex;
	eval->stack[eval->n++] = (struct term){
		.base = base ? xstrdup(base) : NULL, .offset = offset,
	};
	return NULL;
}

static const char *push_register(struct evaluation *eval, u64 number,
				 s64 offset)
{
	const char *name = register_name(eval->frame, number);

	return name ? push(eval, name, offset) :
		      no_register(eval->frame, number);
}

static char *memory_at(const struct term *term)
{
	if (!term->base)
		return xasprintf("@0x%llx", (unsigned long long)term->offset);
	return xasprintf("%+lld(%s)", (long long)term->offset, term->base);
}

/* Replace the address in the top term by the contents of memory at that address. */
static const char *load(struct evaluation *eval)
{
	struct term *top;
	char *base;

	if (!eval->n)
		return too_complex;
	top = &eval->stack[eval->n - 1];
	base = memory_at(top);
	free(top->base);
	*top = (struct term){ .base = base };
	return NULL;
}

static const char *add(struct evaluation *eval, bool minus)
{
	struct term *a, *b;

	if (eval->n < 2)
		return too_complex;
	a = &eval->stack[eval->n - 2];
	b = &eval->stack[eval->n - 1];
	if (b->base && (a->base || minus))
		return too_complex;
	if (b->base) {
		a->base = b->base;
		b->base = NULL;
	}
	a->offset = (s64)((u64)a->offset + (minus ? -(u64)b->offset :
					    (u64)b->offset));
	eval->n--;
	return NULL;
}

static const char *evaluate(struct evaluation *eval, const Dwarf_Op *ops,
			    size_t n, Dwarf_Attribute *attr);

/* Push the value of the caller's stack pointer before the call. */
static const char *push_cfa(struct evaluation *eval)
{
	const struct debug_info *info = eval->frame->info;
	u64 addr = eval->frame->addr;
	const char *problem = "no unwind table tells where its frame is";
	Dwarf_CFI *own, *cfi = dwarf_getcfi_elf(info->image->elf);
	Dwarf_Frame *state = NULL;
	Dwarf_Op *ops;
	size_t n;

	own = cfi;
	if (!cfi || dwarf_cfi_addrframe(cfi, addr, &state)) {
		cfi = dwarf_getcfi(info->dwarf);
		if (!cfi || dwarf_cfi_addrframe(cfi, addr - info->bias, &state))
			state = NULL;
	}
	if (state && !dwarf_frame_cfa(state, &ops, &n) && n)
		problem = evaluate(eval, ops, n, NULL);
	free(state);
	if (own)
		dwarf_cfi_end(own);
	return problem;
}

/*
 * As a frame base, a register stands for the value that it holds where the frame
 * is set up.  Compute this value from the caller's stack pointer, which is known
 * at other instructions, too.
 */
static const char *push_frame_register(struct evaluation *eval, u64 number)
{
	const struct frame *frame = eval->frame;
	const char *problem;
	s64 distance;
	struct cfa cfa;

	if (!cfa_at(frame->info, frame->addr, &cfa))
		return push_register(eval, number, 0);
	if (!frame_base_distance(frame, number, &distance))
		return no_frame;
	problem = push_register(eval, cfa.reg, cfa.offset);
	if (!problem)
		eval->stack[eval->n - 1].offset -= distance;
	return problem;
}

static const char *push_frame_base(struct evaluation *eval)
{
	struct frame frame = *eval->frame;
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t n;

	if (!dwarf_attr_integrate(&frame.function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, frame.addr - frame.info->bias, &ops,
				   &n, 1) != 1)
		return no_frame;
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31)
		return push_frame_register(eval, ops[0].atom - DW_OP_reg0);
	return evaluate(eval, ops, n, &attr);
}

static const char *push_address(struct evaluation *eval, u64 addr)
{
	const struct frame *frame = eval->frame;

	return push(eval, "%ip", (s64)(addr + frame->info->bias - frame->addr));
}

static const char *push_entry_value(struct evaluation *eval,
				    const Dwarf_Op *op, Dwarf_Attribute *attr)
{
	Dwarf_Attribute inner;
	Dwarf_Op *ops;
	size_t n;

	if (!frame_is_entry(eval->frame))
		return "only its value at the function's entry is known";
	if (!attr || dwarf_getlocation_attr(attr, op, &inner))
		return too_complex;
	if (dwarf_getlocation(&inner, &ops, &n) || n != 1 ||
	    ops[0].atom < DW_OP_reg0 || ops[0].atom > DW_OP_reg31)
		return too_complex;
	return push_register(eval, ops[0].atom - DW_OP_reg0, 0);
}

/**
 * location_is_fixed() - check whether a description holds for the whole function
 * @attr: the description
 *
 * Such a description is right in the body, but can be wrong in the prologue.
 */
bool location_is_fixed(Dwarf_Attribute *attr)
{
	switch (dwarf_whatform(attr)) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		return true;
	default:
		return false;
	}
}

static const char *step(struct evaluation *eval, const Dwarf_Op *op,
			Dwarf_Attribute *attr)
{
	Dwarf_Attribute at;
	const char *problem;
	Dwarf_Addr addr;

	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31) {
		if (attr && !location_is_fixed(attr) &&
		    !frame_register_holds(eval->frame, op->atom - DW_OP_breg0))
			return no_frame;
		return push_register(eval, op->atom - DW_OP_breg0,
				     (s64)op->number);
	}
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(eval, NULL, op->atom - DW_OP_lit0);
	switch (op->atom) {
	case DW_OP_bregx:
		return push_register(eval, op->number, (s64)op->number2);
	case DW_OP_fbreg:
		problem = push_frame_base(eval);
		if (problem || !eval->n)
			return problem ? problem : too_complex;
		eval->stack[eval->n - 1].offset += (s64)op->number;
		return NULL;
	case DW_OP_call_frame_cfa:
		return push_cfa(eval);
	case DW_OP_addr:
		return push_address(eval, op->number);
	case DW_OP_addrx:
	case DW_OP_GNU_addr_index:
		if (!attr || dwarf_getlocation_attr(attr, op, &at) ||
		    dwarf_formaddr(&at, &addr))
			return too_complex;
		return push_address(eval, addr);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(eval, NULL, (s64)op->number);
	case DW_OP_plus_uconst:
		if (!eval->n)
			return too_complex;
		eval->stack[eval->n - 1].offset += (s64)op->number;
		return NULL;
	case DW_OP_plus:
	case DW_OP_minus:
		return add(eval, op->atom == DW_OP_minus);
	case DW_OP_deref:
		return load(eval);
	case DW_OP_entry_value:
	case DW_OP_GNU_entry_value:
		return push_entry_value(eval, op, attr);
	case DW_OP_form_tls_address:
	case DW_OP_GNU_push_tls_address:
		return "each thread has its own, which cannot be fetched";
	case DW_OP_implicit_pointer:
	case DW_OP_GNU_implicit_pointer:
		return "what it points to was optimized away";
	default:
		return too_complex;
	}
}

static const char *evaluate(struct evaluation *eval, const Dwarf_Op *ops,
			    size_t n, Dwarf_Attribute *attr)
{
	const char *problem = NULL;

	if (eval->depth++ == NESTING_MAX)
		return too_complex;
	for (size_t i = 0; i < n && !problem; i++)
		if (ops[i].atom != DW_OP_nop)
			problem = step(eval, &ops[i], attr);
	eval->depth--;
	return problem;
}

/* Split a constant into words. */
static void take_block(const Dwarf_Block *block, struct location *location)
{
	const size_t word = sizeof(u64);
	size_t at = 0, size;

	location->where = WHERE_VALUE;
	if (block->length <= word) {
		memcpy(&location->offset, block->data, block->length);
		return;
	}
	location->where = WHERE_PIECES;
	location->n = (block->length + word - 1) / word;
	location->pieces = xcalloc(location->n, sizeof(*location->pieces));
	for (size_t i = 0; i < location->n; i++, at += size) {
		struct location_piece *piece = &location->pieces[i];

		size = block->length - at < word ? block->length - at : word;
		piece->start = at;
		piece->size = size;
		memcpy(&piece->location.offset, block->data + at, size);
	}
}

static const char *implicit(Dwarf_Attribute *attr, const Dwarf_Op *op,
			    struct location *location)
{
	Dwarf_Block block;

	if (dwarf_getlocation_implicit_value(attr, op, &block) ||
	    block.length > CONSTANT_MAX)
		return too_complex;
	take_block(&block, location);
	return NULL;
}

/**
 * location_evaluate() - evaluate a location expression
 * @frame: the instruction
 * @attr: the attribute that the expression belongs to
 * @ops: the expression, without pieces
 * @n: number of @ops
 * @location: filled in on success; to be freed with location_free()
 *
 * Return: NULL, or why the location is not known, as part of a sentence.
 */
const char *location_evaluate(const struct frame *frame, Dwarf_Attribute *attr,
			      const Dwarf_Op *ops, size_t n,
			      struct location *location)
{
	struct evaluation eval = { .frame = frame };
	const char *problem, *name;
	u64 number;

	memset(location, 0, sizeof(*location));
	if (!n)
		return LOCATION_GONE;
	if (n == 1 && ((ops[0].atom >= DW_OP_reg0 &&
			ops[0].atom <= DW_OP_reg31) ||
		       ops[0].atom == DW_OP_regx)) {
		number = ops[0].number;
		if (ops[0].atom != DW_OP_regx)
			number = ops[0].atom - DW_OP_reg0;
		name = register_name(frame, number);
		if (!name)
			return no_register(frame, number);
		location->base = xstrdup(name);
		return NULL;
	}
	if (ops[n - 1].atom == DW_OP_implicit_value)
		return implicit(attr, &ops[n - 1], location);
	location->where = WHERE_MEMORY;
	if (ops[n - 1].atom == DW_OP_stack_value) {
		location->where = WHERE_VALUE;
		n--;
	}
	problem = evaluate(&eval, ops, n, attr);
	if (!problem && eval.n != 1)
		problem = too_complex;
	if (!problem) {
		location->base = eval.stack[0].base;
		location->offset = eval.stack[0].offset;
		eval.n = 0;
	}
	clear(&eval);
	return problem;
}

static const char *with_pieces(const struct frame *frame,
			       Dwarf_Attribute *attr, const Dwarf_Op *ops,
			       size_t n, struct location *location)
{
	size_t begin = 0, cap = 0;
	u64 start = 0;

	memset(location, 0, sizeof(*location));
	location->where = WHERE_PIECES;
	for (size_t i = 0; i < n; i++) {
		struct location_piece *piece;

		if (ops[i].atom == DW_OP_bit_piece)
			return too_complex;
		if (ops[i].atom != DW_OP_piece)
			continue;
		location->pieces = grow(location->pieces, location->n, &cap,
					sizeof(*location->pieces));
		piece = &location->pieces[location->n++];
		piece->start = start;
		piece->size = ops[i].number;
		piece->problem = location_evaluate(frame, attr, ops + begin,
						   i - begin, &piece->location);
		start += ops[i].number;
		begin = i + 1;
	}
	return NULL;
}

static bool has_pieces(const Dwarf_Op *ops, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ops[i].atom == DW_OP_piece || ops[i].atom == DW_OP_bit_piece)
			return true;
	return false;
}

/**
 * location_constant() - get the number that an attribute holds
 * @attr: the attribute
 * @value: set on success
 *
 * The forms of fixed size do not tell a sign; compilers use them for unsigned numbers.
 */
bool location_constant(Dwarf_Attribute *attr, s64 *value)
{
	Dwarf_Sword number;
	Dwarf_Word word;

	switch (dwarf_whatform(attr)) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
		if (dwarf_formudata(attr, &word))
			return false;
		*value = (s64)word;
		return true;
	default:
		if (dwarf_formsdata(attr, &number))
			return false;
		*value = number;
		return true;
	}
}

/**
 * location_constant_value() - get the value of a variable that is a constant
 * @variable: the variable, which has no location
 * @location: filled in on success
 *
 * Return: NULL, or why there is no value.
 */
const char *location_constant_value(Dwarf_Die *variable, struct location *location)
{
	Dwarf_Attribute attr;
	Dwarf_Block block;
	s64 value = 0;

	if (!dwarf_attr_integrate(variable, DW_AT_const_value, &attr))
		return LOCATION_GONE;
	if (location_constant(&attr, &value)) {
		location->where = WHERE_VALUE;
		location->offset = value;
		return NULL;
	}
	if (dwarf_formblock(&attr, &block) || block.length > CONSTANT_MAX)
		return too_complex;
	take_block(&block, location);
	return NULL;
}

/**
 * location_described() - find the location of a value by its description
 * @frame: the instruction
 * @attr: the description
 * @ops: its operations at the instruction
 * @n: number of @ops
 * @location: filled in on success
 *
 * Return: NULL, or why the value cannot be fetched at the instruction.
 */
const char *location_described(const struct frame *frame, Dwarf_Attribute *attr,
			       const Dwarf_Op *ops, size_t n, struct location *location)
{
	return has_pieces(ops, n) ? with_pieces(frame, attr, ops, n, location) :
				    location_evaluate(frame, attr, ops, n, location);
}

/**
 * location_copy() - copy a location
 * @to: filled in; to be freed with location_free()
 * @from: the location to copy
 */
void location_copy(struct location *to, const struct location *from)
{
	*to = *from;
	to->base = from->base ? xstrdup(from->base) : NULL;
	to->pieces = from->n ? xcalloc(from->n, sizeof(*to->pieces)) : NULL;
	for (size_t i = 0; i < from->n; i++) {
		to->pieces[i] = from->pieces[i];
		location_copy(&to->pieces[i].location,
			      &from->pieces[i].location);
	}
}

void location_free(struct location *location)
{
	for (size_t i = 0; i < location->n; i++)
		location_free(&location->pieces[i].location);
	free(location->pieces);
	free(location->base);
	memset(location, 0, sizeof(*location));
}

/**
 * location_deref() - go from a pointer to the object that it points to
 * @location: location of the pointer; not of %WHERE_PIECES
 */
void location_deref(struct location *location)
{
	struct term term = { location->base, location->offset };

	if (location->where == WHERE_MEMORY) {
		location->base = memory_at(&term);
		location->offset = 0;
		free(term.base);
	}
	location->where = WHERE_MEMORY;
}
