/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the processes of the torture know together: the truth about calls.
 */
#ifndef TORTURE_H
#define TORTURE_H

#include <stdint.h>

enum function {
	PUSH, SUB, RIPREL, ENDBR, NOPJMP, JCC, CALLS, DEEP, POPS, TAIL, END, SYSCALL,
	THROWS, JUMPS, RAISES, FORKS, YIELDS, SIGJUMPS,
	FUNCTIONS
};

#define SEMAPHORES	4

/* How its processes end: by themselves; also killed; also their probes go any time. */
enum mode { CALM, DOOMED, WILD };

/**
 * struct shared - a file that all processes of a fleet have mapped
 * @stop: processes are to end; nothing registers probes any more
 * @wrong: things that a program found wrong
 * @expected: what its semaphores are to be when it ends
 * @begun: calls that were about to be made, by function
 * @done: calls that have returned
 * @left: calls that were left by a jump or an exception
 * @extra: calls that returned in a forked child as well
 *
 * All calls that processes made that were not killed are in @done or @left.
 */
struct shared {
	uint32_t stop;
	uint32_t wrong;
	uint32_t expected[SEMAPHORES];
	uint64_t begun[FUNCTIONS];
	uint64_t done[FUNCTIONS];
	uint64_t left[FUNCTIONS];
	uint64_t extra[FUNCTIONS];
};

#endif /* TORTURE_H */
