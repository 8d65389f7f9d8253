// SPDX-License-Identifier: GPL-2.0
/*
 * Compilers make a jump through a table of a switch statement with many cases:
 *
 *	cmp	$last, %index
 *	ja	default
 *	lea	table(%rip), %base
 *	movslq	(%base,%index,4), %to
 *	add	%base, %to
 *	jmp	*%to
 *
 * or, in a program that is not moved, "jmp *table(,%index,8)".  Other instructions may stand
 * between these.  The comparison says how many entries the table has.  What differs from this form
 * is not recognized: nobody knows where that jump leads to.
 */
#include "jump_tables.h"

#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "util/util.h"

/* So many instructions in front of a jump are looked at. */
#define WINDOW 16

/* A larger table is not looked at, and no further ones of a piece of code with so many entries. */
#define ENTRIES_MAX 4096
#define ENTRIES_ALL (1 << 16)

/* Opcodes without a prefix, and those behind 0F. */
#define OP_ADD_TO_RM	0x01
#define OP_ADD_TO_REG	0x03
#define OP_CMP_AL	0x3c
#define OP_CMP_AX	0x3d
#define OP_MOVSXD	0x63
#define OP_JA		0x77
#define OP_CMP_BYTE	0x80
#define OP_CMP		0x81
#define OP_CMP_SHORT	0x83
#define OP_MOV_TO_RM	0x89
#define OP_MOV_TO_REG	0x8b
#define OP_LEA		0x8d
#define OP_MOV_IMM	0xc7
#define OP_JUMP		0xff
#define OP_JA_NEAR	0x87
#define OP_MOVZX_BYTE	0xb6
#define OP_MOVZX_WORD	0xb7
#define OP_MOVSX_BYTE	0xbe
#define OP_MOVSX_WORD	0xbf

#define EXTENSION_JMP	4
#define EXTENSION_CMP	7

/* No register; and any of them, as it is not known what an instruction writes to. */
#define NO_REG 16
#define ANY_REG 17

/**
 * struct window - the last instructions, and what is known of the registers there
 * @text: the code
 * @n: number of @insns
 * @insns: the instructions, the last one first
 * @at: their offsets
 * @base: for each register, the address that an instruction before has last put there; 0 if none
 */
struct window {
	const u8 *text;
	unsigned int n;
	struct uinsn insns[WINDOW];
	size_t at[WINDOW];
	u64 base[NO_REG];
};

static unsigned int reg_of(const struct uinsn *insn)
{
	return uinsn_reg(insn) | (insn->rex & UINSN_REX_R ? 8 : 0);
}

/* Get the number of the register that ModRM names; NO_REG if it names memory. */
static unsigned int rm_of(const struct uinsn *insn)
{
	if (uinsn_mod(insn) != 3)
		return NO_REG;
	return uinsn_rm(insn) | (insn->rex & UINSN_REX_B ? 8 : 0);
}

static unsigned int index_of(const struct uinsn *insn)
{
	return (insn->sib >> 3 & 7) | (insn->rex & UINSN_REX_X ? 8 : 0);
}

static bool is_op(const struct uinsn *insn, u8 opcode)
{
	return insn->encoding == UINSN_LEGACY && insn->map == UINSN_MAP_1 &&
	       insn->opcode == opcode;
}

static bool is_op_0f(const struct uinsn *insn, u8 opcode)
{
	return insn->encoding == UINSN_LEGACY && insn->map == UINSN_MAP_0F &&
	       insn->opcode == opcode;
}

/* Check for an operation of the first eight groups of opcodes, such as add, with registers. */
static bool is_arithmetic(const struct uinsn *insn)
{
	return insn->encoding == UINSN_LEGACY && insn->map == UINSN_MAP_1 && insn->opcode < 0x40 &&
	       (insn->opcode & 7) < 4;
}

static bool is_group(const struct uinsn *insn)
{
	return is_op(insn, OP_CMP) || is_op(insn, OP_CMP_BYTE) || is_op(insn, OP_CMP_SHORT);
}

/* Check for a copy of a register or memory to a register, with zeros or its sign. */
static bool is_extension(const struct uinsn *insn)
{
	return is_op(insn, OP_MOVSXD) || is_op_0f(insn, OP_MOVZX_BYTE) ||
	       is_op_0f(insn, OP_MOVZX_WORD) || is_op_0f(insn, OP_MOVSX_BYTE) ||
	       is_op_0f(insn, OP_MOVSX_WORD);
}

