/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Check, when a function is entered, whether the word at the stack pointer is a return address.
 *
 * Code that is entered by jumps may have any value there.  If the module exchanged such a word, the
 * program would find another value in its own variable.
 *
 * The probed mm keeps the words that were found to be return addresses.  They are indexed by their
 * lowest byte, so that a hit compares one word.  There is no lock: a word is stored and cleared as
 * a whole.  A word stays until its text is unmapped or changes its protection.  Stores to the text
 * do not matter.
 */
#ifndef _UPROBES_RETURN_WORD_H
#define _UPROBES_RETURN_WORD_H

#include <linux/atomic.h>
#include <linux/types.h>

#include "core/calls_types.h"

struct probed_mm;
struct pt_regs;

/* Clear an entry: store a value that matches no word at this index.  Context: any. */
static inline void return_word_clear(struct return_words *words, unsigned int place)
{
	WRITE_ONCE(words->known[place], !place);
}

/**
 * enum word_kind - kind of a word
 * @WORD_DATA: no return address
 * @WORD_RETURN: a return address
 * @WORD_UNCLEAR: not known; to find out takes a context that can sleep
 */
enum word_kind {
	WORD_DATA,
	WORD_RETURN,
	WORD_UNCLEAR,
};

/* Check whether a word is a known return address.  Context: any. */
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
