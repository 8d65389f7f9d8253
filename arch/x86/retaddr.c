// SPDX-License-Identifier: GPL-2.0
/*
 * Return addresses: find functions that use their own, and words that can be one.
 *
 * Register numbers are those of ModRM: 4 is the stack pointer, 5 the frame
 * pointer (Intel SDM vol. 2, 2.1.5, tables 2-2 and 2-3).
 */
#include "retaddr.h"

#define REG_SP	4
#define REG_BP	5

/**
 * struct frame - the place of the return address
 * @sp_known: it is at @sp from the stack pointer
 * @bp_known: it is at @bp from the frame pointer
 * @sp: distance in bytes
 * @bp: distance in bytes
 * @word: size of a stack slot
 */
struct frame {
	bool sp_known;
	bool bp_known;
	long sp;
	long bp;
	long word;
};

static bool plain(const struct uinsn *insn)
{
	return insn->encoding == UINSN_LEGACY && insn->map == UINSN_MAP_1;
}

static unsigned int rm_register(const struct uinsn *insn)
{
	return (insn->modrm & 7) | (insn->rex & UINSN_REX_B ? 8 : 0);
}

static unsigned int reg_register(const struct uinsn *insn)
{
	return uinsn_reg(insn) | (insn->rex & UINSN_REX_R ? 8 : 0);
}

static bool wide(const struct uinsn *insn)
{
	return insn->mode == UINSN_MODE_32 || insn->rex & UINSN_REX_W;
}

/* Get the base register of a memory operand without an index, or -1. */
static int memory_base(const struct uinsn *insn)
{
	unsigned int base = insn->modrm & 7;

	if (!uinsn_has(insn, UINSN_HAS_MEMORY) || uinsn_has(insn, UINSN_RIP_RELATIVE) ||
	    insn->segment || insn->rex & UINSN_REX_B)
		return -1;
	if (uinsn_has(insn, UINSN_HAS_SIB)) {
		if ((insn->sib >> 3 & 7) != REG_SP || insn->rex & UINSN_REX_X)
			return -1;
		base = insn->sib & 7;
	}
	if (base == REG_BP && !uinsn_mod(insn))
		return -1;
	return base;
}

static bool touches(const struct uinsn *insn, const struct frame *frame)
{
	int base = memory_base(insn);

	/* lea only computes an address, and nop does nothing. */
	if (plain(insn) && insn->opcode == 0x8d)
		return false;
	if (insn->map == UINSN_MAP_0F && insn->opcode == 0x1f)
		return false;
	return (base == REG_SP && frame->sp_known && insn->disp == frame->sp) ||
	       (base == REG_BP && frame->bp_known && insn->disp == frame->bp);
}

static s32 immediate(const struct uinsn *insn, const u8 *text)
{
	const u8 *at = text + insn->imm_at;

	if (insn->imm_size == 1)
		return (s8)at[0];
	return (s32)(at[0] | at[1] << 8 | at[2] << 16 | (u32)at[3] << 24);
}

/* Follow add, sub and the rest of their group on the stack pointer. */
static void follow_arithmetic(const struct uinsn *insn, const u8 *text, struct frame *frame)
{
	if (insn->imm_size == 2)
		frame->sp_known = false;
	else if (uinsn_reg(insn) == 0)
		frame->sp -= immediate(insn, text);
	else if (uinsn_reg(insn) == 5)
		frame->sp += immediate(insn, text);
	else if (uinsn_reg(insn) != 7)
		frame->sp_known = false;
}

/* Follow a mov between registers, which may set the frame pointer or the stack pointer. */
static void follow_move(struct frame *frame, unsigned int to, unsigned int from)
{
	if (to == REG_BP) {
		frame->bp_known = frame->sp_known && from == REG_SP;
		frame->bp = frame->sp;
	} else if (to == REG_SP) {
		frame->sp_known = frame->bp_known && from == REG_BP;
		frame->sp = frame->bp;
	}
}

