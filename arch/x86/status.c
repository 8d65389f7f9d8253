// SPDX-License-Identifier: GPL-2.0
/*
 * Status flags: how instructions use and change them, and which ones are live.
 *
 * After an instruction that is not listed here, all flags count as live.
 */
#include "status.h"

#define ALL		STATUS_ALL
#define ALL_BUT_CF	(STATUS_ALL & ~STATUS_CF)

/* Instructions that are looked at for status_live(): a basic block is rarely longer. */
#define BLOCK_MAX	32

/* The flags that a condition code depends on; the lowest bit of the code negates it. */
static u16 condition(u8 opcode)
{
	static const u16 reads[8] = {
		STATUS_OF,			/* o */
		STATUS_CF,			/* b */
		STATUS_ZF,			/* e */
		STATUS_CF | STATUS_ZF,		/* be */
		STATUS_SF,			/* s */
		STATUS_PF,			/* p */
		STATUS_SF | STATUS_OF,		/* l */
		STATUS_SF | STATUS_OF | STATUS_ZF,	/* le */
	};

	return reads[opcode >> 1 & 7];
}

static bool is(struct status *status, unsigned int reads, unsigned int writes)
{
	status->reads = (u16)reads;
	status->writes = (u16)writes;
	return true;
}

static bool none(struct status *status)
{
	return is(status, 0, 0);
}

static bool between(u8 opcode, u8 first, u8 last)
{
	return opcode >= first && opcode <= last;
}

static bool memory(const struct uinsn *insn)
{
	return uinsn_has(insn, UINSN_HAS_MEMORY);
}

/* add or adc sbb and sub xor cmp, by number */
static bool arithmetic(unsigned int nr, struct status *status)
{
	return is(status, nr == 2 || nr == 3 ? STATUS_CF : 0, ALL);
}

/*
 * rol ror rcl rcr shl shr sal sar, by ModRM.reg.  A count of 0 changes no flag. Nor does a rotation
 * through CF by the size of the operand and one bit.
 */
static bool shift(const struct uinsn *insn, unsigned int count, struct status *status)
{
	unsigned int nr = uinsn_reg(insn);

	count &= insn->operand_size == 8 && (insn->opcode & 1) ? 63 : 31;
	if (nr == 2 || nr == 3)
		return is(status, STATUS_CF, count == 1 ? STATUS_CF | STATUS_OF : 0);
	if (nr < 2)
		return is(status, 0, count == 1 ? STATUS_CF | STATUS_OF : count ? STATUS_CF : 0);
	return is(status, 0, count ? ALL : 0);
}

static bool group3(const struct uinsn *insn, struct status *status)
{
	switch (uinsn_reg(insn)) {
	case 2:			/* not */
	case 6:			/* div idiv: all flags are undefined */
	case 7:
		return none(status);
	case 4:			/* mul imul: the other flags are undefined, and AMD keeps them */
	case 5:
		return is(status, 0, STATUS_CF | STATUS_OF);
	default:		/* test neg */
		return is(status, 0, ALL);
	}
}

static bool repeated(const struct uinsn *insn)
{
	return insn->prefixes & (UINSN_PREFIX_F2 | UINSN_PREFIX_F3);
}

static bool one_byte_flags(const struct uinsn *insn, struct status *status)
{
	switch (insn->opcode) {
	case 0x9b:		/* fwait */
		return none(status);
	case 0x9c:		/* pushf */
		return is(status, ALL, 0);
	case 0x9d:		/* popf */
		return is(status, 0, ALL);
	case 0x9e:		/* sahf */
		return is(status, 0, ALL & ~STATUS_OF);
	case 0x9f:		/* lahf */
		return is(status, ALL & ~STATUS_OF, 0);
	case 0xf5:		/* cmc */
		return is(status, STATUS_CF, 0);
	case 0xf8:		/* clc stc */
	case 0xf9:
		return is(status, 0, STATUS_CF);
	case 0xfc:		/* cld std */
	case 0xfd:
		return none(status);
	default:
		return false;
	}
}

static bool one_byte_groups(const struct uinsn *insn, const u8 *text, struct status *status)
{
	u8 op = insn->opcode;

	switch (op) {
	case 0x80:
	case 0x81:
	case 0x83:
		return arithmetic(uinsn_reg(insn), status);
	case 0xc0:
	case 0xc1:
		return shift(insn, text[insn->imm_at], status);
	case 0xd0:
	case 0xd1:
		return shift(insn, 1, status);
	case 0xd2:
	case 0xd3:
		return shift(insn, 0, status);
	case 0xf6:
	case 0xf7:
		return group3(insn, status);
	case 0xfe:
	case 0xff:
		return uinsn_reg(insn) < 2 ? is(status, 0, ALL_BUT_CF) : none(status);
	case 0xa6:		/* cmps scas */
	case 0xa7:
	case 0xae:
	case 0xaf:
		return is(status, 0, repeated(insn) ? 0 : ALL);
	default:
		return one_byte_flags(insn, status);
	}
}

