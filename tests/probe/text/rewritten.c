// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -pthread
/*
 *	rewritten TIMES
 *
 * Rewrites the operand of the first instruction of amount(), so often, as a linker or a compiler of
 * code at run time does: its page is not executable meanwhile.  Threads call amount() all the time;
 * when its page is not executable, they try again.  Prints how many results were wrong, and the
 * number of calls.
 */
#include "puppet.h"
#include <stdatomic.h>

#define THREADS	3

asm(".text\n"
	".balign 4096\n"
	ASM_PART(amount, "\tmov $5, %eax\n\tret\n")
	".balign 4096\n");

int amount(void);

static atomic_int stop, wrong;
static atomic_long calls;

static void try_again(int sig)
{
	(void)sig;
}

static void *thread(void *unused)
{
	(void)unused;
	while (!stop) {
		int n = amount();

		wrong += n != 5 && n != 6;
		calls++;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long times = argc > 1 ? atol(argv[1]) : 1;
	struct sigaction action = { .sa_handler = try_again };
	pthread_t *threads;

	sigaction(SIGSEGV, &action, NULL);
	threads = start_threads(THREADS, thread, NULL);
	for (long i = 0; i < times; i++) {
		mprotect(amount, PAGE, PROT_READ | PROT_WRITE);
		((unsigned char *)amount)[1] ^= 5 ^ 6;
		mprotect(amount, PAGE, PROT_READ | PROT_EXEC);
		wrong += amount() != (i % 2 ? 5 : 6);
		calls++;
	}
	stop = 1;
	join_threads(threads, THREADS);
	printf("%d wrong, %ld calls\n", wrong, calls);
	return 0;
}
