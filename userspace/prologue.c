// SPDX-License-Identifier: GPL-2.0
#include "prologue.h"

#include <stddef.h>

#include "util.h"

/* The processor's order, in which instructions number them. */
static const char *const encoded[] = {
	"%ax", "%cx", "%dx", "%bx", "%sp", "%bp", "%si", "%di", "%r8", "%r9",
	"%r10", "%r11", "%r12", "%r13", "%r14", "%r15",
};

/* Number of no register. */
#define CHANGED 16

static unsigned int operand_reg(const struct uinsn *d)
{
	return uinsn_reg(d) + (d->rex & UINSN_REX_R ? 8 : 0);
}

static unsigned int operand_rm(const struct uinsn *d)
{
	return uinsn_rm(d) + (d->rex & UINSN_REX_B ? 8 : 0);
}

static void set(struct prologue *state, unsigned int reg, unsigned int to)
{
	state->held[reg] = to;
	state->low[reg] = to;
}

/** prologue_begin() - at the entry, each register holds what it holds. */
void prologue_begin(struct prologue *state)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(state->held); i++)
		set(state, i, i);
}

static void copy(struct prologue *state, unsigned int to, unsigned int from)
{
	state->held[to] = state->held[from];
	state->low[to] = state->low[from];
}

/* Without REX, numbers 4 to 7 mean %ah to %bh. */
static bool is_low_byte(const struct instruction *insn, unsigned int reg)
{
	unsigned int at = insn->decoded.opcode_at;

	return reg < 4 || reg > 7 || (at && (insn->bytes[at - 1] & 0xf0) == 0x40);
}

static void copy_byte(struct prologue *state, const struct instruction *insn)
{
	const struct uinsn *d = &insn->decoded;
	unsigned int from = operand_reg(d), to = operand_rm(d);
	bool known = is_low_byte(insn, from) && is_low_byte(insn, to);

	/* Writing %ah changes %ax. */
	if (!is_low_byte(insn, to))
		to -= 4;
	state->held[to] = CHANGED;
	state->low[to] = known ? state->low[from] : CHANGED;
}

static bool follow_two_byte(struct prologue *state, const struct uinsn *d)
{
	switch (d->opcode) {
	case 0x10 ... 0x17:	/* moves of vector registers */
	case 0x28:
	case 0x29:
	case 0x7f:
	case 0xd6:
		return true;
	case 0xb6:		/* movzx, movsx */
	case 0xb7:
	case 0xbe:
	case 0xbf:
		set(state, operand_reg(d), CHANGED);
		return true;
	default:
		return d->class == UINSN_NOP || d->class == UINSN_ENDBR;
	}
}

/**
 * prologue_follow() - what does an instruction do to the registers?
 * @state: what they hold; changed
 * @insn: the instruction
 *
 * Return: false for what compilers do not emit there; nothing is known then.
 */
bool prologue_follow(struct prologue *state, const struct instruction *insn)
{
	const struct uinsn *d = &insn->decoded;
	bool memory = uinsn_has(d, UINSN_HAS_MEMORY);

	if (d->encoding != UINSN_LEGACY)
		return false;
	if (d->map == UINSN_MAP_0F)
		return follow_two_byte(state, d);
	if (d->map != UINSN_MAP_1)
		return false;
	switch (d->opcode) {
	case 0x50 ... 0x57:	/* push */
	case 0x90:
		return true;
	case 0x88:		/* mov to memory, or from register to register */
		if (!memory)
			copy_byte(state, insn);
		return true;
	case 0x89:
		if (!memory)
			copy(state, operand_rm(d), operand_reg(d));
		return true;
	case 0x8b:
		if (memory)
			set(state, operand_reg(d), CHANGED);
		else
			copy(state, operand_reg(d), operand_rm(d));
		return true;
	case 0x31:		/* xor, add and the like; mov of a constant */
	case 0x81:
	case 0x83:
	case 0xc6:
	case 0xc7:
		if (!memory)
			set(state, operand_rm(d), CHANGED);
		return true;
	case 0x33:		/* xor, lea, movsxd */
	case 0x63:
	case 0x8d:
		set(state, operand_reg(d), CHANGED);
		return true;
	case 0xb8 ... 0xbf:	/* mov of a constant */
		set(state, (d->opcode & 7) + (d->rex & UINSN_REX_B ? 8 : 0),
		    CHANGED);
		return true;
	default:
		return false;
	}
}

/**
 * prologue_stored() - which register does an instruction store?
 * @state: what registers hold before it
 * @insn: the instruction
 * @base: set to the register that says where to, plus a displacement
 *
 * Return: the register that held the value at the entry; NULL for another
 * instruction, or a value that was not in a register then.
 */
const char *prologue_stored(const struct prologue *state,
			    const struct instruction *insn, const char **base)
{
	const struct uinsn *d = &insn->decoded;
	unsigned int reg = operand_reg(d), rm = operand_rm(d);

	if (d->encoding != UINSN_LEGACY || d->map != UINSN_MAP_1 ||
	    (d->opcode != 0x88 && d->opcode != 0x89) ||
	    !uinsn_has(d, UINSN_HAS_MEMORY) || uinsn_has(d, UINSN_RIP_RELATIVE))
		return NULL;
	if (uinsn_has(d, UINSN_HAS_SIB)) {
		/* Only the stack pointer with nothing added. */
		if (d->sib != 0x24)
			return NULL;
		rm = 4;
	}
	if (d->opcode == 0x88 && !is_low_byte(insn, reg))
		return NULL;
	reg = d->opcode == 0x88 ? state->low[reg] : state->held[reg];
	if (reg == CHANGED)
		return NULL;
	*base = encoded[rm];
	return encoded[reg];
}
