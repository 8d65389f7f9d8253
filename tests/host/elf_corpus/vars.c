// SPDX-License-Identifier: GPL-2.0
/* Parameters, members and inlined copies. elf_vars uses the functions and lines. */
#include <stdio.h>
#include <string.h>

struct inner {
	unsigned int three : 3;
	unsigned int seven : 7;
	short s;
};

struct thing {
	int x;
	long y;
	const char *name;
	struct inner inner;
	int array[4];
	union {
		int anonymous;
	};
	struct thing *next;
};

int plain_global;
static int file_global = 3;

static inline __attribute__((always_inline)) int tiny(int value)
{
	if (value > 3)		/* line of the copies */
		file_global += value;
	return value * 2;
}

__attribute__((noinline)) int work(struct thing *thing, unsigned char c,
				   char *text, double d, long n)
{
	char local[16];

	snprintf(local, sizeof(local), "%s%c", text, c);
	plain_global += tiny(n);
	printf("%s %f\n", local, d);	/* line of a call */
	return strlen(local) + thing->inner.seven;
}

__attribute__((noinline)) int second(int a)
{
	return tiny(a) + plain_global;
}

/* Passed in two registers, like a string of Go. */
struct counted {
	const char *str;
	long len;
};

__attribute__((noinline)) long greet(struct counted name)
{
	printf("%.*s\n", (int)name.len, name.str);
	return name.len;
}

int main(int argc, char **argv)
{
	struct counted name = { argv[0], strlen(argv[0]) };
	struct thing thing = { .x = argc };

	greet(name);
	return work(&thing, 'c', argv[0], 1.5, argc) + second(argc) == 99;
}
