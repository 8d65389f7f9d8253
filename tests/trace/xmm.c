// SPDX-License-Identifier: GPL-2.0
/*
 * Prints a number for each SSE register as "x0=NUMBER x1=NUMBER ...".  Then calls all_set() with
 * these numbers in the registers.
 */
#include <stdio.h>

__asm__(".globl all_set\n.type all_set, @function\nall_set:\n\tnop\n\tret\n.size all_set, . - all_set\n");

#define LOAD(n)	"movsd 8*" #n "(%%rdi), %%xmm" #n "\n\t"

int main(void)
{
	double numbers[16];
	int i;

	for (i = 0; i < 16; i++) {
		numbers[i] = i * 1.25 + 0.5;
		printf("x%d=%g%c", i, numbers[i], i < 15 ? ' ' : '\n');
	}
	fflush(stdout);
	__asm__ volatile("sub $128, %%rsp\n\t"
			 LOAD(0) LOAD(1) LOAD(2) LOAD(3) LOAD(4) LOAD(5) LOAD(6) LOAD(7)
			 LOAD(8) LOAD(9) LOAD(10) LOAD(11) LOAD(12) LOAD(13) LOAD(14) LOAD(15)
			 "call all_set\n\t"
			 "add $128, %%rsp"
			 :
			 : "D"(numbers)
			 : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6",
			   "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", "xmm13", "xmm14",
			   "xmm15");
	return 0;
}
