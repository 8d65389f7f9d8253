// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -fno-optimize-sibling-calls
/*
 *	deep_fork DEPTH
 *
 * Recurses to DEPTH, forks there, and returns in both processes.  Each prints from how many calls
 * it has returned.
 */
#include "puppet.h"

static pid_t child;

__attribute__((noinline, noclone)) long descend(long n)
{
	long below = 0;

	if (n > 1)
		below = descend(n - 1);
	else
		child = fork();
	__asm__ volatile("" ::: "memory");
	return below + 1;
}

int main(int argc, char **argv)
{
	long depth;
	int status;

	if (argc != 2)
		return 2;
	depth = descend(atol(argv[1]));
	if (!child) {
		printf("the child returned from %ld calls\n", depth);
		return 3;
	}
	waitpid(child, &status, 0);
	printf("the parent returned from %ld calls, the child's status is %d\n", depth, status);
	return 0;
}
