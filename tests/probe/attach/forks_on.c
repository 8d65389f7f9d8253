// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread
/*
 * Prints its process ID, the addresses of instructions to probe, one a line, and an empty line.
 * Waits for a line.  Then two threads fork children until the input ends; one of these instructions
 * makes the fork.  A child compares the text of all of them with the text from before the probes,
 * unless an argument is given, and executes it.  At the end, prints how many children there were, and how many of them died or
 * found a difference.
 */
#include "puppet.h"

#define FUNCTIONS 64

/* Functions on a few pages. probed_fork() is fork() with nothing around the system call. */
long functions(long x);
long probed_fork(void);
extern const char functions_end[], fork_insn[];
__asm__(".pushsection .text\n"
	".balign 256\n"
	"functions:\n"
	".rept 64\n"
	"\tlea 1(%rdi), %rax\n"
	"\tret\n"
	".balign 256\n"
	".endr\n"
	"probed_fork:\n"
	"\tmov $57, %eax\n"
	"fork_insn:\n"
	"\tsyscall\n"
	"\tret\n"
	"functions_end:\n"
	".popsection\n");

static char before[FUNCTIONS * 256 + 64];
static volatile int ended;
static int probed;

static int child_fares(void)
{
	long i, sum = 0;

	if (!probed && memcmp(functions, before, functions_end - (const char *)functions))
		return 1;
	for (i = 0; i < FUNCTIONS; i++)
		sum += ((long (*)(long))((const char *)functions + 256 * i))(i);
	return sum == FUNCTIONS * (FUNCTIONS + 1) / 2 ? 0 : 2;
}

/**
 * struct tally - what became of a thread's children
 * @children: how many children there were
 * @harmed: how many of them died or found a difference
 */
struct tally {
	long children;
	long harmed;
};

static void *fork_on(void *arg)
{
	struct tally *tally = arg;

	while (!ended) {
		pid_t child = probed_fork();
		int status;

		if (!child)
			_exit(child_fares());
		if (child < 0)
			continue;
		waitpid(child, &status, 0);
		tally->children++;
		if (!status)
			continue;
		if (!tally->harmed++)
			printf("status 0x%x\n", status);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct tally tally[2] = {};
	pthread_t threads[2];
	int i;

	probed = argc > 1;
	memcpy(before, functions, functions_end - (const char *)functions);
	printf("%d\n", getpid());
	for (i = 0; i < FUNCTIONS; i++)
		printf("%p\n", (const char *)functions + 256 * i);
	printf("%p\n\n", fork_insn);
	wait_line();
	for (i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, fork_on, &tally[i]);
	while (wait_line())
		;
	ended = 1;
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("%ld children, %ld harmed\n", tally[0].children + tally[1].children,
	       tally[0].harmed + tally[1].harmed);
	return 0;
}
