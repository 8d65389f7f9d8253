/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A bounded decoder of x86 instructions: it finds the parts of an instruction, and how the
 * instruction behaves at another address. opcodes.tbl describes the opcodes. gen-opcodes.awk
 * generates opcodes.inc from that table.
 */
#ifndef UPROBES_ARCH_X86_DECODE_H
#define UPROBES_ARCH_X86_DECODE_H

#include "types.h"

/** UINSN_MAX_LEN - the largest length of an x86 instruction (SDM vol. 2, 2.3.11). */
#define UINSN_MAX_LEN 15

/**
 * enum uinsn_mode - how the processor decodes the text
 * @UINSN_MODE_32: 32-bit code segment (a compatibility-mode task)
 * @UINSN_MODE_64: 64-bit code segment
 */
enum uinsn_mode {
	UINSN_MODE_32,
	UINSN_MODE_64,
};

/**
 * enum uinsn_class - how an instruction behaves at another address
 * @UINSN_INVALID: no instruction has this encoding
 * @UINSN_COPY: only a rip-relative operand depends on its address
 * @UINSN_NOP: does nothing in its plain form
 * @UINSN_ENDBR: marks the target of an indirect branch
 * @UINSN_JUMP: relative
 * @UINSN_JCC: relative, by flags
 * @UINSN_LOOP: relative, by rcx: 8-bit displacement only
 * @UINSN_CALL: relative
 * @UINSN_ICALL: near, through a register or memory
 * @UINSN_FCALL: far, immediate or through memory
 * @UINSN_IJUMP: near, through a register or memory
 * @UINSN_FJUMP: far, or near to an absolute immediate
 * @UINSN_RET: near
 * @UINSN_FRET: far, interrupt or user-interrupt return
 * @UINSN_STRING: a repeat prefix makes it an interruptible loop
 * @UINSN_SYSCALL: leaves its own address in rcx (64-bit)
 * @UINSN_SYSENTER: returns to the vdso, from any address
 * @UINSN_INT3: breakpoint
 * @UINSN_INT: software interrupt: traps, ip already after it
 * @UINSN_PUSHF: stores the flags
 * @UINSN_POPF: loads the flags, TF included
 * @UINSN_SS: delays debug exceptions by one instruction
 * @UINSN_XBEGIN: relative address of the abort handler
 * @UINSN_ENCLAVE: tells an enclave its own address
 * @UINSN_TRAP: never completes in user mode
 *
 * The column "class" of opcodes.tbl has these words, in lower case.
 */
enum uinsn_class {
	UINSN_INVALID,
	UINSN_COPY,
	UINSN_NOP,
	UINSN_ENDBR,
	UINSN_JUMP,
	UINSN_JCC,
	UINSN_LOOP,
	UINSN_CALL,
	UINSN_ICALL,
	UINSN_FCALL,
	UINSN_IJUMP,
	UINSN_FJUMP,
	UINSN_RET,
	UINSN_FRET,
	UINSN_STRING,
	UINSN_SYSCALL,
	UINSN_SYSENTER,
	UINSN_INT3,
	UINSN_INT,
	UINSN_PUSHF,
	UINSN_POPF,
	UINSN_SS,
	UINSN_XBEGIN,
	UINSN_ENCLAVE,
	UINSN_TRAP,
	/* private: escapes; uinsn_decode() follows them, and never reports one */
	UINSN_NOW3D,
	UINSN_REX,
	UINSN_PREFIX,
	UINSN_ESC_0F,
	UINSN_ESC_38,
	UINSN_ESC_3A,
	UINSN_VEX2,
	UINSN_VEX3,
	UINSN_EVEX,
	UINSN_XOP,
	UINSN_REX2,
};

/**
 * enum uinsn_encoding - what precedes the opcode
 * @UINSN_LEGACY: legacy prefixes and at most a REX prefix
 * @UINSN_3DNOW: 0F 0F, with the opcode after the operands
 * @UINSN_ENC_REX2: APX's two-byte REX
 * @UINSN_ENC_VEX: C4 or C5
 * @UINSN_ENC_EVEX: 62
 * @UINSN_ENC_XOP: AMD's 8F
 */
enum uinsn_encoding {
	UINSN_LEGACY,
	UINSN_3DNOW,
	UINSN_ENC_REX2,
	UINSN_ENC_VEX,
	UINSN_ENC_EVEX,
	UINSN_ENC_XOP,
};

/* Opcode maps, in the order in which opcodes.inc lists them. */
enum uinsn_map {
	UINSN_MAP_1,
	UINSN_MAP_0F,
	UINSN_MAP_0F38,
	UINSN_MAP_0F3A,
	UINSN_MAP_NOW,
	UINSN_MAP_V1,		/* VEX */
	UINSN_MAP_V2,
	UINSN_MAP_V3,
	UINSN_MAP_V5,
	UINSN_MAP_V7,
	UINSN_MAP_E1,		/* EVEX */
	UINSN_MAP_E2,
	UINSN_MAP_E3,
	UINSN_MAP_E4,
	UINSN_MAP_E5,
	UINSN_MAP_E6,
	UINSN_MAP_E7,
	UINSN_MAP_X8,		/* XOP */
	UINSN_MAP_X9,
	UINSN_MAP_XA,
	UINSN_MAPS,
};

/* Prefix sets; the segment prefixes are in the order es cs ss ds fs gs. */
#define UINSN_PREFIX_66		0x0001
#define UINSN_PREFIX_67		0x0002
#define UINSN_PREFIX_LOCK	0x0004
#define UINSN_PREFIX_F2		0x0008
#define UINSN_PREFIX_F3		0x0010
#define UINSN_PREFIX_ES		0x0020
#define UINSN_PREFIX_CS		0x0040
#define UINSN_PREFIX_SS		0x0080
#define UINSN_PREFIX_DS		0x0100
#define UINSN_PREFIX_FS		0x0200
#define UINSN_PREFIX_GS		0x0400

