// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -fno-pic -no-pie
/*
 * A program without room for anything:
 *
 *	hostile_space full	map all of the address space
 *	hostile_space near	map everything within 4 GiB of the text
 *	hostile_space limit	set RLIMIT_AS, so that nothing more can be mapped
 *	hostile_space data	set RLIMIT_DATA, so that there can be no more data
 *	hostile_space maps	have as many mappings as the kernel allows
 *
 * Prints its process ID and "ready".  Then, for each line of input, calls work() 100 times and
 * prints the sum of the results.
 */
#include "puppet.h"
#include <sys/resource.h>

__attribute__((noinline, noclone)) long work(long x)
{
	__asm__ volatile("" : "+r" (x));
	return 3 * x + 1;
}

/* Map all gaps below @limit, the largest pieces first. */
static void fill(unsigned long limit)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
	unsigned long size, at;

	if (limit > 1UL << 40) {
		for (size = 1UL << 46; size >= 4096; size >>= 1) {
			while (mmap(NULL, size, PROT_NONE, flags & ~MAP_FIXED_NOREPLACE, -1, 0) !=
			       MAP_FAILED)
				;
		}
		return;
	}
	for (at = 65536; at < limit; at += 65536)
		mmap((void *)at, 65536, PROT_NONE, flags, -1, 0);
}

static void restrict_to(int resource)
{
	struct rlimit limit = { .rlim_cur = 4096, .rlim_max = RLIM_INFINITY };

	if (setrlimit(resource, &limit))
		exit(5);
}

int main(int argc, char **argv)
{
	static char buffer[4096];
	long i, sum;

	if (argc != 2)
		return 2;
	setvbuf(stdout, buffer, _IOLBF, sizeof(buffer));
	/* Print something now, so that the memory which this needs is mapped before. */
	printf("%d\n", getpid());
	if (!strcmp(argv[1], "full"))
		fill(-1UL);
	else if (!strcmp(argv[1], "near"))
		fill(5UL << 30);
	else if (!strcmp(argv[1], "limit"))
		restrict_to(RLIMIT_AS);
	else if (!strcmp(argv[1], "data"))
		restrict_to(RLIMIT_DATA);
	else if (!strcmp(argv[1], "maps"))
		for (i = 0; mmap(NULL, 4096, i % 2 ? PROT_NONE : PROT_READ,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; i++)
			;
	else
		return 2;
	puts("ready");
	while (wait_line()) {
		for (i = 0, sum = 0; i < 100; i++)
			sum += work(i);
		printf("sum %ld\n", sum);
	}
	return 0;
}
