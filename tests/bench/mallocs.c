// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * A program that others trace: calls malloc() CALLS times, and writes into a file how many
 * nanoseconds of processor time that took, in the program and in the kernel.
 *
 *	mallocs CALLS FILE
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

static volatile size_t used;

static unsigned long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
	return (unsigned long long)time.tv_sec * 1000000000 + (unsigned long long)time.tv_nsec;
}

int main(int argc, char **argv)
{
	long calls = argc > 2 ? atol(argv[1]) : 0;
	unsigned long long begun = now();
	FILE *out;

	for (long i = 0; i < calls; i++) {
		void *p = malloc((size_t)i % 1000 + 1);

		used += (size_t)p;
		free(p);
	}
	begun = now() - begun;
	out = argc > 2 ? fopen(argv[2], "w") : NULL;
	if (!out)
		return 1;
	fprintf(out, "%llu\n", begun);
	return fclose(out);
}