/* Check for cmp and test: they write to nothing but the flags. */
static bool only_compares(const struct uinsn *insn)
{
	bool legacy = insn->encoding == UINSN_LEGACY && insn->map == UINSN_MAP_1;

	return legacy && (insn->opcode >> 3 == 0x38 >> 3 || insn->opcode >> 1 == 0x84 >> 1 ||
			  insn->opcode >> 1 == 0xa8 >> 1 ||
			  (is_group(insn) && uinsn_reg(insn) == EXTENSION_CMP));
}

/* Check for an instruction that leaves the flags as they are. */
static bool keeps_flags(const struct uinsn *insn)
{
	return insn->class == UINSN_NOP || is_op(insn, OP_LEA) || is_op(insn, OP_MOV_TO_RM) ||
	       is_op(insn, OP_MOV_TO_REG) || is_op(insn, OP_MOV_IMM) || is_extension(insn) ||
	       (insn->encoding == UINSN_LEGACY && insn->map == UINSN_MAP_1 &&
		insn->opcode >> 3 == 0xb8 >> 3);
}

/* Get the register that an instruction writes to: NO_REG, or ANY_REG if that is not known. */
static unsigned int written(const struct uinsn *insn)
{
	if (insn->class == UINSN_NOP || only_compares(insn))
		return NO_REG;
	if (is_op(insn, OP_LEA) || is_op(insn, OP_MOV_TO_REG) || is_extension(insn))
		return reg_of(insn);
	if (is_op(insn, OP_MOV_TO_RM) || is_op(insn, OP_MOV_IMM) || is_group(insn))
		return rm_of(insn);
	if (is_arithmetic(insn))
		return insn->opcode & 2 ? reg_of(insn) : rm_of(insn);
	/* pop, and mov of a number */
	if (insn->encoding == UINSN_LEGACY && insn->map == UINSN_MAP_1 &&
	    (insn->opcode >> 3 == 0x58 >> 3 || insn->opcode >> 3 == 0xb8 >> 3))
		return (insn->opcode & 7) | (insn->rex & UINSN_REX_B ? 8 : 0);
	return ANY_REG;
}

static void window_add(struct window *w, const struct uinsn *insn, size_t at, u64 addr)
{
	memmove(w->insns + 1, w->insns, (WINDOW - 1) * sizeof(*w->insns));
	memmove(w->at + 1, w->at, (WINDOW - 1) * sizeof(*w->at));
	w->insns[0] = *insn;
	w->at[0] = at;
	if (w->n < WINDOW)
		w->n++;
	if (written(insn) < NO_REG)
		w->base[written(insn)] = 0;
	/* Of the first twelve registers, functions keep %rbx, %rsp and %rbp (psABI). */
	for (unsigned int reg = 0; reg < 12; reg++)
		if ((insn->class == UINSN_CALL || insn->class == UINSN_ICALL) &&
		    (reg < 3 || reg > 5))
			w->base[reg] = 0;
	if (is_op(insn, OP_LEA) && uinsn_has(insn, UINSN_RIP_RELATIVE))
		w->base[reg_of(insn)] = addr + insn->len + (u64)(s64)insn->disp;
}

/* Check whether an instruction may write to one of two registers, or go elsewhere. */
static bool disturbs(const struct uinsn *insn, unsigned int a, unsigned int b)
{
	unsigned int reg = written(insn);

	return reg == ANY_REG || reg == a || reg == b;
}

/* Find "add %base, %to" from instruction @i on.  Return its number, or @w->n. */
static unsigned int find_add(const struct window *w, unsigned int i, unsigned int to,
			     unsigned int *base)
{
	for (; i < w->n; i++) {
		const struct uinsn *insn = &w->insns[i];
		bool to_rm = is_op(insn, OP_ADD_TO_RM) && rm_of(insn) == to;
		bool to_reg = is_op(insn, OP_ADD_TO_REG) && reg_of(insn) == to;

		*base = to_rm ? reg_of(insn) : rm_of(insn);
		if ((to_rm || to_reg) && insn->rex & UINSN_REX_W && *base != NO_REG)
			return i;
		if (disturbs(insn, to, to))
			break;
	}
	return w->n;
}

