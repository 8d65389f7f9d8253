// SPDX-License-Identifier: GPL-2.0
/* Compiled several times under different file names. Each object file has its own init(). */
#include "attributes.h"

static volatile int state;

noinline __attribute__((noipa)) static int init(int a)
{
	state += a + NUMBER;
	return state;
}

int ENTRY(int a)
{
	return init(a);
}
