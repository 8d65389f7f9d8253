// SPDX-License-Identifier: GPL-2.0
// cflags: -O0
/*
 * Calls outer(), which calls middle(), which calls inner(), N times, and prints the sum of the
 * results.  With a second argument, makes one of these calls for each line of input.
 */
#include "puppet.h"

__attribute__((noipa)) static int inner(int i)
{
	return i + 1;
}

__attribute__((noipa)) static int middle(int i)
{
	return inner(i) * 2;
}

__attribute__((noipa)) static int outer(int i)
{
	return middle(i) - 1;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, sum = 0;

	for (int i = 0; i < n; i++) {
		if (argc > 2 && !wait_line())
			break;
		sum += outer(i);
	}
	printf("%d\n", sum);
	return 0;
}
