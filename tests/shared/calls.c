// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -fno-optimize-sibling-calls -rdynamic -Wno-infinite-recursion
/*
 * Calls functions that can be probed, and prints results that tell how often it called each:
 *
 *	calls [-w] THING [NUMBER...]
 *
 * With -w, the program first prints "PID ADDRESS" (of the function that THING calls), then waits
 * for a line on standard input.  The results go to standard output, and are the same whether the
 * program is probed or not.
 */
#include "puppet.h"
#include <poll.h>
#include <stdatomic.h>

static long sum;

PROBED long work(long x)
{
	return x * 3 + 1;
}

static void *work_thread(void *arg)
{
	long n = (long)arg, mine = 0, i;

	for (i = 0; i < n; i++)
		mine += work(i);
	__atomic_add_fetch(&sum, mine, __ATOMIC_RELAXED);
	return NULL;
}

/* THREADS CALLS: call work() CALLS times in each of THREADS threads. */
static void threads(long nr, long calls)
{
	join_threads(start_threads(nr, work_thread, (void *)calls), nr);
	printf("sum of work %ld\n", sum);
}

static jmp_buf out;
static int leaving;

PROBED long deep(long n)
{
	long below;

	if (!n && leaving)
		longjmp(out, 1);
	if (!n)
		return 0;
	below = deep(n - 1);
	__asm__ volatile("" ::: "memory");
	return below + 1;
}

static __attribute__((noinline)) void overwrite(size_t bytes)
{
	char *area = alloca(bytes);

	memset(area, 0, bytes);
	__asm__ volatile("" ::"r"(area) : "memory");
}

/*
 * DEPTH MORE: call deep() down to 0, leave these calls by longjmp(), and overwrite the stack where
 * they were.  More than a second later, call deep(MORE), whose calls return.
 */
static void leaves(long depth, long more)
{
	leaving = 1;
	if (!setjmp(out))
		deep(depth);
	leaving = 0;
	overwrite((size_t)depth * 64);
	usleep(1500000);
	printf("deep %ld\n", deep(more));
}

/* The innermost call leaves all of them by longjmp(). */
PROBED void thrower(long n)
{
	if (!n)
		longjmp(out, 1);
	thrower(n - 1);
	__asm__ volatile("" ::: "memory");
}

static void jumps(long times, long depth)
{
	volatile long i;

	for (i = 0; i < times; i++) {
		if (!setjmp(out))
			thrower(depth);
	}
	printf("jumped %ld times\n", i);
}

PROBED long forker(long vfork_too)
{
	pid_t pid;
	int status;

	pid = vfork_too ? vfork() : fork();
	if (!pid && vfork_too)
		_exit(work(1) - 1);
	if (!pid)
		return -1;
	waitpid(pid, &status, 0);
	return WEXITSTATUS(status);
}

/*
 * TIMES: fork() inside the probed function, from which the child returns, too.  Each child calls
 * work() once, and so does the child of one vfork().
 */
static void forks(long times)
{
	long i, total = 0;

	for (i = 0; i < times; i++) {
		long status = forker(0);

		if (status < 0)
			_exit(work(1));
		total += status;
	}
	printf("children returned %ld\n", total);
	printf("vfork child returned %ld\n", forker(1));
}

static atomic_long sleeping;
static int held;

/* With -w, sleep until the next line of input; else for so many milliseconds. */
PROBED long sleeper(long milliseconds)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };

	atomic_fetch_add(&sleeping, 1);
	if (held)
		poll(&in, 1, -1);
	else
		usleep(milliseconds * 1000);
	return milliseconds;
}

static void *sleeper_thread(void *arg)
{
	return (void *)sleeper((long)arg);
}

/* THREADS NUMBER: let so many threads sleep inside the probed function, which returns NUMBER. */
static void sleepers(long nr, long milliseconds)
{
	pthread_t *t = calloc(nr, sizeof(*t));
	pthread_attr_t attr;
	long i, total = 0;
	void *ret;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (i = 0; i < nr; i++)
		pthread_create(&t[i], &attr, sleeper_thread, (void *)milliseconds);
	while (atomic_load(&sleeping) < nr)
		usleep(10000);
	printf("all sleep\n");
	fflush(stdout);
	for (i = 0; i < nr; i++) {
		pthread_join(t[i], &ret);
		total += (long)ret;
	}
	if (held)
		wait_line();
	printf("slept %ld\n", total);
}

struct thing {
	const char *name;
	void *probed;
};

static const struct thing things[] = {
	{ "threads", work },
	{ "deep", deep },
	{ "jumps", thrower },
	{ "forks", forker },
	{ "sleepers", sleeper },
	{ "leaves", deep },
};

static long number(char **argv, int i)
{
	return argv[i] ? atol(argv[i]) : 0;
}

int main(int argc, char **argv)
{
	size_t i;

	held = argc > 1 && !strcmp(argv[1], "-w");
	argv += 1 + held;
	for (i = 0; argv[0] && i < sizeof(things) / sizeof(things[0]); i++) {
		if (!strcmp(argv[0], things[i].name))
			break;
	}
	if (!argv[0] || i == sizeof(things) / sizeof(things[0]))
		errx(2, "usage: calls [-w] threads|deep|jumps|forks|sleepers|leaves NUMBER...");
	if (held) {
		printf("%d %p\n", getpid(), things[i].probed);
		wait_line();
	}
	switch (i) {
	case 0:
		threads(number(argv, 1), number(argv, 2));
		break;
	case 1:
		printf("depth %ld\n", deep(number(argv, 1)));
		break;
	case 2:
		jumps(number(argv, 1), number(argv, 2));
		break;
	case 3:
		forks(number(argv, 1));
		break;
	case 4:
		sleepers(number(argv, 1), number(argv, 2));
		break;
	case 5:
		leaves(number(argv, 1), number(argv, 2));
		break;
	}
	if (held)
		wait_line();
	return 0;
}
