// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Calls a function that begins with a nop of ten bytes, which the kernel's own uprobes may replace
 * by a call.  Prints "ready".  For each line of standard input, calls the function ten times, and
 * prints the sum of everything that it has returned.
 */
#include "puppet.h"

long nops(long x);

asm(".text\n"
	".balign 16\n"
	ASM_PART(nops,
		 "	.byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00\n"
		 "	lea 3(%rdi), %rax\n"
		 "	ret\n"));

int main(void)
{
	long sum = 0;
	int i;

	printf("ready\n");
	while (wait_line()) {
		for (i = 0; i < 10; i++)
			sum += nops(i);
		printf("sum %ld\n", sum);
	}
	return 0;
}
