// SPDX-License-Identifier: GPL-2.0
/*
 * The program that the README's examples trace.  It has a function with the parameters that the
 * examples name, and a source line with the variable.  Prints the result of the function.
 */
#include <stdio.h>

struct options {
	int flags;
};

static volatile int total;

__attribute__((noipa))
static int parse(unsigned long size, const char *path, struct options *opts)
{
	int state = size + opts->flags;

	total += path[0];
#line 120 "parser.c"
	total += state;
	return state;
}

int main(void)
{
	struct options opts = { .flags = 5 };

	printf("%d\n", parse(37, "/some/file", &opts));
	return 0;
}
