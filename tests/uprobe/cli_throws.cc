// SPDX-License-Identifier: GPL-2.0
// cflags: -rdynamic
/*
 * Calls a function N times; every other call throws an exception through it. Prints the sum of the
 * results, and how many exceptions it caught.
 */
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

extern "C" __attribute__((noinline, noipa)) int inner(int i)
{
	if (i & 1)
		throw std::runtime_error("thrown");
	return i;
}

extern "C" __attribute__((noinline, noipa)) int outer(int i)
{
	return inner(i) * 2 + 1;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, sum = 0, caught = 0;

	for (int i = 0; i < n; i++) {
		try {
			sum += outer(i);
		} catch (const std::exception &e) {
			caught++;
		}
	}
	printf("%d %d\n", sum, caught);
	return 0;
}
