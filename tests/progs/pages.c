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
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

long work(long x);

/* There is more than a huge page of text before the function, and behind it. */
asm(".text\n"
	".balign 0x200000\n"
	".fill 0x240000, 1, 0xcc\n"
	".globl work\n"
	".type work, @function\n"
	"work:\n"
	"	lea 1(%rdi), %rax\n"
	"	ret\n"
	".size work, . - work\n"
	".fill 0x240000, 1, 0xcc\n");

int main(int argc, char **argv)
{
	long n, sum;

	if (argc > 1 && !strcmp(argv[1], "merge") &&
	    madvise((void *)((unsigned long)work & -4096UL), 4096, MADV_MERGEABLE)) {
		perror("madvise");
		return 2;
	}
	printf("%d\n", getpid());
	fflush(stdout);
	while (scanf("%ld", &n) == 1) {
		for (sum = 0; n > 0; n--)
			sum += work(n);
		printf("%ld\n", sum);
		fflush(stdout);
	}
	return 0;
}
