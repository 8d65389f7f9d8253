// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic
/*
 * Text that cannot be probed, under symbols that say why.  "oddtext -w" prints
 * its pid and waits for a line on standard input.
 */
#include <stdio.h>
#include <unistd.h>

__asm__(".pushsection .text\n"
	".globl breakpoint\n.type breakpoint, @function\n"
	"breakpoint:\n\tint3\n\tret\n"
	".globl undefined\n.type undefined, @function\n"
	"undefined:\n\t.byte 0x06, 0x06\n\tret\n"
	".globl enclave\n.type enclave, @function\n"
	"enclave:\n\t.byte 0x0f, 0x01, 0xd7\n\tret\n"
	".popsection\n");

int main(void)
{
	printf("%d %p\n", getpid(), (void *)main);
	fflush(stdout);
	getchar();
	return 0;
}
