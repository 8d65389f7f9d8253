// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -no-pie -fcf-protection=branch -pthread
/*
 *	arena [replace]
 *
 * Calls fn() in two threads, waits for a line on standard input, and maps memory from behind its
 * heap to 2 GiB, while the threads go on: with MAP_FIXED_NOREPLACE, or with MAP_FIXED. Prints how many
 * pieces it did not get, and how many results were wrong.
 */
#include "puppet.h"
#include <stdatomic.h>

#define THREADS 2
#define PIECE (1L << 20)

static atomic_bool stop;

__attribute__((noinline)) long fn(long a)
{
	__asm__ volatile("" ::: "memory");
	return a * 3 + 1;
}

static void *call(void *unused)
{
	long wrong = 0, i = 0;

	/* While nobody waits, more would trap while the jump is being written than it is worth. */
	for (; !stop; i++) {
		wrong += fn(i) != i * 3 + 1;
		if (!(i % 5000))
			usleep(1000);
	}
	for (i = 0; i < 1000; i++)
		wrong += fn(i) != i * 3 + 1;
	return (void *)wrong;
}

int main(int argc, char **argv)
{
	int flag = argc > 1 ? MAP_FIXED : MAP_FIXED_NOREPLACE, lost = 0;
	pthread_t *threads = start_threads(THREADS, call, NULL);
	long at;

	wait_line();
	/* The heap may still grow a little. */
	for (at = ((long)sbrk(0) + 16 * PIECE) & -PIECE; at < 2047 * PIECE; at += PIECE) {
		char *got = mmap((void *)at, PIECE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flag, -1, 0);

		lost += got != (char *)at;
	}
	stop = 1;
	printf("%d pieces lost, %ld wrong\n", lost, join_threads(threads, THREADS));
	return 0;
}
