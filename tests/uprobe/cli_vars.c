// SPDX-License-Identifier: GPL-2.0
/* Prints the values of its parameters and variables at the places where a tracer must show them. */
#include "puppet.h"

struct thing {
	int x;
	unsigned int three : 3;
	unsigned int seven : 7;
	const char *name;
	short array[4];
	struct thing *next;
};

static long total;

static inline __attribute__((always_inline)) int twice(int value)
{
	total += value;		/* line of the copies */
	return value * 2;
}

/* Not optimized, so the parameters are in memory, but not yet at the entry. */
__attribute__((noinline, optimize("O0")))
static int slow(struct thing *thing, char c, unsigned short u, const char *text)
{
	int sum = thing->x + u;

	printf("slow: x=%d three=%u seven=%u name=\"%s\" array_3=%d next=%d c='%c' u=%u text=\"%s\"\n",
	       thing->x, thing->three, thing->seven, thing->name,
	       thing->array[3], thing->next->x, c, u, text);
	return sum;		/* line with locals */
}

__attribute__((noipa))
static int fast(struct thing *thing, long n, const char *text)
{
	printf("fast: x=%d n=%ld text=\"%s\" total=%ld\n", thing->x, n, text,
	       total);
	return twice(n) + strlen(text);
}

__attribute__((noipa))
static int other(int n)
{
	printf("other: n=%d\n", n);
	return twice(n + 1);
}

int main(void)
{
	struct thing second = { .x = -7 };
	struct thing first = {
		.x = 5, .three = 6, .seven = 99, .name = "first thing",
		.array = { 1, 2, 3, -4 }, .next = &second,
	};
	int sum = 0;

	for (int i = 0; i < 3; i++) {
		first.x += i;
		sum += slow(&first, 'a' + i, 65535 - i, "some text");
		sum += fast(&first, 1000000000000l + i, "other text");
		sum += other(i);
	}
	printf("sum: %d\n", sum);
	return 0;
}
