// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Calls a function that begins with a nop of ten bytes, which the kernel's own uprobes may replace
 * by a call.  Prints "ready".  For each line of standard input, calls the function ten times, and
 * prints the sum of everything that it has returned.
 */
#include <stdio.h>

long nops(long x);

asm(".text\n"
	".balign 16\n"
	".globl nops\n"
	".type nops, @function\n"
	"nops:\n"
	"	.byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00\n"
	"	lea 3(%rdi), %rax\n"
	"	ret\n"
	".size nops, . - nops\n");

int main(void)
{
	char line[64];
	long sum = 0;
	int i;

	setlinebuf(stdout);
	printf("ready\n");
	while (fgets(line, sizeof(line), stdin)) {
		for (i = 0; i < 10; i++)
			sum += nops(i);
		printf("sum %ld\n", sum);
	}
	return 0;
}
