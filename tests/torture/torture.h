/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Data that all processes of the torture test share: the truth about their calls.
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

/* How processes end: by themselves; also killed; also with probes that can go at any time. */
enum mode { CALM, DOOMED, WILD };

/**
 * struct shared - a file that all processes of a fleet have mapped
 * @stop: processes must end; nothing registers probes any more
 * @wrong: number of errors that programs found
 * @expected: values that the semaphores must have when a program ends
 * @begun: calls that were about to be made, by function
 * @done: calls that have returned
 * @left: calls that were left by a jump or an exception
 * @extra: calls that returned in a forked child as well
 *
 * If a process is not killed, all its calls are in @done or @left.
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
