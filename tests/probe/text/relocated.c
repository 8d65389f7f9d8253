// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -fPIE -pie -Wl,-z,notext
/*
 * Has a relocation in its text: ld.so writes the operand of the first instruction of get() after it
 * has mapped the text. Prints what get() returns, three times.
 */
#include <stdio.h>

int get(void);
__asm__(".pushsection .data\n"
	"table:	.int 42\n"
	".popsection\n"
	".globl get\n"
	".type get, @function\n"
	"get:	movabs $table, %rax\n"
	"	mov (%rax), %eax\n"
	"	ret\n"
	".size get, . - get\n");

int main(void)
{
	printf("%d", get());
	printf(" %d", get());
	printf(" %d\n", get());
	return 0;
}
