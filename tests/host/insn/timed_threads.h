/* SPDX-License-Identifier: GPL-2.0 */
#ifndef UPROBES_TEST_TIMED_THREADS_H
#define UPROBES_TEST_TIMED_THREADS_H

#include <stdbool.h>

/**
 * struct timed_threads - what has come of the calls
 * @calls: the number of calls
 * @counted: how many of them are in the histogram
 * @begins: how many trapped at the entry
 * @ends: how many trapped at the return instruction
 * @kept: how many are still in the table
 * @left: how often a signal took a thread out of a pad
 * @owed: how many of these hits owed something
 * @sane: the sum of the times agrees with the buckets, and is not longer than it was
 */
struct timed_threads {
	unsigned long calls;
	unsigned long counted;
	unsigned long begins;
	unsigned long ends;
	unsigned long kept;
	unsigned long left;
	unsigned long owed;
	bool sane;
};

/* Have threads call a function whose calls are timed by pads. */
void timed_threads(struct timed_threads *result);

#endif /* UPROBES_TEST_TIMED_THREADS_H */
