/* SPDX-License-Identifier: GPL-2.0 */
/* Compare the decoder with Zydis, the reference, on the same bytes. */
#ifndef INSN_AGREE_H
#define INSN_AGREE_H

#include "decode.h"

/*
 * Reasons why another answer than the reference's is right, by the manual. Tests count and report
 * them. docs/results.md has the list.
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
