// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -pthread -fno-optimize-sibling-calls
/*
 *	roams_many THREADS DEPTH
 *
 * So many threads are so deep in calls of probed_deep() when the first thread returns from a call
 * of probed_pause() that another has entered.  Prints what came of it.
 */
#include <err.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_SIZE	(64UL << 20)

static ucontext_t coroutine, resumer;
static pthread_barrier_t deep, resumed;
static long paused;

static __attribute__((noipa)) long probed_deep(long n)
{
	if (!n) {
		pthread_barrier_wait(&deep);
		pthread_barrier_wait(&resumed);
		return 0;
	}
	return probed_deep(n - 1) + (n & 3);
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

static void *go_deep(void *depth)
{
	return (void *)probed_deep((long)depth);
}

int main(int argc, char **argv)
{
	long threads = argc == 3 ? atol(argv[1]) : 0, depth = argc == 3 ? atol(argv[2]) : 0;
	pthread_t *thread, first;
	pthread_attr_t attr;
	void *sum;

	if (threads < 1 || depth < 1)
		errx(2, "usage: roams_many THREADS DEPTH");
	thread = calloc((size_t)threads, sizeof(*thread));
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
		pthread_attr_setstack(&attr, new_stack(), STACK_SIZE);
		if (pthread_create(&thread[i], &attr, go_deep, (void *)(depth + i)))
			errx(2, "no thread");
	}
	pthread_barrier_wait(&deep);
	swapcontext(&resumer, &coroutine);
	printf("paused %ld\n", paused);
	pthread_barrier_wait(&resumed);
	for (long i = 0; i < threads; i++) {
		pthread_join(thread[i], &sum);
		printf("thread %ld: %ld\n", i, (long)sum);
	}
	return 0;
}