/* Bits of uinsn.rex, also for VEX, EVEX and XOP, in their plain (not inverted) sense. */
#define UINSN_REX_W		0x08
#define UINSN_REX_R		0x04
#define UINSN_REX_X		0x02
#define UINSN_REX_B		0x01

#define UINSN_HAS_MODRM		0x01
#define UINSN_HAS_SIB		0x02
#define UINSN_HAS_MEMORY	0x04	/* ModRM names memory, not a register */
#define UINSN_RIP_RELATIVE	0x08
#define UINSN_RELATIVE		0x10	/* the immediate is a branch displacement */
#define UINSN_VENDOR		0x20	/* Intel and AMD read it differently */
#define UINSN_APX		0x40	/* defined by APX only */

/**
 * struct uinsn - one decoded instruction
 * @len: its length in bytes, 1 to 15
 * @mode: enum uinsn_mode it was decoded for
 * @encoding: enum uinsn_encoding
 * @map: enum uinsn_map of the opcode
 * @opcode: the opcode byte; the suffix byte for 3DNow!
 * @class: enum uinsn_class
 * @flags: UINSN_HAS_MODRM and following
 * @rex: W, R, X and B, for any encoding
 * @pp: mandatory prefix: 0 none, 1 66, 2 F3, 3 F2
 * @vl: vector length of VEX, EVEX and XOP: 0 128, 1 256, 2 512 bits
 * @vvvv: the additional register of VEX, EVEX and XOP, plain sense
 * @prefixes: set of UINSN_PREFIX_*, legacy prefixes
 * @segment: the last segment prefix byte, or 0
 * @operand_size: 2, 4 or 8: for general-purpose operands of variable size
 * @address_size: 2, 4 or 8
 * @modrm: the ModRM byte
 * @sib: the SIB byte
 * @opcode_at: offset of the opcode byte (for 3DNow! of the second 0F)
 * @modrm_at: offset of ModRM; meaningful with UINSN_HAS_MODRM
 * @disp_at: offset of the displacement of the memory operand
 * @disp_size: 0, 1, 2 or 4
 * @imm_at: offset of the immediate (of a moffs address too)
 * @imm_size: its size, both parts of a far pointer or of enter together
 * @disp: sign-extended displacement of the memory operand
 * @rel: sign-extended branch displacement; meaningful with UINSN_RELATIVE
 */
struct uinsn {
	u8 len;
	u8 mode;
	u8 encoding;
	u8 map;
	u8 opcode;
	u8 class;
	u8 flags;
	u8 rex;
	u8 pp;
	u8 vl;
	u8 vvvv;
	u8 segment;
	u16 prefixes;
	u8 operand_size;
	u8 address_size;
	u8 modrm;
	u8 sib;
	u8 opcode_at;
	u8 modrm_at;
	u8 disp_at;
	u8 disp_size;
	u8 imm_at;
	u8 imm_size;
	s32 disp;
	s32 rel;
};

/* Check for a class of near jumps, calls and returns. */
static inline bool uinsn_class_branches(enum uinsn_class class)
{
	switch (class) {
	case UINSN_JUMP:
	case UINSN_JCC:
	case UINSN_LOOP:
	case UINSN_CALL:
	case UINSN_ICALL:
	case UINSN_IJUMP:
	case UINSN_RET:
		return true;
	default:
		return false;
	}
}

/**
 * uinsn_decode() - find the parts of the instruction at the start of some text
 * @insn: result, valid only when 0 is returned
 * @text: the bytes
 * @len: number of bytes that may be read
 * @mode: 32-bit or 64-bit code
 *
 * An encoding is an instruction if its map, opcode, mandatory prefix, ModRM
 * extension and form, W and vector length name one. Some operand rules do not affect the length:
 * LOCK before an instruction that cannot be locked, reserved vvvv, EVEX rounding bits and masks.
 * These are not checked here: the processor raises #UD.
 *
 * Context: any; pure function.
 * Return: 0; -EILSEQ if no instruction begins with these bytes; -ENODATA
 * if more than @len bytes are needed to know.
 */
int uinsn_decode(struct uinsn *insn, const u8 *text, size_t len,
		 enum uinsn_mode mode);

/**
 * uinsn_target() - get the target of a relative branch
 * @insn: an instruction with UINSN_RELATIVE
 * @addr: its address
 *
 * Return: the target, truncated as the processor does it for the mode and for
 * a 16-bit operand size.
 */
u64 uinsn_target(const struct uinsn *insn, u64 addr);

/**
 * uinsn_rip_operand() - get the address that a rip-relative operand names
 * @insn: an instruction with UINSN_RIP_RELATIVE
 * @addr: its address
 *
 * Return: the address, cut to 32 bits if that is the address size.
 */
u64 uinsn_rip_operand(const struct uinsn *insn, u64 addr);

/** uinsn_class_name() - get the word of opcodes.tbl for an enum uinsn_class. */
const char *uinsn_class_name(enum uinsn_class class);

static inline bool uinsn_has(const struct uinsn *insn, unsigned int flags)
{
	return (insn->flags & flags) == flags;
}

static inline unsigned int uinsn_mod(const struct uinsn *insn)
{
	return insn->modrm >> 6;
}

static inline unsigned int uinsn_reg(const struct uinsn *insn)
{
	return insn->modrm >> 3 & 7;
}

static inline unsigned int uinsn_rm(const struct uinsn *insn)
{
	return insn->modrm & 7;
}

#endif /* UPROBES_ARCH_X86_DECODE_H */
