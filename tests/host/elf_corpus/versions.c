// SPDX-License-Identifier: GPL-2.0
/* A library with two versions of one function, and only the old version of another. */
#include "attributes.h"

noinline int twice_v1(int a)
{
	return a + a;
}

noinline int twice_v2(int a)
{
	return a << 1;
}

noinline int only_old(int a)
{
	return a + 7;
}

int unversioned(int a)
{
	return a - 7;
}

__asm__(".symver twice_v1, twice@LIB_1");
__asm__(".symver twice_v2, twice@@LIB_2");
__asm__(".symver only_old, gone@LIB_1");
