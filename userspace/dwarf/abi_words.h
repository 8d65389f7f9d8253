/* SPDX-License-Identifier: GPL-2.0 */
/* The kinds of registers in which the words of a value are returned. */
#ifndef _USERSPACE_ABI_WORDS_H
#define _USERSPACE_ABI_WORDS_H

#include <elfutils/libdw.h>

#include "types.h"

/* Bytes in a word of the calling convention. */
#define WORD_SIZE 8

/* A value of more words is returned in memory. */
#define WORDS_MAX 2

/**
 * enum word - the class of a word of a value
 * @WORD_EMPTY: the word has no data
 * @WORD_SSE: only floating-point numbers: an SSE register
 * @WORD_INTEGER: anything else: a general-purpose register
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
 * @problem: why the classes are not known, as part of a sentence, or NULL
 */
struct words {
	enum word v[WORDS_MAX];
	unsigned int n;
	bool in_memory;
	const char *problem;
};

void words_classify(Dwarf_Die *type, u64 size, struct words *words);

#endif /* _USERSPACE_ABI_WORDS_H */
