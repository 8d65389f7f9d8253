// SPDX-License-Identifier: GPL-2.0
/* A program or library with functions of all bindings. It needs no C library. */
#include "attributes.h"

static int counter;

static noinline int local_function(int a)
{
	counter += a;
	return counter * 3;
}

noinline __weak int weak_function(int a)
{
	return a ^ counter;
}

noinline int global_function(int a)
{
	return local_function(a) + weak_function(a);
}

/* On a page of its own, so that the text has several pages. */
noinline __aligned(4096) int far_function(int a)
{
	return global_function(a + 1) - 1;
}

int variable = 42;

#ifdef FREESTANDING
void _start(void)
{
	far_function(1);
	for (;;)
		;
}
#else
int main(int argc, char **argv)
{
	(void)argv;
	return far_function(argc) == 0;
}
#endif
