/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whether the word at the stack pointer of a function that is entered is a return address.
 *
 * Code that is entered by jumps may have anything there: if that were exchanged, the program
 * would find another value in a variable of its own.
 *
 * Words that have been found to be one are kept with the address space, each at a place of its
 * own by its lowest byte, so that a hit compares one word.  Nobody takes a lock for them: a word
 * is stored and cleared as a whole.  A word stays until its text is unmapped or changes its
 * protection; stores to the text do not count.
 */
#ifndef _UPROBES_RETURN_WORD_H
#define _UPROBES_RETURN_WORD_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "core/calls_types.h"

struct probed_mm;
struct pt_regs;

/* No word is known at a place.  Context: any. */
static inline void return_word_clear(struct return_words *words, unsigned int place)
{
	WRITE_ONCE(words->known[place], !place);
}

/**
 * enum word_kind - what a word is
 * @WORD_DATA: no return address
 * @WORD_RETURN: a return address
 * @WORD_UNCLEAR: that takes a context that can sleep
 */
enum word_kind {
	WORD_DATA,
	WORD_RETURN,
	WORD_UNCLEAR,
};

/* Context: any. */
static __always_inline bool return_word_known(const struct return_words *words,
					      unsigned long word)
{
	/* A plain load, compared in one instruction. */
	return data_race(words->known[(u8)word]) == word;
}

void return_words_init(struct return_words *words);
enum word_kind return_word_look(struct probed_mm *pmm, unsigned long word);
bool return_word_is(struct probed_mm *pmm, unsigned long word, const struct pt_regs *regs);
void return_words_prune(struct probed_mm *pmm, unsigned long start, unsigned long end);

#endif /* _UPROBES_RETURN_WORD_H */
