// SPDX-License-Identifier: GPL-2.0
/*
 * Decide where a jump of five bytes can stand. It may cover instructions of any length.
 */
#include "pun.h"
#include "ssol_emit.h"

#define LOCK		0xf0
#define JUMP		0xe9

/*
 * int3, and what is undefined in 64-bit mode: push and pop of segment registers, decimal and ASCII
 * adjustment, pusha, popa. Left out are 62, C4, C5, D5 (prefixes of newer encodings), 82, 9A, D4
 * and EA (which have operands that a processor may fetch first), and CE and D6, which QEMU's
 * emulator executes.
 */
static const u8 trapping[PUN_BYTES] = {
	0xcc, 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f,
	0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61,
};

const char *pun_refusal_name(enum pun_refusal why)
{
	static const char * const words[PUN_NR_REFUSALS] = {
		[PUN_OK] = "one can stand there",
		[PUN_FIRST] = "the instruction needs a trap",
		[PUN_COVERED] = "an instruction behind it, under the jump, needs a trap",
		[PUN_ENDS] = "the code may end within five bytes",
		[PUN_SHORT] = "the text ends",
	};

	return (unsigned int)why < PUN_NR_REFUSALS ? words[why] : "for an unknown reason";
}

u8 pun_byte(unsigned int nr)
{
	return trapping[nr % PUN_BYTES];
}

bool pun_traps(u8 byte)
{
	/* A bit for each byte of @trapping, by its upper half. */
	static const u16 rows[16] = {
		[0x0] = 0x40c0, [0x1] = 0xc0c0, [0x2] = 0x8080, [0x3] = 0x8080, [0x6] = 0x0003,
		[0xc] = 0x1000,
	};

	return rows[byte >> 4] >> (byte & 15) & 1;
}

/*
 * Check whether an instruction does in a pad what it does in its place, even if a thread is stepped
 * through the pad. System calls are left to the trap: a thread sleeps in them, and the kernel
 * restarts them. So is what stores or loads TF, or delays the debug exception. With LOCK, some
 * instructions are undefined, but behind the prefix they are what they are: no copy is both.
 */
static bool movable(const struct ssol_plan *plan)
{
	if ((plan->insn.prefixes & UINSN_PREFIX_LOCK) &&
	    (plan->insn.class != UINSN_COPY || plan->text[0] != LOCK))
		return false;
	switch (plan->kind) {
	case SSOL_SYSCALL:
	case SSOL_XBEGIN:
	case SSOL_STEP:
		return false;
	default:
		break;
	}
	switch (plan->insn.class) {
	case UINSN_INT:
	case UINSN_SYSENTER:
	case UINSN_TRAP:
	case UINSN_SS:
	case UINSN_PUSHF:
	case UINSN_POPF:
	case UINSN_FJUMP:
	case UINSN_FRET:
		return false;
	default:
		return true;
	}
}

/*
 * Check whether more instructions may follow this one under the jump. A call would return to one of
 * them, each time by a trap. The copy of a loop ends in jumps, so nothing can follow it.
 */
static bool may_be_followed(const struct ssol_plan *plan)
{
	return ssol_goes_on(plan) || plan->kind == SSOL_ONWARD || plan->kind == SSOL_JUMP;
}

/*
 * Check for a nop whose displacement may be a signature: that of a restartable sequence is in front
 * of its abort handler, and TCMalloc and librseq hide it so from disassemblers. If it changes, the
 * kernel kills the program at the next abort (kernel/rseq.c). ud1, of other libraries, needs a trap
 * anyway.
 */
static bool may_be_signature(const struct uinsn *insn)
{
	return insn->class == UINSN_NOP && insn->flags & UINSN_HAS_MODRM &&
	       (insn->modrm & 0xc7) == 0x05;
}

enum pun_refusal pun_decide(struct pun *pun, const u8 *text, size_t len)
{
	bool ended = false;
	size_t at = 0;

	memset(pun, 0, sizeof(*pun));
	while (at < PUN_LEN) {
		struct ssol_plan plan;
		int ret = ssol_plan_insn(&plan, text + at, len - at, UINSN_MODE_64, NULL);

		/* Code ends. Only padding may follow, and not what may be data. */
		if (ended && (ret || plan.insn.class != UINSN_NOP || !ssol_is_skip(&plan) ||
			      may_be_signature(&plan.insn)))
			return PUN_ENDS;
		if (ret == -ENODATA)
			return PUN_SHORT;
		if (ret || !movable(&plan) || may_be_signature(&plan.insn))
			return at ? PUN_COVERED : PUN_FIRST;
		if (at + plan.insn.len < PUN_LEN && !may_be_followed(&plan))
			return at ? PUN_COVERED : PUN_FIRST;
		ended |= !ssol_goes_on(&plan);
		pun->calls |= plan.pushes_return;
		pun->at[pun->nr++] = (u8)at;
		if (at)
			pun->traps |= (u8)(1 << at);
		if (text[at] == LOCK && at + 1 < PUN_LEN)
			pun->traps |= (u8)(1 << (at + 1));
		at += plan.insn.len;
	}
	pun->len = (u8)at;
	memcpy(pun->text, text, at);
	return PUN_OK;
}

bool pun_jump(const struct pun *pun, u64 addr, u64 target, u8 jump[PUN_LEN])
{
	s64 distance = (s64)(target - (addr + PUN_LEN));
	unsigned int i;

	if (distance != (s32)distance)
		return false;
	jump[0] = JUMP;
	uinsn_put32(jump + 1, (u32)distance);
	for (i = 1; i < PUN_LEN; i++)
		if ((pun->traps >> i & 1) && !pun_traps(jump[i]))
			return false;
	return true;
}

int pun_insn_at(const struct pun *pun, unsigned int offset, bool *unlocked)
{
	unsigned int i;

	*unlocked = false;
	for (i = 0; offset < PUN_LEN && i < pun->nr; i++) {
		if (pun->at[i] == offset)
			return (int)i;
		if (pun->at[i] + 1u == offset && pun->text[pun->at[i]] == LOCK) {
			*unlocked = true;
			return (int)i;
		}
	}
	return -1;
}
