// SPDX-License-Identifier: GPL-2.0
/*
 * Executes a statically defined probe at 400 places with different operands: a constant of the
 * place, and one of four registers, whose value grows from place to place. Prints these operands.
 */
#include <stdio.h>

#include "sdt.h"

void sites(long a, long b, long c, long d);

asm("	.altmacro\n"
	"	.macro site no, reg\n"
	SDT_PROBE("sdt_sites", "site", "0", "-4@$\\no -8@%\\reg")
	"	add $4, %\\reg\n"
	"	.endm\n"
	"	.text\n"
	"	.type sites, @function\n"
	"sites:\n"
	"	.set no, 0\n"
	"	.rept 100\n"
	"	.irp reg, rdi, rsi, rdx, rcx\n"
	"	site %no, \\reg\n"
	"	.set no, no + 1\n"
	"	.endr\n"
	"	.endr\n"
	"	ret\n"
	"	.size sites, . - sites\n"
	"	.noaltmacro\n");

int main(void)
{
	const int first[] = { -1000, 2000, 3000, 4000 };

	sites(first[0], first[1], first[2], first[3]);
	for (int i = 0; i < 400; i++)
		printf("site: arg1=%d arg2=%d\n", i, first[i % 4] + i / 4 * 4);
	return 0;
}
