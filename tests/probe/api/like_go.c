// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * A program with the note that identifies programs of the Go linker, but with nothing else of Go's.
 * Prints the result of goes().
 */
#include <stdio.h>

__asm__(".pushsection .note.go.buildid, \"a\", @note\n"
	".balign 4\n"
	".long 4, 4, 4\n"
	".asciz \"Go\\0\"\n"
	".ascii \"none\"\n"
	".popsection\n");

__attribute__((noinline, noclone)) long goes(long x)
{
	__asm__ volatile("" : "+r" (x));
	return x + 1;
}

int main(void)
{
	printf("%ld\n", goes(41));
	return 0;
}