static void follow_plain(const struct uinsn *insn, const u8 *text, struct frame *frame)
{
	unsigned int low = insn->opcode & 7;
	bool registers = uinsn_has(insn, UINSN_HAS_MODRM) && uinsn_mod(insn) == 3;

	switch (insn->opcode) {
	case 0x50 ... 0x57:		/* push */
	case 0x68:
	case 0x6a:
	case 0x9c:
		frame->sp += frame->word;
		break;
	case 0x58 ... 0x5f:		/* pop */
		frame->sp -= frame->word;
		if (low == REG_SP && !(insn->rex & UINSN_REX_B))
			frame->sp_known = false;
		if (low == REG_BP && !(insn->rex & UINSN_REX_B))
			frame->bp_known = false;
		break;
	case 0x9d:			/* popf */
		frame->sp -= frame->word;
		break;
	case 0x81:
	case 0x83:
		if (registers && rm_register(insn) == REG_SP)
			follow_arithmetic(insn, text, frame);
		else if (registers && rm_register(insn) == REG_BP)
			frame->bp_known = false;
		break;
	case 0x89:			/* mov to the operand that ModRM names */
		if (registers && wide(insn))
			follow_move(frame, rm_register(insn), reg_register(insn));
		break;
	case 0x8b:
		if (registers && wide(insn))
			follow_move(frame, reg_register(insn), rm_register(insn));
		else if (reg_register(insn) == REG_SP)
			frame->sp_known = false;
		else if (reg_register(insn) == REG_BP)
			frame->bp_known = false;
		break;
	case 0x8d:			/* lea */
		if (reg_register(insn) == REG_BP) {
			frame->bp_known = frame->sp_known && memory_base(insn) == REG_SP;
			frame->bp = frame->sp - insn->disp;
		} else if (reg_register(insn) == REG_SP) {
			if (memory_base(insn) == REG_SP)
				frame->sp -= insn->disp;
			else
				frame->sp_known = false;
		}
		break;
	case 0xff:
		if (uinsn_reg(insn) == 6)
			frame->sp += frame->word;
		break;
	case 0x8f:
		frame->sp -= frame->word;
		break;
	case 0x87:			/* xchg */
	case 0x94:
	case 0x95:
		if (insn->opcode != 0x87 || reg_register(insn) == REG_SP ||
		    (registers && rm_register(insn) == REG_SP))
			frame->sp_known = false;
		frame->bp_known = false;
		break;
	case 0xc8:			/* enter */
	case 0xc9:			/* leave */
		frame->sp_known = false;
		frame->bp_known = false;
		break;
	default:
		break;
	}
}

/* Check whether an instruction pops the return address, as in vfork(). */
static bool pops_it(const struct uinsn *insn, const struct frame *frame)
{
	return plain(insn) && frame->sp_known && !frame->sp &&
	       ((insn->opcode & 0xf8) == 0x58 || insn->opcode == 0x8f);
}

/* As retaddr_used().  @pointer: set if *@jump is the distance to a pointer to that function. */
static int follow(const u8 *text, size_t len, enum uinsn_mode mode, long *jump, bool *pointer)
{
	struct frame frame = { .sp_known = true, .word = mode == UINSN_MODE_64 ? 8 : 4 };
	struct uinsn insn;
	size_t at;

	*jump = 0;
	*pointer = false;
	for (at = 0; at < len && !uinsn_decode(&insn, text + at, len - at, mode); at += insn.len) {
		if (touches(&insn, &frame) || pops_it(&insn, &frame))
			return 1;
		/* The prefix changes the size of a push: do not follow that. */
		if (insn.prefixes & UINSN_PREFIX_66 && plain(&insn))
			frame.sp_known = false;
		else if (plain(&insn))
			follow_plain(&insn, text + at, &frame);
		switch (insn.class) {
		case UINSN_CALL:
			/* A call of the next instruction, which pops the address. */
			if (!insn.rel)
				frame.sp += frame.word;
			break;
		case UINSN_JUMP:
			if (frame.sp_known && !frame.sp)
				*jump = (long)(at + insn.len) + insn.rel;
			return 0;
		case UINSN_IJUMP:
			*pointer = frame.sp_known && !frame.sp && (insn.flags & UINSN_RIP_RELATIVE);
			if (*pointer)
				*jump = (long)(at + insn.len) + insn.disp;
			return 0;
		case UINSN_RET:
		case UINSN_FRET:
		case UINSN_FJUMP:
		case UINSN_INT3:
		case UINSN_TRAP:
			return 0;
		default:
			break;
		}
	}
	return 0;
}

int retaddr_used(const u8 *text, size_t len, enum uinsn_mode mode, long *jump)
{
	bool pointer;
	int used = follow(text, len, mode, jump, &pointer);

	if (pointer)
		*jump = 0;
	return used;
}

