// SPDX-License-Identifier: GPL-2.0
/*
 * Passes numbers to functions.
 *
 *	valued TIMES THREADS NUMBER...	each thread calls value(NUMBER), and word(&NUMBER), for each of
 *					them, so many times; TIMES of 0: without an end
 *
 * Then it calls word() with an address in a file that is not in memory, and with a bad one.
 */
#include "puppet.h"

static volatile long seen;

/* A jump has room here. */
PROBED long value(long number)
{
	seen += number;
	seen ^= number;
	return number;
}

PROBED void word(const long *number)
{
	seen += (long)number;
	seen ^= (long)number;
}

static long times;
static int nr;
static char **numbers;

static void *calls(void *unused)
{
	long *number = malloc(nr * sizeof(*number));

	for (int i = 0; i < nr; i++)
		number[i] = strtoull(numbers[i], NULL, 0);
	for (long n = 0; !times || n < times; n++) {
		for (int i = 0; i < nr; i++) {
			value(number[i]);
			word(&number[i]);
		}
	}
	free(number);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread[8];
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), threads;

	if (argc < 3)
		return 2;
	times = atol(argv[1]);
	threads = atoi(argv[2]);
	nr = argc - 3;
	numbers = argv + 3;
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, calls, NULL))
			return 1;
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	word(mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0));
	word((long *)8);
	return 0;
}
