// SPDX-License-Identifier: GPL-2.0
/* Compare the decoder with Zydis, the reference, on the same bytes. */
#include <stdarg.h>
#include <stdio.h>
#include <Zydis/Zydis.h>

#include "agree.h"

static const ZydisDecoder *reference(enum uinsn_mode mode)
{
	static ZydisDecoder decoder[2];
	static bool ready;

	if (!ready) {
		ZydisDecoderInit(&decoder[UINSN_MODE_32], ZYDIS_MACHINE_MODE_LONG_COMPAT_32,
				 ZYDIS_STACK_WIDTH_32);
		ZydisDecoderInit(&decoder[UINSN_MODE_64], ZYDIS_MACHINE_MODE_LONG_64,
				 ZYDIS_STACK_WIDTH_64);
		ready = true;
	}
	return &decoder[mode];
}

const char *agree_excuse_name(enum agree_excuse excuse)
{
	static const char * const words[AGREE_NR] = {
		[AGREE_NONE] = "none",
		[AGREE_OPERANDS] =
			"operand rules that only the processor judges (LOCK, vvvv, masks, rounding)",
		[AGREE_APX] = "APX is newer than the reference (Intel APX specification)",
		[AGREE_NEWER] = "instruction newer than the reference (Intel ISE)",
		[AGREE_KNC] = "instruction of no processor with this architecture (Knights Corner, PCOMMIT)",
		[AGREE_MPX] =
			"no processor that runs this kernel has MPX on: its loads and stores are hints",
		[AGREE_FP16_W] =
			"EVEX.W is ignored outside 64-bit mode (SDM vol. 2, vcvtsi2sh, note 1)",
	};

	return words[excuse];
}

void agree_reproducer(const u8 *text, size_t len, enum uinsn_mode mode, char *line, size_t size)
{
	int n = snprintf(line, size, "insn_show %d", mode == UINSN_MODE_64 ? 64 : 32);

	for (size_t i = 0; i < len && (size_t)n + 4 < size; i++)
		n += snprintf(line + n, size - (size_t)n, " %02x", text[i]);
}

static bool differ(char *why, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, size, fmt, ap);
	va_end(ap);
	return false;
}

/*
 * Return: true if the reference objects to operands only: the length is clear, but not whether
 * the processor raises #UD.
 */
static bool operand_rule(ZyanStatus status)
{
	switch (status) {
	case ZYDIS_STATUS_BAD_REGISTER:
	case ZYDIS_STATUS_ILLEGAL_LOCK:
	case ZYDIS_STATUS_MALFORMED_EVEX:
	case ZYDIS_STATUS_INVALID_MASK:
		return true;
	}
	return false;
}

/*
 * Return: true for an instruction that was defined after Zydis 4.0: AVX-VNNI-INT, AVX-NE-CONVERT,
 * SM3, SM4, SHA512, AVX10.2 ...
 */
