// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -pthread
/*
 * A program with statically defined probes.  The compiler chose their operands (registers, memory
 * and constants), as sys/sdt.h lets it.
 *
 *	cli_sdt N		execute each probe N times
 *	cli_sdt counter		for each line of input, print how many tracers the
 *				probe "counted" has, and execute that probe if it
 *				has any
 */
#include "puppet.h"
#include "sdt.h"

/* The size of a value, negative for an unsigned type: %n prints it negated. */
#define SIGNED_SIZE(x) \
	((__typeof__(x))-1 < (__typeof__(x))1 ? (int)sizeof(x) : -(int)sizeof(x))

#define PROBE3(provider, name, a, b, c)					\
	asm volatile(SDT_PROBE(provider, name, "0",			\
			       "%n[size0]@%[arg0] %n[size1]@%[arg1] %n[size2]@%[arg2]") \
		     :: [size0] "n" (SIGNED_SIZE(a)), [arg0] "nor" (a), \
			[size1] "n" (SIGNED_SIZE(b)), [arg1] "nor" (b), \
			[size2] "n" (SIGNED_SIZE(c)), [arg2] "nor" (c))

struct request {
	long id;
	const char *path;
};

/* Lies in .bss, which is not in the file: the operand is an address relative to the probe's. */
static int served;

static void __attribute__((noinline)) serve(const struct request *request,
					    short status, unsigned char flag)
{
	served++;
	asm volatile(SDT_PROBE("corpus", "served", "0", "-4@%[served]") :: [served] "m" (served));
	PROBE3("corpus", "request", request, status, flag);
	if (flag)
		PROBE3("corpus", "flagged", request->id, request->path, 7);
}

/* Execute the same probe twice, with its arguments in other places each time. */
static long __attribute__((noinline)) both(long a, int b)
{
	volatile int in_memory = b;

	PROBE3("corpus", "both", a, b, 1);
	a = a * 3 + b;
	PROBE3("corpus", "both", a, in_memory, 2);
	return a;
}

/* The counter of a probe that costs nothing unless somebody traces it. */
unsigned short counted_semaphore __attribute__((section(".probes"), used));

static void watch_counter(void)
{
	char line[64];

	while (next_line(line, sizeof(line))) {
		volatile unsigned short *counter = &counted_semaphore;

		printf("%u\n", *counter);
		if (*counter)
			asm volatile(SDT_PROBE("corpus", "counted", "counted_semaphore", "8@%[line]")
				     :: [line] "r" (line));
	}
}

int main(int argc, char **argv)
{
	struct request request = { .id = 4711, .path = "/index.html" };
	int n = argc > 1 ? atoi(argv[1]) : 1;

	if (argc > 1 && !strcmp(argv[1], "counter")) {
		watch_counter();
		return 0;
	}
	for (int i = 0; i < n; i++) {
		serve(&request, -404, i & 1);
		both(1000 + i, -i);
	}
	return 0;
}
