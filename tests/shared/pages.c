// SPDX-License-Identifier: GPL-2.0
// cflags: -no-pie -Wl,-z,max-page-size=0x200000
/*
 * Has text that the kernel may put into a huge page, or share between processes.
 *
 *	pages [merge]
 *
 * Prints its process ID. For each number N on standard input, calls work() N times, and prints the
 * sum of the results.  With "merge", the kernel may merge its text with that of other processes.
 */
#include "puppet.h"

long work(long x);

/* There is more than a huge page of text before the function, and behind it. */
asm(".text\n"
	".balign 0x200000\n"
	".fill 0x240000, 1, 0xcc\n"
	ASM_PART(work, "\tlea 1(%rdi), %rax\n\tret\n")
	".fill 0x240000, 1, 0xcc\n");

int main(int argc, char **argv)
{
	char line[64];
	long n, sum;

	if (argc > 1 && !strcmp(argv[1], "merge") &&
	    madvise((void *)((unsigned long)work & -4096UL), 4096, MADV_MERGEABLE))
		err(2, "madvise");
	printf("%d\n", getpid());
	while (next_line(line, sizeof(line))) {
		for (n = atol(line), sum = 0; n > 0; n--)
			sum += work(n);
		printf("%ld\n", sum);
	}
	return 0;
}
