// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -fno-optimize-sibling-calls
/*
 *	enters DEPTH
 *
 * Calls probed_deep() to this depth, and prints how many calls have returned.  At half the depth it
 * stops, as by SIGSTOP.  From then on it needs no more memory for itself.
 */
#include "puppet.h"
#include <alloca.h>

/* More than the frame of a call takes. */
#define FRAME	64

static long half;

PROBED long probed_deep(long n)
{
	long below = 0;

	if (n == half)
		raise(SIGSTOP);
	if (n > 1)
		below = probed_deep(n - 1);
	__asm__ volatile("" ::: "memory");
	return below + 1;
}

static __attribute__((noinline)) void touch(size_t bytes)
{
	char *area = alloca(bytes);

	memset(area, 0, bytes);
	__asm__ volatile("" :: "r" (area) : "memory");
}

int main(int argc, char **argv)
{
	long depth = argc == 2 ? atol(argv[1]) : 0;

	if (depth < 2)
		return fprintf(stderr, "usage: enters DEPTH\n"), 2;
	half = depth / 2;
	touch(depth * FRAME);
	printf("%ld returned\n", probed_deep(depth));
	return 0;
}
