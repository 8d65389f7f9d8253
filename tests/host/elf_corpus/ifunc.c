// SPDX-License-Identifier: GPL-2.0
/* A library with a function that a resolver selects when the library is loaded. */
#include "attributes.h"

static noinline int pick_fast(int a)
{
	return a * 2;
}

static noinline int pick_slow(int a)
{
	return a + a;
}

static int (*resolve_pick(void))(int)
{
	__builtin_cpu_init();
	return __builtin_cpu_supports("avx2") ? pick_fast : pick_slow;
}

int pick(int a) __attribute__((ifunc("resolve_pick")));

int caller(int a)
{
	return pick(a);
}
