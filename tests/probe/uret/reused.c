// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -fno-optimize-sibling-calls
/*
 * Starts threads that end within a call, then threads that wait in a call on the same stacks, which
 * they enter from elsewhere.  Prints "waiting" when all of them wait, and waits for a line.  Then
 * prints the results of the calls, and on how many stacks both calls were at the same place.
 */
#include "puppet.h"

#define THREADS		16
#define STACK_SIZE	(256 << 10)

static pthread_barrier_t all_waiting, go_on;
static void *ended_at[THREADS], *waited_at[THREADS];

PROBED long probed_end(long number)
{
	ended_at[number] = __builtin_frame_address(0);
	syscall(SYS_exit, 0);
	return -1;
}

PROBED long probed_wait(long number)
{
	waited_at[number] = __builtin_frame_address(0);
	pthread_barrier_wait(&all_waiting);
	pthread_barrier_wait(&go_on);
	return number;
}

static void *ends(void *number)
{
	return (void *)(probed_end((long)number) + 1000);
}

static void *waits(void *number)
{
	return (void *)(probed_wait((long)number) + 1);
}

static pthread_t start(void *(*function)(void *), long number, void *stack)
{
	pthread_attr_t attr;
	pthread_t thread;

	if (pthread_attr_init(&attr) || pthread_attr_setstack(&attr, stack, STACK_SIZE) ||
	    pthread_create(&thread, &attr, function, (void *)number))
		err(1, "thread");
	pthread_attr_destroy(&attr);
	return thread;
}

int main(void)
{
	char *stacks = mmap(NULL, THREADS * STACK_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t threads[THREADS];
	int same = 0;
	long i;

	if (stacks == MAP_FAILED)
		err(1, "stacks");
	pthread_barrier_init(&all_waiting, NULL, THREADS + 1);
	pthread_barrier_init(&go_on, NULL, THREADS + 1);
	for (i = 0; i < THREADS; i++)
		threads[i] = start(ends, i, stacks + i * STACK_SIZE);
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < THREADS; i++)
		threads[i] = start(waits, i, stacks + i * STACK_SIZE);
	pthread_barrier_wait(&all_waiting);
	puts("waiting");
	wait_line();
	pthread_barrier_wait(&go_on);
	for (i = 0; i < THREADS; i++) {
		void *result;

		pthread_join(threads[i], &result);
		printf("%ld\n", (long)result);
		same += ended_at[i] == waited_at[i];
	}
	printf("%d places were used again\n", same);
	return 0;
}