static bool newer(const struct uinsn *insn)
{
	static const struct {
		u8 map, first, last;
	} ranges[] = {
		{ UINSN_MAP_1, 0xd6, 0xd6 },	/* udb */
		{ UINSN_MAP_0F38, 0x8a, 0x8b }, { UINSN_MAP_0F38, 0xfc, 0xfc },
		{ UINSN_MAP_V2, 0x48, 0x48 }, { UINSN_MAP_V2, 0x4a, 0x4a },
		{ UINSN_MAP_V2, 0x50, 0x51 }, { UINSN_MAP_V2, 0x5c, 0x5e },
		{ UINSN_MAP_V2, 0x6c, 0x6c }, { UINSN_MAP_V2, 0x72, 0x72 },
		{ UINSN_MAP_V2, 0xb0, 0xb1 }, { UINSN_MAP_V2, 0xb4, 0xb5 },
		{ UINSN_MAP_V2, 0xcb, 0xcd }, { UINSN_MAP_V2, 0xd2, 0xd3 },
		{ UINSN_MAP_V2, 0xda, 0xda }, { UINSN_MAP_V2, 0xe0, 0xef },
		{ UINSN_MAP_V3, 0xde, 0xde },
		{ UINSN_MAP_V5, 0x00, 0xff }, { UINSN_MAP_V7, 0x00, 0xff },
		{ UINSN_MAP_E1, 0x2e, 0x2f }, { UINSN_MAP_E1, 0x7e, 0x7e },
		{ UINSN_MAP_E1, 0xd6, 0xd6 },
		{ UINSN_MAP_E2, 0x4a, 0x4a }, { UINSN_MAP_E2, 0x50, 0x52 },
		{ UINSN_MAP_E2, 0x67, 0x67 }, { UINSN_MAP_E2, 0x6d, 0x6d },
		{ UINSN_MAP_E2, 0x74, 0x74 }, { UINSN_MAP_E2, 0xd2, 0xd3 },
		{ UINSN_MAP_E2, 0xda, 0xda },
		{ UINSN_MAP_E3, 0x07, 0x07 }, { UINSN_MAP_E3, 0x77, 0x77 },
		{ UINSN_MAP_E3, 0x42, 0x42 }, { UINSN_MAP_E3, 0x52, 0x53 },
		{ UINSN_MAP_E5, 0x18, 0x18 }, { UINSN_MAP_E5, 0x1b, 0x1b },
		{ UINSN_MAP_E5, 0x1e, 0x1e }, { UINSN_MAP_E5, 0x2e, 0x2f },
		{ UINSN_MAP_E5, 0x68, 0x6f }, { UINSN_MAP_E5, 0x74, 0x74 },
		{ UINSN_MAP_E5, 0x7e, 0x7e },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
		if (insn->map == ranges[i].map && insn->opcode >= ranges[i].first &&
		    insn->opcode <= ranges[i].last)
			return true;
	switch (insn->map) {
	case UINSN_MAP_0F:
		/* wrmsrns, rdmsrlist, wrmsrlist; pbndkb; eretu, erets */
		return insn->opcode == 0x01 &&
		       (insn->modrm == 0xc6 || insn->modrm == 0xc7 || insn->modrm == 0xca);
	case UINSN_MAP_0F38:
		/* urdmsr, uwrmsr */
		return insn->opcode == 0xf8 && uinsn_mod(insn) == 3;
	case UINSN_MAP_E3:
		return insn->pp == 3;
	case UINSN_MAP_E5:
		/* bf16 */
		return insn->pp == 1 && insn->opcode >= 0x51 && insn->opcode <= 0x5f;
	case UINSN_MAP_E6:
		return insn->pp == 0;
	}
	return false;
}

/*
 * Return: true for a load or store of MPX with an address size prefix. The reference applies the
 * rules of MPX, which has no 16-bit addresses, and no 32-bit ones in 64-bit mode.
 */
static bool bound_access(const struct uinsn *insn)
{
	return insn->map == UINSN_MAP_0F && (insn->opcode == 0x1a || insn->opcode == 0x1b) &&
	       (insn->prefixes & UINSN_PREFIX_67);
}

/* Return: true for an instruction that only Knights Corner had. The reference always accepts it. */
static bool knights_corner(const ZydisDecodedInstruction *z)
{
	if (z->encoding == ZYDIS_INSTRUCTION_ENCODING_MVEX)
		return true;
	if (z->encoding != ZYDIS_INSTRUCTION_ENCODING_VEX)
		return false;
	switch (z->meta.isa_ext) {
	case ZYDIS_ISA_EXT_KNC:
	case ZYDIS_ISA_EXT_KNCE:
	case ZYDIS_ISA_EXT_KNCV:
		return true;
	default:
		return false;
	}
}

/* Return: the class of an instruction, as far as the reference can distinguish classes. */
static enum uinsn_class our_kind(const struct uinsn *insn)
{
	switch (insn->class) {
	case UINSN_ICALL:
	case UINSN_FCALL:
		return UINSN_CALL;
	case UINSN_IJUMP:
	case UINSN_FJUMP:
		return UINSN_JUMP;
	case UINSN_LOOP:
		return UINSN_JCC;
	case UINSN_FRET:
		return UINSN_RET;
	case UINSN_CALL:
	case UINSN_JUMP:
	case UINSN_JCC:
	case UINSN_RET:
	case UINSN_SYSCALL:
	case UINSN_INT3:
	case UINSN_PUSHF:
	case UINSN_POPF:
	case UINSN_XBEGIN:
		return insn->class;
	default:
		return UINSN_COPY;
	}
}

static enum uinsn_class their_kind(const ZydisDecodedInstruction *z)
{
	switch (z->mnemonic) {
	case ZYDIS_MNEMONIC_UIRET:
		return UINSN_RET;
	case ZYDIS_MNEMONIC_SYSCALL:
		return UINSN_SYSCALL;
	case ZYDIS_MNEMONIC_INT3:
		return UINSN_INT3;
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFD:
	case ZYDIS_MNEMONIC_PUSHFQ:
		return UINSN_PUSHF;
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFD:
	case ZYDIS_MNEMONIC_POPFQ:
		return UINSN_POPF;
	case ZYDIS_MNEMONIC_XBEGIN:
		return UINSN_XBEGIN;
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_RSM:
	/* These end a transaction. Only a failed one continues elsewhere. */
	case ZYDIS_MNEMONIC_XABORT:
	case ZYDIS_MNEMONIC_XEND:
		return UINSN_COPY;
	default:
		break;
	}
	switch (z->meta.category) {
	case ZYDIS_CATEGORY_CALL:
		return UINSN_CALL;
	case ZYDIS_CATEGORY_UNCOND_BR:
		return UINSN_JUMP;
	case ZYDIS_CATEGORY_COND_BR:
		return UINSN_JCC;
	case ZYDIS_CATEGORY_RET:
		return UINSN_RET;
	default:
		return UINSN_COPY;
	}
}

static bool same_class(const struct uinsn *insn, const ZydisDecodedInstruction *z,
		       char *why, size_t size)
{
	if (our_kind(insn) == their_kind(z))
		return true;
	return differ(why, size, "class %s, reference %s (category %s)",
		      uinsn_class_name(insn->class), ZydisMnemonicGetString(z->mnemonic),
		      ZydisCategoryGetString(z->meta.category));
}

/* Compare the targets of relative branches, and the addresses of rip-relative operands. */
static bool same_addresses(const struct uinsn *insn, const ZydisDecodedInstruction *z,
			   const ZydisDecoderContext *context, enum uinsn_mode mode,
			   char *why, size_t size)
{
	u64 addr = mode == UINSN_MODE_64 ? 0x7ffff7a12345 : 0xf7a12345;
	ZydisDecodedOperand operand[ZYDIS_MAX_OPERAND_COUNT];
	bool relative = false, rip = false;

	if (!(z->attributes & ZYDIS_ATTRIB_IS_RELATIVE)) {
		if (insn->flags & (UINSN_RELATIVE | UINSN_RIP_RELATIVE))
			return differ(why, size, "relative, reference not");
		return true;
	}
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeOperands(reference(mode), context, z, operand,
						     z->operand_count)))
		return differ(why, size, "the reference cannot decode the operands");
	for (int i = 0; i < z->operand_count; i++) {
		ZyanU64 there;

		if (operand[i].type == ZYDIS_OPERAND_TYPE_IMMEDIATE &&
		    operand[i].imm.is_relative) {
			relative = true;
			if (!(insn->flags & UINSN_RELATIVE))
				continue;
			ZydisCalcAbsoluteAddress(z, &operand[i], addr, &there);
			/*
			 * Zydis keeps carries out of 32 bits, and cuts abort addresses to 16
			 * bits.
			 */
			if (insn->class == UINSN_XBEGIN && mode == UINSN_MODE_32)
				there = addr + z->length + (u64)z->raw.imm[0].value.s;
			if (mode == UINSN_MODE_32)
				there = (u32)there;
			if (there != uinsn_target(insn, addr))
				return differ(why, size, "branch target %#llx, reference %#llx",
					      (unsigned long long)uinsn_target(insn, addr),
					      (unsigned long long)there);
		} else if (operand[i].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			   (operand[i].mem.base == ZYDIS_REGISTER_RIP ||
			    operand[i].mem.base == ZYDIS_REGISTER_EIP)) {
			rip = true;
			if (!(insn->flags & UINSN_RIP_RELATIVE))
				continue;
			ZydisCalcAbsoluteAddress(z, &operand[i], addr, &there);
			if (there != uinsn_rip_operand(insn, addr))
				return differ(why, size, "operand at %#llx, reference %#llx",
					      (unsigned long long)uinsn_rip_operand(insn, addr),
					      (unsigned long long)there);
		}
	}
	if (relative != uinsn_has(insn, UINSN_RELATIVE))
		return differ(why, size, "relative branch: %d, reference %d", !relative, relative);
	if (rip != uinsn_has(insn, UINSN_RIP_RELATIVE))
		return differ(why, size, "rip-relative: %d, reference %d", !rip, rip);
	return true;
}

