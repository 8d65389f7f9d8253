// SPDX-License-Identifier: GPL-2.0
/* Functions that the compiler copies or splits: constprop, isra, part, cold. */
#include "attributes.h"

void abort(void);
int putchar(int c);

static noinline __cold void complain(int c)
{
	putchar(c);
	abort();
}

static noinline int scaled(int a, int factor)
{
	int s = 0;

	for (int i = 0; i < a; i++)
		s += putchar(i * factor) * factor;
	return s;
}

noinline int rare(int a)
{
	if (a > 1000) {
		complain('a');
		putchar('b');
	}
	return a + 1;
}

int main(int argc, char **argv)
{
	(void)argv;
	return scaled(argc, 4) + scaled(argc + 1, 4) + rare(argc);
}
