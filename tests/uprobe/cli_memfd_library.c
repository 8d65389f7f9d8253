// SPDX-License-Identifier: GPL-2.0
// cflags: -shared -fPIC
/* A library with one probe, to be loaded from memory. */
#include "sdt.h"

void fire(long n, const char *text);

__attribute__((noipa)) void fire(long n, const char *text)
{
	asm volatile(SDT_PROBE("memory", "fired", "0", "-8@%%rdi 8@%%rsi")
		     : : "D" (n), "S" (text));
}