/* Compare the offsets and sizes of the parts of an instruction. */
static bool same_layout(const struct uinsn *insn, const ZydisDecodedInstruction *z,
			char *why, size_t size)
{
	bool modrm = z->attributes & ZYDIS_ATTRIB_HAS_MODRM;
	bool sib = z->attributes & ZYDIS_ATTRIB_HAS_SIB;
	unsigned int disp = z->raw.disp.size / 8, disp_at = z->raw.disp.offset;
	unsigned int imm = z->raw.imm[0].size / 8 + z->raw.imm[1].size / 8;
	unsigned int imm_at = z->raw.imm[0].offset;

	if (insn->len != z->length)
		return differ(why, size, "length %u, reference %u (%s)", insn->len, z->length,
			      ZydisMnemonicGetString(z->mnemonic));
	if (modrm != uinsn_has(insn, UINSN_HAS_MODRM) || sib != uinsn_has(insn, UINSN_HAS_SIB))
		return differ(why, size, "ModRM or SIB: flags %#x, reference %d %d", insn->flags,
			      modrm, sib);
	if (modrm && insn->modrm_at != z->raw.modrm.offset)
		return differ(why, size, "ModRM at %u, reference %u", insn->modrm_at,
			      z->raw.modrm.offset);
	/* For Zydis, the suffix of 3DNow! is an opcode. */
	if (insn->encoding == UINSN_3DNOW) {
		imm = 1;
		imm_at = insn->len - 1u;
	}
	/* For Zydis, an absolute address without ModRM is a displacement. */
	if (!modrm && disp) {
		imm = disp;
		imm_at = disp_at;
		disp = 0;
	}
	if (disp != insn->disp_size || (disp && disp_at != insn->disp_at))
		return differ(why, size, "displacement %u at %u, reference %u at %u",
			      insn->disp_size, insn->disp_at, disp, disp_at);
	if (disp && insn->disp != z->raw.disp.value)
		return differ(why, size, "displacement %d, reference %lld", insn->disp,
			      (long long)z->raw.disp.value);
	if (imm != insn->imm_size || (imm && imm_at != insn->imm_at))
		return differ(why, size, "immediate %u at %u, reference %u at %u",
			      insn->imm_size, insn->imm_at, imm, imm_at);
	return true;
}

