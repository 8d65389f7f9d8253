// SPDX-License-Identifier: GPL-2.0
#include "prologue.h"

#include <stddef.h>

#include "util/util.h"

/* Registers in the order of their encoding in instructions. */
static const char *const encoded[] = {
	"%ax", "%cx", "%dx", "%bx", "%sp", "%bp", "%si", "%di", "%r8", "%r9",
	"%r10", "%r11", "%r12", "%r13", "%r14", "%r15",
	"%xmm0", "%xmm1", "%xmm2", "%xmm3", "%xmm4", "%xmm5", "%xmm6", "%xmm7",
	"%xmm8", "%xmm9", "%xmm10", "%xmm11", "%xmm12", "%xmm13", "%xmm14",
	"%xmm15",
};

/* Number of the first vector register, and of no register. */
#define XMM 16
#define CHANGED PROLOGUE_REGS

/* Mandatory prefixes, in the numbering of struct uinsn. */
#define PP_66 1
#define PP_F3 2

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

/** prologue_begin() - begin at the entry, where each register holds its own entry value */
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

/* Check for a move of the lower half of a vector register to memory or another register. */
static bool is_vector_store(const struct uinsn *d)
{
	switch (d->opcode) {
	case 0x11:	/* movups, movss and the like */
	case 0x29:	/* movaps */
		return true;
	case 0x13:	/* movlps: to memory only */
		return d->pp <= PP_66;
	case 0x7f:	/* movdqa, movdqu; without a prefix, an MMX instruction */
		return d->pp == PP_66 || d->pp == PP_F3;
	case 0xd6:	/* movq */
		return d->pp == PP_66;
	default:
		return false;
	}
}

static bool is_vector_load(const struct uinsn *d)
{
	switch (d->opcode) {
	case 0x10:
	case 0x28:
		return true;
	case 0x6f:
		return d->pp == PP_66 || d->pp == PP_F3;
	case 0x7e:	/* movq */
		return d->pp == PP_F3;
	default:
		return false;
	}
}

static void move_vector(struct prologue *state, bool memory, unsigned int to,
			unsigned int from)
{
	if (memory)
		set(state, XMM + to, CHANGED);
	else
		copy(state, XMM + to, XMM + from);
}

static bool follow_two_byte(struct prologue *state, const struct uinsn *d)
{
	bool memory = uinsn_has(d, UINSN_HAS_MEMORY);

	if (is_vector_load(d)) {
		move_vector(state, memory, operand_reg(d), operand_rm(d));
		return true;
	}
	if (is_vector_store(d)) {
		if (!memory)
			move_vector(state, false, operand_rm(d),
				    operand_reg(d));
		return true;
	}
	switch (d->opcode) {
	case 0x12:		/* movlps, movhlps, unpack, movhps */
	case 0x14 ... 0x16:
		set(state, XMM + operand_reg(d), CHANGED);
		return true;
	case 0x17:		/* movhps to memory */
		return true;
	case 0x7e:		/* movd, movq to a general-purpose register */
		if (d->pp != PP_66)
			return false;
		if (!memory)
			copy(state, operand_rm(d), XMM + operand_reg(d));
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
 * prologue_follow() - apply the effect of an instruction to the registers
 * @state: contents of the registers; changed
 * @insn: the instruction
 *
 * Return: false for an instruction that compilers do not emit in a prologue;
 * the contents are not known then.
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

/*
 * Return the register whose entry value the instruction stores unchanged; CHANGED for other
 * instructions.
 */
static unsigned int stored_operand(const struct prologue *state,
				   const struct instruction *insn)
{
	const struct uinsn *d = &insn->decoded;
	unsigned int reg = operand_reg(d);

	if (d->map == UINSN_MAP_0F)
		return is_vector_store(d) ||
		       (d->opcode == 0x7e && d->pp == PP_66) ?
		       state->held[XMM + reg] : CHANGED;
	if (d->map != UINSN_MAP_1)
		return CHANGED;
	if (d->opcode == 0x88)
		return is_low_byte(insn, reg) ? state->low[reg] : CHANGED;
	return d->opcode == 0x89 ? state->held[reg] : CHANGED;
}

/**
 * prologue_stored() - find the register whose entry value an instruction stores
 * @state: contents of the registers before the instruction
 * @insn: the instruction
 * @base: set to the base register of the destination, without its displacement
 *
 * Return: the register that held the value at the entry; NULL if the
 * instruction is no store, or if the value was not in a register at the entry.
 */
const char *prologue_stored(const struct prologue *state,
			    const struct instruction *insn, const char **base)
{
	const struct uinsn *d = &insn->decoded;
	unsigned int reg, rm = operand_rm(d);

	if (d->encoding != UINSN_LEGACY || !uinsn_has(d, UINSN_HAS_MEMORY) ||
	    uinsn_has(d, UINSN_RIP_RELATIVE))
		return NULL;
	if (uinsn_has(d, UINSN_HAS_SIB)) {
		/* Accept only the stack pointer without an index. */
		if (d->sib != 0x24)
			return NULL;
		rm = 4;
	}
	reg = stored_operand(state, insn);
	if (reg == CHANGED)
		return NULL;
	*base = encoded[rm];
	return encoded[reg];
}
