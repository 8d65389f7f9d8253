// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -fno-optimize-sibling-calls
/*
 * Calls probed_call() at the same place of 16 stacks from two threads.
 *
 * On each stack, the first thread enters a call and leaves it by a jump.  The second thread enters
 * a call from elsewhere and suspends it there.  On every other stack, the second thread then ends.
 * A third thread continues the suspended calls.
 *
 * Prints "suspended" and waits for a line before the third thread starts.  Then prints the results
 * of the calls, and on how many stacks both calls were at the same place.
 */
#include "puppet.h"

#define STACKS		16
#define STACK_SIZE	(64 << 10)

struct shared_stack {
	ucontext_t first, second;
	ucontext_t *back;
	void *left_at, *suspended_at;
	long result;
	char *memory;
};

static struct shared_stack stacks[STACKS];
static pthread_barrier_t step, end;

PROBED long probed_call(struct shared_stack *s, int leaves)
{
	if (leaves) {
		s->left_at = __builtin_frame_address(0);
		setcontext(s->back);
	}
	s->suspended_at = __builtin_frame_address(0);
	swapcontext(&s->second, s->back);
	return s - stacks;
}

static void enter_first(int number)
{
	struct shared_stack *s = &stacks[number];

	s->result = probed_call(s, 1) + 1000;
	setcontext(s->back);
}

static void enter_second(int number)
{
	struct shared_stack *s = &stacks[number];

	s->result = probed_call(s, 0) + 1;
	setcontext(s->back);
}

static void go_to(struct shared_stack *s, ucontext_t *context)
{
	ucontext_t here;

	s->back = &here;
	swapcontext(&here, context);
}

static void *leaves(void *data)
{
	int i;

	for (i = 0; i < STACKS; i++)
		go_to(&stacks[i], &stacks[i].first);
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&end);
	return NULL;
}

static void *suspends(void *data)
{
	int i, first = data ? 1 : 0;

	for (i = first; i < STACKS; i += 2)
		go_to(&stacks[i], &stacks[i].second);
	if (first)
		return NULL;
	pthread_barrier_wait(&step);
	pthread_barrier_wait(&end);
	return NULL;
}

static void *goes_on(void *data)
{
	int i;

	for (i = 0; i < STACKS; i++)
		go_to(&stacks[i], &stacks[i].second);
	return NULL;
}

static pthread_t start(void *(*function)(void *), void *data)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, function, data))
		abort();
	return thread;
}

int main(void)
{
	pthread_t leaving, staying;
	int i, same = 0;

	pthread_barrier_init(&step, NULL, 2);
	pthread_barrier_init(&end, NULL, 3);
	for (i = 0; i < STACKS; i++) {
		stacks[i].memory = malloc(STACK_SIZE);
		make_context(&stacks[i].first, stacks[i].memory, STACK_SIZE, NULL, enter_first, i);
	}
	leaving = start(leaves, NULL);
	pthread_barrier_wait(&step);
	for (i = 0; i < STACKS; i++) {
		make_context(&stacks[i].second, stacks[i].memory, STACK_SIZE, NULL, enter_second,
			     i);
	}
	pthread_join(start(suspends, &same), NULL);
	staying = start(suspends, NULL);
	pthread_barrier_wait(&step);
	puts("suspended");
	wait_line();
	pthread_join(start(goes_on, NULL), NULL);
	pthread_barrier_wait(&end);
	pthread_join(leaving, NULL);
	pthread_join(staying, NULL);
	for (i = 0; i < STACKS; i++) {
		printf("%ld\n", stacks[i].result);
		same += stacks[i].left_at == stacks[i].suspended_at;
	}
	printf("%d places were used again\n", same);
	return 0;
}
