// SPDX-License-Identifier: GPL-2.0
/*
 * Decode one instruction, from its first prefix to its last immediate byte. All
 * knowledge of particular opcodes is in opcodes.inc. This file has only what the
 * encodings have in common.
 */
#include "decode.h"

/*
 * A node of opcodes.inc is a leaf or a selector. A leaf holds the attributes of an instruction;
 * zero means that there is none. A selector says what to look at, and where the alternatives are.
 */
#define NODE_SELECT		0x8000
#define SELECT(what, at)	(NODE_SELECT | SELECT_##what << 12 | (at) / 2)
#define LEAF(class, imm, modrm, regonly, apx) \
	(UINSN_##class << 8 | (apx) << 6 | (regonly) << 5 | (modrm) << 4 | IMM_##imm)

#define LEAF_CLASS(node)	((node) >> 8)
#define LEAF_APX		0x40
#define LEAF_REGONLY		0x20
#define LEAF_MODRM		0x10
#define LEAF_IMM(node)		((node) & 0x0f)

enum { SELECT_PP, SELECT_REG, SELECT_MOD, SELECT_RM, SELECT_W, SELECT_L };

enum {
	IMM_NONE, IMM_IB, IMM_IW, IMM_IZ, IMM_IV, IMM_FAR, IMM_ENTER, IMM_IB2,
	IMM_I64, IMM_MOFFS, IMM_RB, IMM_RZ,
};

#include "opcodes.inc"

static_assert(NNODES <= 0x1000 * 2, "selectors hold 12 bits of offset, in pairs");
static_assert(UINSN_REX2 < 0x80, "a leaf holds 7 bits of class");

/* Immediate bytes by kind and by operand size 2, 4, 8. */
static const u8 imm_bytes[][3] = {
	[IMM_NONE] = { 0, 0, 0 },
	[IMM_IB] = { 1, 1, 1 },
	[IMM_IW] = { 2, 2, 2 },
	[IMM_IZ] = { 2, 4, 4 },
	[IMM_IV] = { 2, 4, 8 },
	[IMM_FAR] = { 4, 6, 6 },
	[IMM_ENTER] = { 3, 3, 3 },
	[IMM_IB2] = { 2, 2, 2 },
	[IMM_I64] = { 8, 8, 8 },
};

/* The state of decoding: what is read before, and during, the descent of the nodes. */
struct walk {
	const u8 *p;		/* next byte to take */
	const u8 *end;		/* no byte from here on is looked at */
	int missing;		/* error when a byte at end is needed */
	u8 wbit;
	u8 vl;
	bool rounding;		/* EVEX: register form may reuse the length bits */
};

static const u16 *map_root(enum uinsn_mode mode, enum uinsn_map map)
{
	return roots[root_of[mode][map]];
}

/* Descend to the leaf. If a selector asks for ModRM, that byte is at w->p. */
static int resolve(const struct uinsn *insn, const struct walk *w, u16 node)
{
	while (node & NODE_SELECT) {
		unsigned int at = (node & 0xfff) * 2, way;

		switch (node >> 12 & 7) {
		case SELECT_PP:
			way = insn->pp;
			break;
		case SELECT_W:
			way = w->wbit;
			break;
		case SELECT_L:
			way = w->vl;
			break;
		default:
			if (w->p >= w->end)
				return w->missing;
			switch (node >> 12 & 7) {
			case SELECT_REG:
				way = *w->p >> 3 & 7;
				break;
			case SELECT_MOD:
				way = *w->p >= 0xc0;
				break;
			default:
				way = *w->p & 7;
			}
		}
		node = nodes[at + way];
	}
	return node ? node : -EILSEQ;
}

static void note_prefix(struct uinsn *insn, u8 byte)
{
	switch (byte) {
	case 0x66:
		insn->prefixes |= UINSN_PREFIX_66;
		if (!insn->pp)
			insn->pp = 1;
		return;
	case 0x67:
		insn->prefixes |= UINSN_PREFIX_67;
		return;
	case 0xf0:
		insn->prefixes |= UINSN_PREFIX_LOCK;
		return;
	case 0xf2:
		insn->prefixes |= UINSN_PREFIX_F2;
		insn->pp = 3;
		return;
	case 0xf3:
		insn->prefixes |= UINSN_PREFIX_F3;
		insn->pp = 2;
		return;
	case 0x26:
		insn->prefixes |= UINSN_PREFIX_ES;
		break;
	case 0x2e:
		insn->prefixes |= UINSN_PREFIX_CS;
		break;
	case 0x36:
		insn->prefixes |= UINSN_PREFIX_SS;
		break;
	case 0x3e:
		insn->prefixes |= UINSN_PREFIX_DS;
		break;
	case 0x64:
		insn->prefixes |= UINSN_PREFIX_FS;
		break;
	default:
		insn->prefixes |= UINSN_PREFIX_GS;
	}
	insn->segment = byte;
}

/* Check for REX, LOCK or a mandatory prefix: behind it, VEX raises #UD (SDM vol. 2, 2.3.2). */
static bool vex_after_prefixes(const struct uinsn *insn, u8 rex)
{
	return rex || (insn->prefixes & (UINSN_PREFIX_66 | UINSN_PREFIX_F2 |
					 UINSN_PREFIX_F3 | UINSN_PREFIX_LOCK));
}

/*
 * The functions take_*() read the payloads of VEX, EVEX, XOP and REX2. On entry w->p is behind the
 * introducing byte, on return at the opcode byte. They return 0 or an error.
 */
static int take_vex2(struct uinsn *insn, struct walk *w)
{
	u8 b;

	if (w->p >= w->end)
		return w->missing;
	b = *w->p++;
	insn->encoding = UINSN_ENC_VEX;
	insn->map = UINSN_MAP_V1;
	insn->rex = ~b >> 5 & UINSN_REX_R;
	insn->vvvv = ~b >> 3 & 15;
	insn->vl = b >> 2 & 1;
	insn->pp = b & 3;
	return 0;
}

static int take_vex3(struct uinsn *insn, struct walk *w, const u8 *maps, u8 nmaps)
{
	u8 b, map;

	if (w->p >= w->end)
		return w->missing;
	b = *w->p++;
	map = b & 0x1f;
	if (map >= nmaps || !maps[map])
		return -EILSEQ;
	insn->map = maps[map];
	insn->rex = ~b >> 5 & 7;
	if (w->p >= w->end)
		return w->missing;
	b = *w->p++;
	insn->rex |= b >> 4 & UINSN_REX_W;
	insn->vvvv = ~b >> 3 & 15;
	insn->vl = b >> 2 & 1;
	insn->pp = b & 3;
	return 0;
}

static int take_evex(struct uinsn *insn, struct walk *w)
{
	static const u8 maps[8] = {
		0, UINSN_MAP_E1, UINSN_MAP_E2, UINSN_MAP_E3,
		UINSN_MAP_E4, UINSN_MAP_E5, UINSN_MAP_E6, UINSN_MAP_E7,
	};
	u8 b;

	insn->encoding = UINSN_ENC_EVEX;
	if (w->p >= w->end)
		return w->missing;
	b = *w->p++;
	insn->map = maps[b & 7];
	if (!insn->map)
		return -EILSEQ;
	insn->rex = ~b >> 5 & 7;
	/* Formerly reserved as 0. With APX, the high bit of the base or of a register. */
	if (b & 0x08)
		insn->flags |= UINSN_APX;
	if (w->p >= w->end)
		return w->missing;
	b = *w->p++;
	insn->rex |= b >> 4 & UINSN_REX_W;
	insn->vvvv = ~b >> 3 & 15;
	insn->pp = b & 3;
	/* Formerly reserved as 1. With APX, the high bit of the index, inverted. */
	if (!(b & 0x04))
		insn->flags |= UINSN_APX;
	if (uinsn_has(insn, UINSN_APX) && insn->mode != UINSN_MODE_64)
		return -EILSEQ;
	if (w->p >= w->end)
		return w->missing;
	b = *w->p++;
	insn->vl = b >> 5 & 3;
	w->rounding = b & 0x10;
	return 0;
}

static int take_xop(struct uinsn *insn, struct walk *w)
{
	static const u8 maps[] = {
		[8] = UINSN_MAP_X8, [9] = UINSN_MAP_X9, [10] = UINSN_MAP_XA,
	};

	insn->encoding = UINSN_ENC_XOP;
	return take_vex3(insn, w, maps, sizeof(maps));
}

static int take_rex2(struct uinsn *insn, struct walk *w)
{
	u8 b;

	if (w->p >= w->end)
		return w->missing;
	b = *w->p++;
	insn->encoding = UINSN_ENC_REX2;
	insn->flags |= UINSN_APX;
	insn->map = b & 0x80 ? UINSN_MAP_0F : UINSN_MAP_1;
	insn->rex = b & 15;
	return 0;
}

/* Read the opcode behind an escape or a payload. Set its node, and return 0 or an error. */
static int take_opcode(struct uinsn *insn, struct walk *w, u16 *node)
{
	if (w->p >= w->end)
		return w->missing;
	insn->opcode = *w->p++;
	*node = map_root(insn->mode, insn->map)[insn->opcode];
	return 0;
}

/*
 * Check for an opcode that is undefined with REX2. REX2 replaces the escapes, and leaves rows of
 * both maps undefined (APX spec, 3.1.2.1).
 */
static bool rex2_undefined(const struct uinsn *insn)
{
	u8 row = insn->opcode >> 4;

	if (insn->map == UINSN_MAP_0F)
		return row == 3 || row == 8;
	return row == 4 || row == 7 || row == 0xa || row == 0xe;
}

/* Go from the escape that begins an encoding to the leaf of the opcode. */
static int follow_escape(struct uinsn *insn, struct walk *w, u16 leaf, u8 rex)
{
	static const u8 vex_maps[] = {
		[1] = UINSN_MAP_V1, [2] = UINSN_MAP_V2, [3] = UINSN_MAP_V3,
		[5] = UINSN_MAP_V5, [7] = UINSN_MAP_V7,
	};
	int ret;
	u16 node;

	switch (LEAF_CLASS(leaf)) {
	case UINSN_ESC_0F:
		insn->map = UINSN_MAP_0F;
		ret = take_opcode(insn, w, &node);
		if (ret)
			return ret;
		if (node & NODE_SELECT)
			return resolve(insn, w, node);
		if (LEAF_CLASS(node) != UINSN_ESC_38 &&
		    LEAF_CLASS(node) != UINSN_ESC_3A)
			return node ? node : -EILSEQ;
		insn->map = LEAF_CLASS(node) == UINSN_ESC_38 ?
			    UINSN_MAP_0F38 : UINSN_MAP_0F3A;
		ret = take_opcode(insn, w, &node);
		return ret ? ret : resolve(insn, w, node);
	case UINSN_REX2:
		if (rex)
			return -EILSEQ;
		ret = take_rex2(insn, w);
		break;
	case UINSN_VEX2:
		ret = vex_after_prefixes(insn, rex) ? -EILSEQ : take_vex2(insn, w);
		break;
	case UINSN_VEX3:
		insn->encoding = UINSN_ENC_VEX;
		ret = vex_after_prefixes(insn, rex) ? -EILSEQ :
		      take_vex3(insn, w, vex_maps, sizeof(vex_maps));
		break;
	case UINSN_EVEX:
		ret = vex_after_prefixes(insn, rex) ? -EILSEQ : take_evex(insn, w);
		break;
	default:
		ret = vex_after_prefixes(insn, rex) ? -EILSEQ : take_xop(insn, w);
	}
	if (ret)
		return ret;

	ret = take_opcode(insn, w, &node);
	if (ret)
		return ret;
	w->wbit = insn->rex >> 3;
	w->vl = insn->vl;
	if (insn->encoding == UINSN_ENC_REX2) {
		if (insn->map == UINSN_MAP_1 && insn->opcode == 0xa1) {
			/* JMPABS, the one exception, takes no other prefix. */
			if (insn->rex || insn->prefixes)
				return -EILSEQ;
			return LEAF(FJUMP, I64, 0, 0, 1);
		}
		if (rex2_undefined(insn))
			return -EILSEQ;
	}
	if (insn->encoding == UINSN_ENC_EVEX && insn->map != UINSN_MAP_E4) {
		/*
		 * With rounding, the length bits of the register form are the
		 * rounding mode. The length is 512 bits, or that of a scalar.
		 */
		if (w->rounding) {
			if (w->p >= w->end)
				return w->missing;
			if (*w->p >= 0xc0)
				insn->vl = 2;
		}
		if (insn->vl == 3)
			return -EILSEQ;
		w->vl = insn->vl;
	}
	ret = resolve(insn, w, node);
	/* REX2 is the last prefix, and replaces the escapes: none of them may follow. */
	if (insn->encoding == UINSN_ENC_REX2 && ret > 0 && LEAF_CLASS(ret) >= UINSN_REX)
		return -EILSEQ;
	return ret;
}

/* Read ModRM, SIB and displacement. */
static int take_modrm(struct uinsn *insn, struct walk *w, const u8 *text, bool regonly)
{
	unsigned int mod, rm;
	u8 size = 0;

	if (w->p >= w->end)
		return w->missing;
	insn->flags |= UINSN_HAS_MODRM;
	insn->modrm_at = w->p - text;
	insn->modrm = *w->p++;
	mod = insn->modrm >> 6;
	rm = insn->modrm & 7;
	if (mod == 3 || regonly)
		return 0;
	insn->flags |= UINSN_HAS_MEMORY;
	if (insn->address_size == 2) {
		if (mod == 1)
			size = 1;
		else if (mod == 2 || rm == 6)
			size = 2;
	} else {
		if (mod == 1)
			size = 1;
		else if (mod == 2)
			size = 4;
		if (rm == 4) {
			if (w->p >= w->end)
				return w->missing;
			insn->flags |= UINSN_HAS_SIB;
			insn->sib = *w->p++;
			if (mod == 0 && (insn->sib & 7) == 5)
				size = 4;
		} else if (mod == 0 && rm == 5) {
			size = 4;
			if (insn->mode == UINSN_MODE_64)
				insn->flags |= UINSN_RIP_RELATIVE;
		}
	}
	if (!size)
		return 0;
	if (w->end - w->p < size)
		return w->missing;
	insn->disp_at = w->p - text;
	insn->disp_size = size;
	if (size == 1)
		insn->disp = (s8)*w->p;
	else if (size == 2)
		insn->disp = (s16)uinsn_get16(w->p);
	else
		insn->disp = (s32)uinsn_get32(w->p);
	w->p += size;
	return 0;
}

/* Mark 16-bit branches in 64-bit mode: AMD has them, Intel ignores the prefix. */
static void note_vendor(struct uinsn *insn)
{
	if (insn->mode != UINSN_MODE_64 || (insn->rex & UINSN_REX_W) ||
	    !(insn->prefixes & UINSN_PREFIX_66))
		return;
	if (uinsn_class_branches(insn->class))
		insn->flags |= UINSN_VENDOR;
}

/* Read the immediate. If it is a branch displacement, store its value. */
static int take_imm(struct uinsn *insn, struct walk *w, const u8 *text, unsigned int kind)
{
	u8 size;

	switch (kind) {
	case IMM_MOFFS:
		size = insn->address_size;
		break;
	case IMM_RB:
		size = 1;
		break;
	case IMM_RZ:
		size = 4;
		if (insn->operand_size == 2 &&
		    (insn->mode == UINSN_MODE_32 || insn->class == UINSN_XBEGIN))
			size = 2;
		break;
	default:
		size = imm_bytes[kind][insn->operand_size >> 2];
	}
	if (!size)
		return 0;
	if (w->end - w->p < size)
		return w->missing;
	insn->imm_at = w->p - text;
	insn->imm_size = size;
	if (kind >= IMM_RB) {
		insn->flags |= UINSN_RELATIVE;
		if (size == 1)
			insn->rel = (s8)*w->p;
		else if (size == 2)
			insn->rel = (s16)uinsn_get16(w->p);
		else
			insn->rel = (s32)uinsn_get32(w->p);
	}
	w->p += size;
	return 0;
}

int uinsn_decode(struct uinsn *insn, const u8 *text, size_t len, enum uinsn_mode mode)
{
	const u16 *root = map_root(mode, UINSN_MAP_1);
	struct walk w = {
		.p = text,
		.end = text + (len < UINSN_MAX_LEN ? len : UINSN_MAX_LEN),
		.missing = len < UINSN_MAX_LEN ? -ENODATA : -EILSEQ,
	};
	bool wide, narrow;
	u8 rex = 0;
	int leaf;

	memset(insn, 0, sizeof(*insn));
	insn->mode = mode;

	for (;;) {
		if (w.p >= w.end)
			return w.missing;
		insn->opcode = *w.p;
		leaf = root[insn->opcode];
		if (LEAF_CLASS(leaf) == UINSN_PREFIX) {
			/* REX has an effect only right before the opcode. */
			rex = 0;
			note_prefix(insn, insn->opcode);
		} else if (LEAF_CLASS(leaf) == UINSN_REX) {
			rex = insn->opcode;
		} else {
			break;
		}
		w.p++;
	}
	w.p++;
	insn->rex = rex & 15;
	w.wbit = insn->rex >> 3;

	leaf = resolve(insn, &w, leaf);
	if (leaf > 0 && LEAF_CLASS(leaf) >= UINSN_REX)
		leaf = follow_escape(insn, &w, leaf, rex);
	if (leaf < 0)
		return leaf;
	insn->class = LEAF_CLASS(leaf);
	insn->opcode_at = w.p - 1 - text;
	if (leaf & LEAF_APX)
		insn->flags |= UINSN_APX;

	wide = insn->rex & UINSN_REX_W;
	narrow = insn->encoding <= UINSN_ENC_REX2 ?
		 insn->prefixes & UINSN_PREFIX_66 : insn->pp == 1;
	insn->operand_size = wide ? 8 : narrow ? 2 : 4;
	if (mode == UINSN_MODE_64)
		insn->address_size = insn->prefixes & UINSN_PREFIX_67 ? 4 : 8;
	else
		insn->address_size = insn->prefixes & UINSN_PREFIX_67 ? 2 : 4;

	if (leaf & LEAF_MODRM) {
		int ret = take_modrm(insn, &w, text, leaf & LEAF_REGONLY);

		if (ret)
			return ret;
	}
	if (LEAF_IMM(leaf)) {
		int ret = take_imm(insn, &w, text, LEAF_IMM(leaf));

		if (ret)
			return ret;
	}
	if (insn->class == UINSN_NOW3D) {
		insn->encoding = UINSN_3DNOW;
		insn->map = UINSN_MAP_NOW;
		insn->opcode = text[insn->imm_at];
		leaf = map_root(mode, UINSN_MAP_NOW)[insn->opcode];
		if (!leaf)
			return -EILSEQ;
		insn->class = LEAF_CLASS(leaf);
	}
	note_vendor(insn);
	insn->len = w.p - text;
	return 0;
}

u64 uinsn_target(const struct uinsn *insn, u64 addr)
{
	u64 target = addr + insn->len + (s64)insn->rel;

	if (insn->mode == UINSN_MODE_64)
		return target;
	/* Only an abort address is not cut to 16 bits (SDM vol. 2, XBEGIN). */
	if (insn->operand_size == 2 && insn->class != UINSN_XBEGIN)
		return target & 0xffff;
	return (u32)target;
}

u64 uinsn_rip_operand(const struct uinsn *insn, u64 addr)
{
	u64 operand = addr + insn->len + (s64)insn->disp;

	return insn->address_size == 4 ? (u32)operand : operand;
}

const char *uinsn_class_name(enum uinsn_class class)
{
	static const char * const names[] = {
		[UINSN_INVALID] = "invalid",
		[UINSN_COPY] = "copy",
		[UINSN_NOP] = "nop",
		[UINSN_ENDBR] = "endbr",
		[UINSN_JUMP] = "jump",
		[UINSN_JCC] = "jcc",
		[UINSN_LOOP] = "loop",
		[UINSN_CALL] = "call",
		[UINSN_ICALL] = "icall",
		[UINSN_FCALL] = "fcall",
		[UINSN_IJUMP] = "ijump",
		[UINSN_FJUMP] = "fjump",
		[UINSN_RET] = "ret",
		[UINSN_FRET] = "fret",
		[UINSN_STRING] = "string",
		[UINSN_SYSCALL] = "syscall",
		[UINSN_SYSENTER] = "sysenter",
		[UINSN_INT3] = "int3",
		[UINSN_INT] = "int",
		[UINSN_PUSHF] = "pushf",
		[UINSN_POPF] = "popf",
		[UINSN_SS] = "ss",
		[UINSN_XBEGIN] = "xbegin",
		[UINSN_ENCLAVE] = "enclave",
		[UINSN_TRAP] = "trap",
	};

	return class < ARRAY_SIZE(names) ? names[class] : "unknown";
}
