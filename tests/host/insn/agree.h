/* SPDX-License-Identifier: GPL-2.0 */
/* Compare the decoder with Zydis, the reference, on the same bytes. */
#ifndef INSN_AGREE_H
#define INSN_AGREE_H

#include "decode.h"

/**
 * enum agree_excuse - reasons why another answer than Zydis 4.0's is right, by the manual
 * @AGREE_NONE: none; the answers are the same
 * @AGREE_OPERANDS: LOCK, vvvv, masks, rounding and the like that are not allowed make no instruction
 *	there. They are #UD when it runs, after it was decoded: the length is certain (SDM vol. 2,
 *	2.6.11, and "Exceptions" of each page)
 * @AGREE_APX: APX is none there (APX specification)
 * @AGREE_NEWER: d6 in 64-bit code, movrs, AVX-VNNI-INT16, SHA512, SM3, SM4, AMX-FP16 ..., AVX10.2 are
 *	none there (Intel ISE)
 * @AGREE_KNC: VEX and MVEX instructions of Knights Corner are always some there. No processor with
 *	long mode that Linux runs on has them
 * @AGREE_MPX: 67 before bndldx, bndstx, bndmov is none there, or has the size of MPX. Without MPX,
 *	0F 1A and 0F 1B are hint nops (SDM vol. 2, NOP; vol. 1, appendix on MPX)
 * @AGREE_FP16_W: EVEX.W of the FP16 conversions in 32-bit code is none there. It is ignored outside
 *	64-bit mode (SDM vol. 2, VCVTSI2SH, note 1)
 * @AGREE_NR: their number
 *
 * Tests count and report them. Branch targets are compared without what Zydis does to them: xbegin with
 * a 16-bit displacement aborts to 16 bits, and targets of 32-bit code carry beyond 32 bits, while EIP is
 * neither cut nor longer (SDM vol. 2, XBEGIN and JMP, "Operation").
 */
enum agree_excuse {
	AGREE_NONE,
	AGREE_OPERANDS,
	AGREE_APX,
	AGREE_NEWER,
	AGREE_KNC,
	AGREE_MPX,
	AGREE_FP16_W,
	AGREE_NR,
};

const char *agree_excuse_name(enum agree_excuse excuse);

/*
 * Decode with both. Return true if they agree on everything that both report, or if an excuse
 * applies, which is stored in *excuse. If they disagree, why has the difference in words. *insn
 * and *ret are the result of the decoder.
 */
bool agree(const u8 *text, size_t len, enum uinsn_mode mode, struct uinsn *insn,
	   int *ret, enum agree_excuse *excuse, char *why, size_t size);

/* Write the command line of insn_show that repeats the comparison. */
void agree_reproducer(const u8 *text, size_t len, enum uinsn_mode mode, char *line, size_t size);

#endif /* INSN_AGREE_H */
