// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic
/*
 * Grows the heap by brk(), from next to nothing to 256 MiB.  Says how far that went, and what
 * far_off() returned, which is behind a megabyte of text and so nearer to the heap than to
 * where the program begins.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <unistd.h>

#define STEP	(64L << 10)
#define STEPS	4096

long far_off(long x);

__asm__(".pushsection .text\n"
	".skip 1 << 20, 0x90\n"
	".globl far_off\n.type far_off, @function\n"
	"far_off:\n"
	"\tlea 1(%rdi), %rax\n"
	"\tret\n"
	".size far_off, . - far_off\n"
	".popsection\n");

int main(void)
{
	long i, sum = 0;

	for (i = 0; i < STEPS; i++) {
		sum += far_off(i);
		if (sbrk(STEP) == (void *)-1)
			break;
	}
	printf("%ld steps, sum %ld\n", i, sum);
	return 0;
}
