// SPDX-License-Identifier: GPL-2.0
/* Compiled several times under different names: each has its own init(). */
static volatile int state;

__attribute__((noinline, noipa)) static int init(int a)
{
	state += a + NUMBER;
	return state;
}

int ENTRY(int a)
{
	return init(a);
}
