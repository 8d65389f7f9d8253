// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 *	overlap TIMES
 *
 * For each line of input, calls add() TIMES times, in turns as for one thread and as for many, and
 * prints the sum.  Like the C library, add() jumps over the lock prefix if there is one thread
 * only.
 */
#include "puppet.h"

__asm__(".pushsection .text\n"
	".globl add_locked, add_plain\n"
	ASM_PART(add,
		 "\ttest %esi, %esi\n"
		 "\tje add_plain\n"
		 "add_locked:\n"
		 "\tlock\n"
		 "add_plain:\n"
		 "\taddl $1, (%rdi)\n"
		 "\tmov (%rdi), %eax\n"
		 "\tret\n")
	".popsection\n");

int add(int *to, int locked);

int main(int argc, char **argv)
{
	int i, times = argc == 2 ? atoi(argv[1]) : 1, sum = 0;

	printf("ready\n");
	while (wait_line()) {
		for (i = 0; i < times; i++)
			add(&sum, i & 1);
		printf("sum %d\n", sum);
	}
	return 0;
}
