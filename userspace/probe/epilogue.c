// SPDX-License-Identifier: GPL-2.0
#include "epilogue.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/util.h"

/* The length of a jump. */
#define JUMP_LEN 5

/* The number of the stack pointer in ModRM and SIB, and what there is no index register. */
#define REG_SP 4
#define NO_INDEX 4

/* With a larger frame, only the return instruction itself is probed. */
#define BELOW_MAX 0x7fff

/* An instruction that is not known, or changes the flow. */
#define UNKNOWN INT32_MIN

static s32 immediate(const struct uinsn *insn, const u8 *text)
{
	s32 value;

	if (insn->imm_size == 1)
		return (s8)text[insn->imm_at];
	if (insn->imm_size != sizeof(value))
		return UNKNOWN;
	memcpy(&value, text + insn->imm_at, sizeof(value));
	return value;
}

/* Check whether the field "reg" or "rm" of ModRM is the stack pointer. */
static bool reg_is_sp(const struct uinsn *insn)
{
	return uinsn_reg(insn) == REG_SP && !(insn->rex & UINSN_REX_R);
}

static bool rm_is_sp(const struct uinsn *insn)
{
	return uinsn_mod(insn) == 3 && uinsn_rm(insn) == REG_SP && !(insn->rex & UINSN_REX_B);
}

/* Get what "lea disp(%rsp), %rsp" adds. */
static s32 lea_change(const struct uinsn *insn)
{
	bool base = insn->flags & UINSN_HAS_SIB && (insn->sib & 7) == REG_SP &&
		    (insn->sib >> 3 & 7) == NO_INDEX &&
		    !(insn->rex & (UINSN_REX_B | UINSN_REX_X));

	return base && insn->rex & UINSN_REX_W ? insn->disp : UNKNOWN;
}

/* Get what an instruction with ModRM adds to the stack pointer. */
static s32 modrm_change(const struct uinsn *insn, const u8 *text)
{
	bool first = insn->encoding == UINSN_LEGACY && insn->map == UINSN_MAP_1;
	s32 value;

	if (first && (insn->opcode == 0x81 || insn->opcode == 0x83) && rm_is_sp(insn)) {
		value = insn->rex & UINSN_REX_W ? immediate(insn, text) : UNKNOWN;
		if (value == UNKNOWN || (uinsn_reg(insn) != 0 && uinsn_reg(insn) != 5))
			return UNKNOWN;
		return uinsn_reg(insn) ? -value : value;
	}
	if (first && insn->opcode == 0x8d && reg_is_sp(insn))
		return lea_change(insn);
	/* pop, push */
	if (first && (insn->opcode == 0x8f || insn->opcode == 0xff))
		return UNKNOWN;
	return reg_is_sp(insn) || rm_is_sp(insn) ? UNKNOWN : 0;
}

/* Get what an instruction adds to the stack pointer; UNKNOWN also if it may branch. */
static s32 sp_change(const struct uinsn *insn, const u8 *text)
{
	bool legacy = insn->encoding == UINSN_LEGACY && !(insn->prefixes & UINSN_PREFIX_66);
	bool is_sp = (insn->opcode & 7) == REG_SP && !(insn->rex & UINSN_REX_B);

	if (insn->class != UINSN_COPY && insn->class != UINSN_NOP)
		return UNKNOWN;
	if (insn->flags & UINSN_HAS_MODRM)
		return modrm_change(insn, text);
	/* pop of a register, mov of a number to one, vzeroupper */
	if (legacy && insn->map == UINSN_MAP_1 && insn->opcode >> 3 == 0x58 >> 3)
		return is_sp ? UNKNOWN : 8;
	if (legacy && insn->map == UINSN_MAP_1 && insn->opcode >> 3 == 0xb8 >> 3)
		return is_sp ? UNKNOWN : 0;
	if (insn->encoding == UINSN_ENC_VEX && insn->map == UINSN_MAP_V1 && insn->opcode == 0x77)
		return 0;
	return insn->class == UINSN_NOP ? 0 : UNKNOWN;
}

/**
 * struct recent - the instructions in front of the one that is decoded
 * @n: number of them without an UNKNOWN one
 * @at: their offsets, the last one first
 * @change: what each adds to the stack pointer
 */
struct recent {
	unsigned int n;
	size_t at[EPILOGUE_MAX];
	s32 change[EPILOGUE_MAX];
};

