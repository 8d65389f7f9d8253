// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -shared -fPIC
/*
 * A library with a function to probe, and a counter of its probes.  It prints nothing.
 */
volatile unsigned short library_counter __attribute__((section(".probes"), aligned(2))) = 0;

__attribute__((noinline)) long library_work(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 5;
}
