// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -fno-builtin
/*
 * A heap with barriers, as some garbage collectors have: pages are protected all the time, and a
 * handler of SIGSEGV notes each access and permits it:
 *
 *	barriers N
 *
 * N times, functions of libc read or write strings there; a thread protects pages meanwhile.
 * Prints a sum of the results. If there are accesses elsewhere, it dies.
 */
#include <stdatomic.h>

#include "puppet.h"

#define PAGES	64

static char *heap;
static atomic_ulong barriers;
static volatile bool over;

static void on_access(int sig, siginfo_t *info, void *context)
{
	char *at = info->si_addr;

	(void)context;
	if (at < heap || at >= heap + PAGES * PAGE) {
		signal(sig, SIG_DFL);
		return;
	}
	barriers++;
	mprotect(heap + ((at - heap) & -PAGE), PAGE, PROT_READ | PROT_WRITE);
}

static void *collect(void *unused)
{
	unsigned int seed = 1;

	(void)unused;
	while (!over) {
		mprotect(heap + rand_r(&seed) % PAGES * PAGE, PAGE, PROT_NONE);
		usleep(100);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	static char stack[1 << 16];
	stack_t aside = { .ss_sp = stack, .ss_size = sizeof(stack) };
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000, sum = 0, i;
	unsigned int seed = 2;
	pthread_t collector;

	heap = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaltstack(&aside, NULL);
	handle(SIGSEGV, on_access, SA_ONSTACK);
	pthread_create(&collector, NULL, collect, NULL);
	for (i = 0; i < n; i++) {
		/* Some strings cross the border of two pages. */
		char *a = heap + rand_r(&seed) % ((PAGES / 2 - 1) * PAGE);
		char *b = heap + PAGES / 2 * PAGE + rand_r(&seed) % ((PAGES / 2 - 1) * PAGE);

		mprotect(heap + ((a - heap) & -PAGE), PAGE, PROT_NONE);
		memset(a, 'a' + i % 26, i % 90);
		a[i % 90] = 0;
		sum += strlen(a) + (strcmp(a, b) < 0);
		strcpy(b, a);
		sum += strnlen(b, 50) + strtoul(b, NULL, 36) + (strchr(b, 'c') == b) + atoi(a);
		sum += !getenv(b);
	}
	over = true;
	pthread_join(collector, NULL);
	printf("%lu %d\n", sum, barriers >= n / 2);
	return 0;
}