static bool x87(const struct uinsn *insn, struct status *status)
{
	unsigned int nr = uinsn_reg(insn);

	if (memory(insn))
		return none(status);
	switch (insn->opcode) {
	case 0xda:		/* fcmov */
	case 0xdb:
		if (nr < 4)
			return is(status, ALL, 0);
		break;
	case 0xdf:
		break;
	default:
		return none(status);
	}
	/* fcomi fucomi fcomip fucomip: about the other flags, manuals and emulators differ */
	if (insn->opcode != 0xda && (nr == 5 || nr == 6))
		return is(status, 0, STATUS_CF | STATUS_PF | STATUS_ZF);
	return none(status);
}

static bool one_byte(const struct uinsn *insn, const u8 *text, struct status *status)
{
	u8 op = insn->opcode;

	if (op < 0x40)
		return (op & 7) < 6 && arithmetic(op >> 3, status);
	if (between(op, 0x70, 0x7f))
		return is(status, condition(op), 0);
	if (op == 0xe0 || op == 0xe1)		/* loopne loope */
		return is(status, STATUS_ZF, 0);
	if (op == 0x69 || op == 0x6b)		/* imul */
		return is(status, 0, STATUS_CF | STATUS_OF);
	if (op == 0x84 || op == 0x85 || op == 0xa8 || op == 0xa9)	/* test */
		return is(status, 0, ALL);
	/* push pop movsxd xchg mov lea cdqe cqo movs stos lods mov enter leave xlat */
	if (between(op, 0x50, 0x5f) || op == 0x63 || op == 0x68 || op == 0x6a ||
	    between(op, 0x86, 0x99) || between(op, 0xa0, 0xa5) || between(op, 0xaa, 0xad) ||
	    between(op, 0xb0, 0xbf) || between(op, 0xc6, 0xc9) || op == 0xd7)
		return none(status);
	if (between(op, 0xd8, 0xdf))
		return x87(insn, status);
	return one_byte_groups(insn, text, status);
}

/* Legacy and VEX encodings of 0F: MMX and SSE. */
static bool vectors(u8 op, struct status *status)
{
	if (op == 0x2e || op == 0x2f)		/* ucomis comis */
		return is(status, 0, ALL);
	if (between(op, 0x10, 0x17) || between(op, 0x28, 0x2d) || between(op, 0x50, 0x77) ||
	    between(op, 0x7c, 0x7f) || op == 0xc2 || between(op, 0xc4, 0xc6) ||
	    between(op, 0xd0, 0xfe))
		return none(status);
	return false;
}

static bool two_bytes_groups(const struct uinsn *insn, const u8 *text, struct status *status)
{
	switch (insn->opcode) {
	case 0xa3:		/* bt bts btr btc */
	case 0xab:
	case 0xb3:
	case 0xba:
	case 0xbb:
		return is(status, 0, STATUS_CF);
	case 0xa4:		/* shld shrd */
	case 0xac:
		return text[insn->imm_at] & (insn->operand_size == 8 ? 63 : 31) ?
		       is(status, 0, ALL) : none(status);
	case 0xa5:
	case 0xad:
		return none(status);
	case 0xae:		/* fences, and the control words of SSE and x87 */
		return (memory(insn) ? insn->pp != 1 && insn->pp != 3 : !insn->pp) && none(status);
	case 0xaf:		/* imul */
		return is(status, 0, STATUS_CF | STATUS_OF);
	case 0xb0:		/* cmpxchg */
	case 0xb1:
	case 0xc0:		/* xadd */
	case 0xc1:
		return is(status, 0, ALL);
	case 0xb8:		/* popcnt */
		return insn->pp == 2 && is(status, 0, ALL);
	case 0xbc:		/* bsf bsr; old processors read tzcnt and lzcnt so */
	case 0xbd:
		return is(status, 0, STATUS_ZF);
	case 0xc7:		/* cmpxchg8b cmpxchg16b */
		return memory(insn) && uinsn_reg(insn) == 1 && is(status, 0, STATUS_ZF);
	default:
		return vectors(insn->opcode, status);
	}
}

