// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -rdynamic
/*
 *	sheds THREADS
 *
 * Calls work() in THREADS threads all the time.  Another thread lets the kernel discard the pages
 * that hold work(), so that they come from the file again.  Ends after a line, or at the end of its
 * input, and prints how many results were wrong.
 */
#include "puppet.h"
#include <stdatomic.h>

static atomic_bool ending;
static atomic_long wrong;

/* Lies in pages of its own, so that nothing else is discarded. */
__attribute__((noinline, noclone, section("shed"), aligned(4096))) long work(long x)
{
	__asm__ volatile("" : "+r" (x));
	return x * 3 + 1;
}

static void *works(void *data)
{
	long i;

	for (i = 0; !ending; i++) {
		if (work(i) != i * 3 + 1)
			wrong++;
	}
	return data;
}

static void *sheds(void *data)
{
	while (!ending)
		madvise((void *)(uintptr_t)work, 4096, MADV_DONTNEED);
	return data;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t *working = start_threads(threads, works, NULL);
	pthread_t *shedding = start_threads(1, sheds, NULL);

	wait_line();
	ending = 1;
	join_threads(working, threads);
	join_threads(shedding, 1);
	printf("wrong: %ld\n", wrong);
	return 0;
}
