/* SPDX-License-Identifier: GPL-2.0 */
/* The decoder beside Zydis, on the same bytes. */
#ifndef INSN_AGREE_H
#define INSN_AGREE_H

#include "decode.h"

/*
 * Where an answer other than the reference's is right, with the manual's word
 * on it. Counted and reported, never silent. docs/results.md has the list.
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
 * Decode with both. Returns true when they agree on everything that both can
 * say, or when an excuse applies (*excuse); on false, why says in words what
 * differs. insn and its return value in *ret are the decoder's own answer.
 */
bool agree(const u8 *text, size_t len, enum uinsn_mode mode, struct uinsn *insn,
	   int *ret, enum agree_excuse *excuse, char *why, size_t size);

/* One line that repeats the comparison: arguments for the insn_show program. */
void agree_reproducer(const u8 *text, size_t len, enum uinsn_mode mode, char *line, size_t size);

#endif /* INSN_AGREE_H */