static bool two_bytes(const struct uinsn *insn, const u8 *text, struct status *status)
{
	u8 op = insn->opcode;

	if (between(op, 0x40, 0x4f) || between(op, 0x80, 0x9f))	/* cmov jcc set */
		return is(status, condition(op), 0);
	/* prefetch nop rdtsc push pop cpuid movzx movsx movnti bswap */
	if (op == 0x0d || between(op, 0x18, 0x1f) || op == 0x31 || between(op, 0xa0, 0xa2) ||
	    op == 0xa8 || op == 0xa9 || op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf ||
	    op == 0xc3 || between(op, 0xc8, 0xcf))
		return none(status);
	return two_bytes_groups(insn, text, status);
}

static bool map_38(const struct uinsn *insn, struct status *status)
{
	u8 op = insn->opcode;

	if (op == 0x17)				/* ptest */
		return is(status, 0, ALL);
	if (op == 0xf6 && insn->prefixes & UINSN_PREFIX_F3)	/* adox */
		return is(status, STATUS_OF, STATUS_OF);
	if (op == 0xf6 && insn->prefixes & UINSN_PREFIX_66)	/* adcx */
		return is(status, STATUS_CF, STATUS_CF);
	/* movbe crc32, SSSE3, SSE4, SHA, AES */
	return (op <= 0x41 || between(op, 0xc8, 0xdf) || op == 0xf0 || op == 0xf1) && none(status);
}

static bool map_3a(u8 op, struct status *status)
{
	if (between(op, 0x60, 0x63))		/* pcmpestrm ... pcmpistri */
		return is(status, 0, ALL);
	return (op < 0x80 || between(op, 0xcc, 0xdf) || op == 0xf0) && none(status);
}

static bool vex_1(const struct uinsn *insn, struct status *status)
{
	u8 op = insn->opcode;

	if (op == 0x98 || op == 0x99)		/* kortest ktest */
		return is(status, 0, ALL);
	if (between(op, 0x41, 0x4b) || between(op, 0x90, 0x93))
		return none(status);
	return vectors(op, status);
}

static bool vex_2(const struct uinsn *insn, struct status *status)
{
	u8 op = insn->opcode;

	if (op == 0x0e || op == 0x0f || op == 0x17)	/* vtestps vtestpd vptest */
		return is(status, 0, ALL);
	if (op < 0xd0 || between(op, 0xdb, 0xdf))
		return none(status);
	if (op == 0xf2 || op == 0xf3 || ((op == 0xf5 || op == 0xf7) && !insn->pp))
		return is(status, 0, ALL);	/* andn blsr bzhi bextr */
	return between(op, 0xf5, 0xf7) && none(status);
}

bool status_of(const struct uinsn *insn, const u8 *text, struct status *status)
{
	if (insn->flags & UINSN_APX || insn->encoding == UINSN_ENC_REX2)
		return false;
	switch (insn->map) {
	case UINSN_MAP_1:
		return one_byte(insn, text, status);
	case UINSN_MAP_0F:
		return two_bytes(insn, text, status);
	case UINSN_MAP_0F38:
		return map_38(insn, status);
	case UINSN_MAP_0F3A:
	case UINSN_MAP_V3:
		return map_3a(insn->opcode, status);
	case UINSN_MAP_V1:
		return vex_1(insn, status);
	case UINSN_MAP_V2:
		return vex_2(insn, status);
	case UINSN_MAP_E1:
		return vectors(insn->opcode, status);
	case UINSN_MAP_E2:
		return (insn->opcode < 0xd0 || between(insn->opcode, 0xdc, 0xdf)) && none(status);
	case UINSN_MAP_E3:
		return insn->opcode < 0xd0 && none(status);
	default:
		return false;
	}
}

unsigned int status_live(const u8 *text, size_t len)
{
	unsigned int pending = ALL, live = 0, i;
	size_t at = 0;

	for (i = 0; pending && i < BLOCK_MAX; i++) {
		struct status status;
		struct uinsn insn;

		if (uinsn_decode(&insn, text + at, len - at, UINSN_MODE_64))
			break;
		switch (insn.class) {
		case UINSN_COPY:
		case UINSN_NOP:
		case UINSN_ENDBR:
		case UINSN_STRING:
			break;
		default:
			return live | pending;
		}
		if (!status_of(&insn, text + at, &status))
			break;
		live |= status.reads & pending;
		pending &= ~status.writes;
		at += insn.len;
	}
	return live | pending;
}
