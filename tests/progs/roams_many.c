// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -pthread -fno-optimize-sibling-calls
/*
 *	roams_many THREADS DEPTH [away]
 *
 * So many threads are so deep in calls of probed_deep() when the first thread returns from a call
 * of probed_pause() that another has entered.  With "away", the calls of probed_deep() are a
 * coroutine's as well, and the first thread returns from all of them.  Prints what came of it.
 */
#include <err.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_SIZE	(64UL << 20)

struct branch {
	pthread_t thread;
	ucontext_t inside, outside;
	long depth, sum;
};

static ucontext_t coroutine, resumer;
static pthread_barrier_t deep, resumed;
static struct branch *branches;
static long paused;
static bool away;

static __attribute__((noipa)) long probed_deep(long n, struct branch *branch)
{
	if (!n && away)
		swapcontext(&branch->inside, &branch->outside);
	if (!n && !away) {
		pthread_barrier_wait(&deep);
		pthread_barrier_wait(&resumed);
	}
	return n ? probed_deep(n - 1, branch) + (n & 3) : 0;
}

static __attribute__((noipa)) long probed_pause(long x)
{
	swapcontext(&coroutine, &resumer);
	return 2 * x;
}

static void pause_once(void)
{
	paused = probed_pause(21);
	swapcontext(&coroutine, &resumer);
}

static void *new_stack(void)
{
	void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (stack == MAP_FAILED)
		err(2, "mmap");
	return stack;
}

static void *begin_pause(void *unused)
{
	(void)unused;
	swapcontext(&resumer, &coroutine);
	return NULL;
}

static void deep_inside(int i)
{
	struct branch *branch = &branches[i];

	branch->sum = probed_deep(branch->depth, branch);
	swapcontext(&branch->inside, &branch->outside);
}

static void *go_deep(void *arg)
{
	struct branch *branch = arg;

	if (!away) {
		branch->sum = probed_deep(branch->depth, branch);
		return NULL;
	}
	getcontext(&branch->inside);
	branch->inside.uc_stack.ss_sp = new_stack();
	branch->inside.uc_stack.ss_size = STACK_SIZE;
	makecontext(&branch->inside, (void (*)(void))deep_inside, 1, (int)(branch - branches));
	swapcontext(&branch->outside, &branch->inside);
	pthread_barrier_wait(&deep);
	pthread_barrier_wait(&resumed);
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc >= 3 ? atol(argv[1]) : 0, depth = argc >= 3 ? atol(argv[2]) : 0;
	pthread_attr_t attr;
	pthread_t first;

	away = argc == 4 && !strcmp(argv[3], "away");
	if (threads < 1 || depth < 1 || argc > 3 + away)
		errx(2, "usage: roams_many THREADS DEPTH [away]");
	branches = calloc((size_t)threads, sizeof(*branches));
	pthread_barrier_init(&deep, NULL, (unsigned int)threads + 1);
	pthread_barrier_init(&resumed, NULL, (unsigned int)threads + 1);

	getcontext(&coroutine);
	coroutine.uc_stack.ss_sp = new_stack();
	coroutine.uc_stack.ss_size = STACK_SIZE;
	makecontext(&coroutine, pause_once, 0);
	pthread_create(&first, NULL, begin_pause, NULL);
	pthread_join(first, NULL);

	pthread_attr_init(&attr);
	for (long i = 0; i < threads; i++) {
		branches[i].depth = depth + i;
		pthread_attr_setstack(&attr, new_stack(), STACK_SIZE);
		if (pthread_create(&branches[i].thread, &attr, go_deep, &branches[i]))
			errx(2, "no thread");
	}
	pthread_barrier_wait(&deep);
	swapcontext(&resumer, &coroutine);
	printf("paused %ld\n", paused);
	for (long i = 0; away && i < threads; i++)
		swapcontext(&branches[i].outside, &branches[i].inside);
	pthread_barrier_wait(&resumed);
	for (long i = 0; i < threads; i++) {
		pthread_join(branches[i].thread, NULL);
		printf("thread %ld: %ld\n", i, branches[i].sum);
	}
	return 0;
}