int retaddr_used_in(const void *file, retaddr_read read, u64 offset, enum uinsn_mode mode)
{
	u8 text[RETADDR_WINDOW];
	unsigned int jumps;
	bool pointer;
	size_t len;
	long jump;

	for (jumps = 0; jumps < RETADDR_JUMPS; jumps++) {
		len = read(file, offset, text, sizeof(text));
		if (!len)
			return 0;
		if (follow(text, len, mode, &jump, &pointer))
			return 1;
		if (pointer)
			return retaddr_used_by_import(file, read, offset, jump);
		if (!jump || (jump < 0 && offset < -(u64)jump))
			return 0;
		offset += jump;
	}
	return 0;
}

/*
 * Check whether a text ends in the bytes of opcode ff with one of two digits in its ModRM byte.
 * Look only for forms that 64-bit and 32-bit code share (Intel SDM vol. 2, tables 2-2 and 2-3).
 */
static bool ends_in_ff(const u8 *end, u8 digit, u8 other)
{
	unsigned int len;

	for (len = 2; len <= RETADDR_CALL_MAX; len++) {
		u8 modrm = end[1 - (int)len], mod = modrm >> 6, rm = modrm & 7;
		unsigned int want = 2;

		if (end[-(int)len] != 0xff)
			continue;
		if ((modrm >> 3 & 7) != digit && (modrm >> 3 & 7) != other)
			continue;
		if (mod != 3 && rm == REG_SP) {
			want++;
			/* Without a base, a displacement follows. */
			if (!mod && (end[2 - (int)len] & 7) == REG_BP)
				want += 4;
		}
		if (mod == 1)
			want++;
		else if (mod == 2 || (!mod && rm == REG_BP))
			want += 4;
		if (want == len)
			return true;
	}
	return false;
}

bool retaddr_behind_call(const u8 *end, enum uinsn_mode mode)
{
	return end[-5] == 0xe8 || ends_in_ff(end, 2, 3) ||
	       (mode == UINSN_MODE_32 && end[-7] == 0x9a);
}

bool retaddr_behind_jump(const u8 *end)
{
	return end[-5] == 0xe9 || end[-2] == 0xeb || ends_in_ff(end, 4, 5);
}

/* Check whether an instruction loads the stack pointer, or takes a word from the stack. */
static bool takes(const struct uinsn *insn)
{
	bool registers = insn->modrm >= 0xc0;

	if (insn->class == UINSN_RET)
		return true;
	if (!plain(insn))
		return false;
	switch (insn->opcode) {
	case 0x58 ... 0x5f:		/* pop */
	case 0x8f:
	case 0x9d:			/* popf */
	case 0xc9:			/* leave */
		return true;
	case 0x83:			/* add to the stack pointer, but no and that aligns it */
	case 0x81:
		return registers && rm_register(insn) == REG_SP && uinsn_reg(insn) == 0;
	case 0x89:			/* mov to the operand that ModRM names */
		return registers && rm_register(insn) == REG_SP;
	case 0x8b:			/* mov, lea */
	case 0x8d:
		return reg_register(insn) == REG_SP;
	default:
		return false;
	}
}

bool retaddr_of_frame(const u8 *text, enum uinsn_mode mode)
{
	size_t at = 0, len = RETADDR_AFTER;
	struct uinsn insn;
	u8 number = 0;

	/* Skip endbr64 or endbr32. */
	if (text[0] == 0xf3 && text[1] == 0x0f && text[2] == 0x1e)
		at = 4;
	if (uinsn_decode(&insn, text + at, len - at, mode))
		return false;
	if (takes(&insn))
		return true;
	/* Look for a load of eax with the number of a system call: sigreturn, or rt_sigreturn. */
	if (insn.opcode == 0xb8 && plain(&insn))
		number = text[at + insn.len - 4];
	else if (insn.opcode == 0xc7 && plain(&insn) && insn.modrm == 0xc0)
		number = text[at + insn.len - 4];
	else
		return false;
	at += insn.len;
	if (mode == UINSN_MODE_64)
		return number == 15 && text[at] == 0x0f && text[at + 1] == 0x05;
	return (number == 119 || number == 173) && text[at] == 0xcd && text[at + 1] == 0x80;
}
