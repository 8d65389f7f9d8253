// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * For each line of input, calls one() and two() ten times each, and executes three breakpoints of
 * its own, which a handler counts.  Prints all numbers so far.
 */
#include "puppet.h"

extern char own_trap_end[];
static volatile int traps, odd;

PROBED long one(long x)
{
	__asm__ volatile("" : "+r" (x));
	return x + 1;
}

PROBED long two(long x)
{
	__asm__ volatile("" : "+r" (x));
	return x + 2;
}

PROBED void own_trap(void)
{
	__asm__ volatile("int3\n.globl own_trap_end\nown_trap_end:\n" ::: "memory");
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	unsigned long ip = ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];

	traps++;
	if (ip != (unsigned long)own_trap_end)
		odd++;
}

int main(void)
{
	char line[512];
	long sum = 0;
	int i;

	handle(SIGTRAP, on_trap, 0);
	printf("ready\n");
	fflush(stdout);
	/* Read ahead: foreign_races sends lines all the time. */
	while (fgets(line, sizeof(line), stdin)) {
		for (i = 0; i < 10; i++)
			sum += one(i) * two(i);
		for (i = 0; i < 3; i++)
			own_trap();
		printf("sum %ld, %d traps, %d odd\n", sum, traps, odd);
		fflush(stdout);
	}
	return 0;
}
