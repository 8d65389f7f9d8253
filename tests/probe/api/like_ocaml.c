// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -Wl,-E
/*
 * A program that exports the function that identifies OCaml's runtime, but has nothing else of
 * OCaml's.  Prints the result of follows().
 */
#include <stdio.h>

__attribute__((noinline, noclone)) long caml_start_program(long x)
{
	__asm__ volatile("" : "+r" (x));
	return x;
}

__attribute__((noinline, noclone)) long follows(long x)
{
	__asm__ volatile("" : "+r" (x));
	return x + 1;
}

int main(void)
{
	printf("%ld\n", follows(caml_start_program(41)));
	return 0;
}
