/* SPDX-License-Identifier: GPL-2.0 */
/* Which kinds of registers the words of a value are returned in. */
#ifndef _USERSPACE_ABI_WORDS_H
#define _USERSPACE_ABI_WORDS_H

#include <elfutils/libdw.h>

#include "types.h"

/* A word, as calling conventions count. */
#define WORD_SIZE 8

/* Values of more words are returned in memory. */
#define WORDS_MAX 2

/**
 * enum word - what a word of a value goes by
 * @WORD_EMPTY: nothing is in it
 * @WORD_SSE: floating-point numbers only: an SSE register
 * @WORD_INTEGER: anything else: a register of general purpose
 */
enum word {
	WORD_EMPTY,
	WORD_SSE,
	WORD_INTEGER,
};

/**
 * struct words - the words of a value
 * @v: each of them
 * @n: number of @v in use
 * @in_memory: the whole value is in memory
 * @problem: why nothing can be said, as part of a sentence, or NULL
 */
struct words {
	enum word v[WORDS_MAX];
	unsigned int n;
	bool in_memory;
	const char *problem;
};

void words_classify(Dwarf_Die *type, u64 size, struct words *words);

#endif /* _USERSPACE_ABI_WORDS_H */
