// SPDX-License-Identifier: GPL-2.0
/*
 * Calls edge_1() to edge_9(), each one instruction of ten bytes, of which so many lie
 * before the end of a page, and prints what they return.
 */
#include <stdint.h>
#include <stdio.h>

#define EDGE(n)	".p2align 12\n.skip 4096 - " #n "\n"				\
	".globl edge_" #n "\n.type edge_" #n ", @function\nedge_" #n ":\n"	\
	"\tmovabs $0x1122334455667700 + " #n ", %rax\n\tret\n"		\
	".size edge_" #n ", . - edge_" #n "\n"

__asm__(".pushsection .text\n"
	EDGE(1) EDGE(2) EDGE(3) EDGE(4) EDGE(5) EDGE(6) EDGE(7) EDGE(8) EDGE(9)
	".popsection");

#define CALL(n) do {								\
	uint64_t edge_##n(void);						\
										\
	printf("%llx\n", (unsigned long long)edge_##n());			\
} while (0)

int main(void)
{
	CALL(1);
	CALL(2);
	CALL(3);
	CALL(4);
	CALL(5);
	CALL(6);
	CALL(7);
	CALL(8);
	CALL(9);
	return 0;
}