/* Find "movslq (%base,%index,4), %to" from instruction @i on.  Return its number, or @w->n. */
static unsigned int find_load(const struct window *w, unsigned int i, unsigned int to,
			      unsigned int base, unsigned int *index)
{
	for (; i < w->n; i++) {
		const struct uinsn *insn = &w->insns[i];

		if (is_op(insn, OP_MOVSXD) && insn->rex & UINSN_REX_W && reg_of(insn) == to &&
		    uinsn_has(insn, UINSN_HAS_SIB) && !insn->disp && insn->sib >> 6 == 2 &&
		    ((insn->sib & 7) | (insn->rex & UINSN_REX_B ? 8u : 0)) == base) {
			*index = index_of(insn);
			return i;
		}
		if (disturbs(insn, to, base))
			break;
	}
	return w->n;
}

/* Check whether two instructions have the same operand in memory. */
static bool same_memory(const struct uinsn *a, const struct uinsn *b)
{
	return uinsn_has(a, UINSN_HAS_MEMORY) && uinsn_has(b, UINSN_HAS_MEMORY) &&
	       (a->modrm & 0xc7) == (b->modrm & 0xc7) && a->disp == b->disp &&
	       uinsn_has(a, UINSN_HAS_SIB) == uinsn_has(b, UINSN_HAS_SIB) &&
	       (!uinsn_has(a, UINSN_HAS_SIB) || a->sib == b->sib) &&
	       !uinsn_has(a, UINSN_RIP_RELATIVE) && a->segment == b->segment &&
	       !((a->rex ^ b->rex) & (UINSN_REX_B | UINSN_REX_X));
}

/* Get the number with which an instruction compares; negative if it does not. */
static s64 compared_with(const struct window *w, unsigned int i)
{
	const struct uinsn *insn = &w->insns[i];
	const u8 *imm = w->text + w->at[i] + insn->imm_at;
	bool group = is_group(insn);
	s32 wide;

	if (group && uinsn_reg(insn) != EXTENSION_CMP)
		return -1;
	if (is_op(insn, OP_CMP_BYTE) || is_op(insn, OP_CMP_AL))
		return *imm;
	if (is_op(insn, OP_CMP_SHORT))
		return (s8)*imm;
	if ((!group && !is_op(insn, OP_CMP_AX)) || insn->imm_size != sizeof(wide))
		return -1;
	memcpy(&wide, imm, sizeof(wide));
	return wide;
}

/* Check whether an instruction copies a register, or memory, to @to, with zeros or its sign. */
static bool is_copy(const struct uinsn *insn, unsigned int to)
{
	if (is_op(insn, OP_MOV_TO_RM))
		return rm_of(insn) == to;
	return reg_of(insn) == to && (is_op(insn, OP_MOV_TO_REG) || is_extension(insn));
}

/* Get the register that a copy comes from; NO_REG if it is memory. */
static unsigned int copied_from(const struct uinsn *insn)
{
	return is_op(insn, OP_MOV_TO_RM) ? reg_of(insn) : rm_of(insn);
}

/* Check whether the register of comparison @i was copied to @index in front of it. */
static bool copied_before(const struct window *w, unsigned int i, unsigned int reg,
			  unsigned int index)
{
	while (++i < w->n) {
		if (is_copy(&w->insns[i], index))
			return copied_from(&w->insns[i]) == reg;
		if (disturbs(&w->insns[i], reg, index))
			break;
	}
	return false;
}

/* Check whether comparison @i is on what is in register @index, or was loaded there by @load. */
static bool compares(const struct window *w, unsigned int i, unsigned int index,
		     const struct uinsn *load)
{
	const struct uinsn *compare = &w->insns[i];
	bool accumulator = is_op(compare, OP_CMP_AL) || is_op(compare, OP_CMP_AX);
	unsigned int reg = accumulator ? 0 : rm_of(compare);

	if (load)
		return reg == NO_REG && same_memory(load, compare);
	return reg == index || (reg != NO_REG && copied_before(w, i, reg, index));
}

/*
 * Find out how many entries a table has whose entry @index is used by instruction @used; or 0.  On
 * the way back to the comparison, follow copies of the index.  Nothing else may write to it.
 */
static size_t number_of_entries(const struct window *w, unsigned int used, unsigned int index)
{
	const struct uinsn *load = NULL, *insn;
	bool above = false;

	for (unsigned int i = used + 1; i < w->n; i++) {
		insn = &w->insns[i];
		if (above && only_compares(insn)) {
			s64 last = compared_with(w, i);

			return last >= 0 && last < ENTRIES_MAX && compares(w, i, index, load) ?
			       (size_t)last + 1 : 0;
		}
		if (!above && (is_op(insn, OP_JA) || is_op_0f(insn, OP_JA_NEAR))) {
			above = true;
			continue;
		}
		/* What is in memory must not be written meanwhile. */
		if (load && insn->class != UINSN_NOP)
			return 0;
		if (!load && is_copy(insn, index)) {
			index = copied_from(insn);
			load = index == NO_REG ? insn : NULL;
		} else if (disturbs(insn, index, index)) {
			return 0;
		}
		if (above && !keeps_flags(insn))
			return 0;
	}
	return 0;
}

