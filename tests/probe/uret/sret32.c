// SPDX-License-Identifier: GPL-2.0
// cflags: -m32 -Itests/shared/m32 -isystem /usr/include/x86_64-linux-gnu -nostdlib -fpie -pie
// cflags: -O1 -rdynamic tests/shared/m32/start.S
// cflags: /usr/lib32/libc.so.6 -Wl,--dynamic-linker=/lib/ld-linux.so.2
/*
 *	sret32 TIMES
 *
 * Calls two functions that pop arguments by their return, TIMES times each, and prints the sums of
 * their results.  One returns a structure, and takes the pointer to it off the stack by "ret $4".
 * The other takes twelve bytes off.
 */
#include "puppet.h"

struct quad {
	long part[4];
};

__attribute__((noinline, noclone)) struct quad make(long n)
{
	struct quad q = { { n, n + 1, n + 2, n + 3 } };

	__asm__ volatile("" ::: "memory");
	return q;
}

__attribute__((noinline, noclone, stdcall)) long three(long a, long b, long c)
{
	__asm__ volatile("" ::: "memory");
	return a + b * c;
}

int main(int argc, char **argv)
{
	long i, times = argc == 2 ? atol(argv[1]) : 0, sum = 0, threes = 0;

	for (i = 0; i < times; i++) {
		struct quad q = make(i);

		sum += q.part[0] + 2 * q.part[1] + 3 * q.part[2] + 4 * q.part[3];
		threes += three(i, i + 1, 2);
	}
	printf("sum %ld, threes %ld\n", sum, threes);
	return 0;
}