/*
 * Whether broadcast and rounding are allowed depends on operands. Return: true if the reference
 * accepts the encoding without this bit.
 */
static bool without_rounding(const u8 *text, size_t len, const struct uinsn *insn)
{
	ZydisDecodedInstruction z;
	u8 copy[UINSN_MAX_LEN];
	ZyanStatus status;
	u8 *third;

	if (insn->encoding != UINSN_ENC_EVEX || insn->len > len)
		return false;
	memcpy(copy, text, insn->len);
	third = copy + insn->opcode_at - 1;
	if (!(*third & 0x10))
		return false;
	*third &= 0xef;
	if (uinsn_mod(insn) == 3)
		*third = (u8)((*third & 0x9f) | insn->vl << 5);
	status = ZydisDecoderDecodeInstruction(reference(insn->mode), NULL, copy, insn->len, &z);
	return operand_rule(status) || (ZYAN_SUCCESS(status) && z.length == insn->len);
}

/* Return: true for an instruction that was specified, but that no processor has got. */
static bool withdrawn(const ZydisDecodedInstruction *z)
{
	/* Older versions of the reference have no number for it. */
	return !strcmp(ZydisMnemonicGetString(z->mnemonic), "pcommit");
}

bool agree(const u8 *text, size_t len, enum uinsn_mode mode, struct uinsn *insn,
	   int *ret, enum agree_excuse *excuse, char *why, size_t size)
{
	ZydisDecodedInstruction z;
	ZydisDecoderContext context;
	ZyanStatus status;

	*excuse = AGREE_NONE;
	*ret = uinsn_decode(insn, text, len, mode);
	status = ZydisDecoderDecodeInstruction(reference(mode), &context, text, len, &z);

	if (*ret == 0 && uinsn_has(insn, UINSN_APX)) {
		*excuse = AGREE_APX;
		return true;
	}
	if (operand_rule(status)) {
		*excuse = AGREE_OPERANDS;
		return true;
	}
	if (*ret == 0 && !ZYAN_SUCCESS(status)) {
		if (newer(insn))
			*excuse = AGREE_NEWER;
		else if (without_rounding(text, len, insn))
			*excuse = AGREE_OPERANDS;
		else if (bound_access(insn))
			*excuse = AGREE_MPX;
		else if (mode == UINSN_MODE_32 && insn->map == UINSN_MAP_E5 &&
			 (insn->rex & UINSN_REX_W))
			*excuse = AGREE_FP16_W;
		else
			return differ(why, size, "an instruction (%s, %u bytes), not there: %x",
				      uinsn_class_name(insn->class), insn->len,
				      (unsigned int)status);
		return true;
	}
	if (*ret && ZYAN_SUCCESS(status)) {
		if (!knights_corner(&z) && !withdrawn(&z))
			return differ(why, size, "error %d, to the reference %s", *ret,
				      ZydisMnemonicGetString(z.mnemonic));
		*excuse = AGREE_KNC;
		return true;
	}
	if (*ret)
		return true;
	if (bound_access(insn)) {
		*excuse = AGREE_MPX;
		return same_layout(insn, &z, why, size);
	}
	return same_layout(insn, &z, why, size) &&
	       same_addresses(insn, &z, &context, mode, why, size) &&
	       same_class(insn, &z, why, size);
}
