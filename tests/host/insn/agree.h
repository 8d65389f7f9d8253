/* SPDX-License-Identifier: GPL-2.0 */
/* The decoder beside Zydis, on the same bytes. */
#ifndef INSN_AGREE_H
#define INSN_AGREE_H

#include "decode.h"

/*
 * Where an answer other than the reference's is right, with the manual's word
 * on it. Counted and reported, never silent.
 */
#define AGREE_EXCUSES(X)						\
	X(OPERANDS, "operand rules that only the processor judges (LOCK, vvvv, masks, rounding)") \
	X(APX, "APX is newer than the reference (Intel APX specification)") \
	X(NEWER, "instruction newer than the reference (Intel ISE)")	\
	X(KNC, "Knights Corner instruction, of no processor with this architecture") \
	X(MPX, "no processor that runs this kernel has MPX on: its loads and stores are hints") \
	X(FP16_W, "EVEX.W is ignored outside 64-bit mode (SDM vol. 2, vcvtsi2sh, note 1)")

enum agree_excuse {
	AGREE_NONE,
#define AGREE_ENUM(id, words) AGREE_##id,
	AGREE_EXCUSES(AGREE_ENUM)
#undef AGREE_ENUM
	AGREE_NR,
};

const char *agree_excuse_name(enum agree_excuse excuse);

/*
 * Decode with both. Returns true when they agree on everything that both can
 * say, or when an excuse applies (*excuse); on false, why says in words what
 * differs. insn and its return value in *ret are the decoder's own answer.
 */
bool agree(const u8 *text, size_t len, enum uinsn_mode mode, struct uinsn *insn,
	   int *ret, enum agree_excuse *excuse, char *why, size_t size);

/* One line that repeats the comparison: arguments for the insn_show program. */
void agree_reproducer(const u8 *text, size_t len, enum uinsn_mode mode, char *line, size_t size);

#endif /* INSN_AGREE_H */