static void recent_add(struct recent *recent, size_t at, s32 change)
{
	if (change == UNKNOWN) {
		recent->n = 0;
		return;
	}
	if (recent->n < EPILOGUE_MAX)
		recent->n++;
	memmove(recent->at + 1, recent->at, (EPILOGUE_MAX - 1) * sizeof(recent->at[0]));
	memmove(recent->change + 1, recent->change,
		(EPILOGUE_MAX - 1) * sizeof(recent->change[0]));
	recent->at[0] = at;
	recent->change[0] = change;
}

static void add_epilogue(struct epilogues *epilogues, const struct recent *recent, u64 addr,
			 size_t at)
{
	struct epilogue *e;
	s64 below = 0;

	epilogues->v = grow(epilogues->v, epilogues->n, &epilogues->cap, sizeof(*epilogues->v));
	e = &epilogues->v[epilogues->n++];
	e->ret = addr + at;
	e->n = 0;
	for (unsigned int i = 0; i < recent->n && at - recent->at[i] <= UINT8_MAX; i++) {
		below += recent->change[i];
		if (below < 0 || below > BELOW_MAX)
			return;
		e->back[e->n] = (u8)(at - recent->at[i]);
		e->below[e->n++] = (u16)below;
	}
}

/**
 * epilogues_add_target() - note where a jump leads to
 * @epilogues: the epilogues of the function
 * @target: the address
 */
void epilogues_add_target(struct epilogues *epilogues, u64 target)
{
	epilogues->targets = grow(epilogues->targets, epilogues->n_targets,
				  &epilogues->cap_targets, sizeof(*epilogues->targets));
	epilogues->targets[epilogues->n_targets++] = target;
	epilogues->sorted = false;
}

/**
 * epilogues_scan() - note the returns and the branches in a part of a function
 * @epilogues: the epilogues of the function
 * @text: 64-bit code
 * @len: its size
 * @addr: its address
 *
 * An instruction that cannot be decoded ends the part.
 */
void epilogues_scan(struct epilogues *epilogues, const u8 *text, size_t len, u64 addr)
{
	struct recent recent = { 0 };
	struct uinsn insn;

	for (size_t at = 0; at < len; at += insn.len) {
		if (uinsn_decode(&insn, text + at, len - at, UINSN_MODE_64))
			return;
		if (insn.flags & UINSN_RELATIVE && insn.class != UINSN_CALL)
			epilogues_add_target(epilogues, uinsn_target(&insn, addr + at));
		if (insn.class == UINSN_RET)
			add_epilogue(epilogues, &recent, addr, at);
		recent_add(&recent, at, sp_change(&insn, text + at));
	}
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/**
 * epilogues_branch_to() - check whether a branch of a function leads to an address
 * @epilogues: the epilogues, after all parts of the function have been scanned
 * @addr: the address
 */
bool epilogues_branch_to(struct epilogues *epilogues, u64 addr)
{
	if (!epilogues->sorted && epilogues->n_targets)
		qsort(epilogues->targets, epilogues->n_targets, sizeof(*epilogues->targets),
		      compare);
	epilogues->sorted = true;
	return epilogues->n_targets && bsearch(&addr, epilogues->targets, epilogues->n_targets,
					       sizeof(*epilogues->targets), compare);
}

/**
 * epilogues_find() - find where a jump has room in front of a return instruction
 * @epilogues: the epilogues, after all parts of the function have been scanned
 * @ret: address of the return instruction
 * @entry: address of the function
 * @below: set to how many bytes the stack pointer is below that at @ret
 *
 * Return: the address, which is @ret if there is no such place.
 */
u64 epilogues_find(struct epilogues *epilogues, u64 ret, u64 entry, u16 *below)
{
	const struct epilogue *e = NULL;

	*below = 0;
	for (size_t i = 0; i < epilogues->n && !e; i++)
		if (epilogues->v[i].ret == ret)
			e = &epilogues->v[i];
	if (!e || epilogues_branch_to(epilogues, ret))
		return ret;
	for (unsigned int i = 0; i < e->n && ret - e->back[i] != entry; i++) {
		if (e->back[i] + 1 >= JUMP_LEN) {
			*below = e->below[i];
			return ret - e->back[i];
		}
		if (epilogues_branch_to(epilogues, ret - e->back[i]))
			break;
	}
	return ret;
}

void epilogues_free(struct epilogues *epilogues)
{
	free(epilogues->v);
	free(epilogues->targets);
	memset(epilogues, 0, sizeof(*epilogues));
}