/* Read a table of @n entries of @size bytes, to which @base is added. */
static u64 *read_table(const struct elf_image *img, u64 table, size_t n, size_t size, u64 base)
{
	u64 offset, *targets;
	size_t len = n * size;
	u8 *entries;

	if (!elf_image_data(img, table, 0, &offset))
		return NULL;
	entries = xmalloc(len);
	targets = xcalloc(n, sizeof(*targets));
	if (elf_image_read(img, offset, entries, len) != len) {
		free(entries);
		free(targets);
		return NULL;
	}
	for (size_t i = 0; i < n; i++) {
		s32 distance;

		memcpy(&targets[i], entries + i * size, size);
		if (size == sizeof(distance)) {
			memcpy(&distance, entries + i * size, size);
			targets[i] = base + (u64)(s64)distance;
		}
	}
	free(entries);
	return targets;
}

/* Find the table of the jump that is the last instruction.  Return false if it has none. */
static bool find_table(const struct elf_image *img, const struct window *w,
		       struct jump_table *table)
{
	const struct uinsn *jump = &w->insns[0];
	unsigned int to = rm_of(jump), base = NO_REG, index = NO_REG, load;

	if (!is_op(jump, OP_JUMP) || uinsn_reg(jump) != EXTENSION_JMP)
		return false;
	if (to != NO_REG) {
		load = find_add(w, 1, to, &base);
		load = find_load(w, load + 1, to, base, &index);
		table->n = load < w->n ? number_of_entries(w, load, index) : 0;
		if (table->n)
			table->targets = read_table(img, w->base[base], table->n, sizeof(s32),
						    w->base[base]);
		return table->targets;
	}
	/* A SIB byte with an index and no base, in a program that is not moved. */
	if (img->ehdr.e_type != ET_EXEC || !uinsn_has(jump, UINSN_HAS_SIB) || uinsn_mod(jump) ||
	    (jump->sib & 7) != 5 || jump->sib >> 6 != 3 || index_of(jump) == 4 || jump->segment)
		return false;
	table->n = number_of_entries(w, 0, index_of(jump));
	if (table->n)
		table->targets = read_table(img, (u64)(s64)jump->disp, table->n, sizeof(u64), 0);
	return table->targets;
}

/**
 * jump_tables_find() - find the tables of the jumps in a piece of code
 * @img: the file
 * @addr: address of the code, which is 64-bit code
 * @text: the code
 * @len: its size
 * @tables: filled in; to be freed with jump_tables_free()
 */
void jump_tables_find(const struct elf_image *img, u64 addr, const u8 *text, size_t len,
		      struct jump_tables *tables)
{
	struct window w = { .text = text };
	struct uinsn insn;
	size_t all = 0;

	memset(tables, 0, sizeof(*tables));
	for (size_t at = 0; at < len; at += insn.len) {
		struct jump_table table = { .jump = addr + at };

		if (uinsn_decode(&insn, text + at, len - at, UINSN_MODE_64))
			return;
		window_add(&w, &insn, at, addr + at);
		if (insn.class != UINSN_IJUMP || all > ENTRIES_ALL || !find_table(img, &w, &table))
			continue;
		all += table.n;
		tables->v = grow(tables->v, tables->n, &tables->cap, sizeof(*tables->v));
		tables->v[tables->n++] = table;
	}
}

/**
 * jump_tables_of() - get the table of a jump
 * @tables: the tables
 * @jump: address of the jump
 *
 * Return: the table, or NULL if it is not known.
 */
const struct jump_table *jump_tables_of(const struct jump_tables *tables, u64 jump)
{
	for (size_t i = 0; i < tables->n; i++)
		if (tables->v[i].jump == jump)
			return &tables->v[i];
	return NULL;
}

void jump_tables_free(struct jump_tables *tables)
{
	for (size_t i = 0; i < tables->n; i++)
		free(tables->v[i].targets);
	free(tables->v);
	memset(tables, 0, sizeof(*tables));
}
