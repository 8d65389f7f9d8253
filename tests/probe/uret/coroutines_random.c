// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -pthread
/*
 *	coroutines_random THREADS COROUTINES ROUNDS [SEED]
 *
 * Each coroutine calls probed_call() ROUNDS times, and is suspended in each call.  Threads take
 * coroutines at random and continue them.  Prints how many calls returned, how many of them
 * returned in another thread than the one that entered them, and how many returned a wrong value.
 */
#include "puppet.h"

#define STACK_SIZE	16384UL

struct coroutine {
	void *sp;
	long number;
	unsigned int thread, entered_in;
	bool done;
};

struct thread {
	pthread_t id;
	void *sp;
	unsigned int number;
	unsigned long random;
	long returned, elsewhere, wrong;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct coroutine *all, **ready;
static struct thread *threads;
static long nr_ready, nr_left, rounds;

/*
 * Save the registers that a function must keep, and the stack pointer in *@from.  Continue on the
 * stack @to.
 */
void switch_stack(void **from, void *to);
__asm__(".text\n"
	"switch_stack:\n"
	"	push %rbx\n	push %rbp\n	push %r12\n	push %r13\n	push %r14\n	push %r15\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n	pop %r14\n	pop %r13\n	pop %r12\n	pop %rbp\n	pop %rbx\n"
	"	ret\n");

static void suspend(struct coroutine *me)
{
	switch_stack(&me->sp, threads[me->thread].sp);
}

__attribute__((noipa)) long probed_call(struct coroutine *me, long round)
{
	me->entered_in = me->thread;
	suspend(me);
	return round * 3 + me->number;
}

static void body(struct coroutine *me)
{
	for (long round = 0; round < rounds; round++) {
		long value = probed_call(me, round);
		struct thread *thread = &threads[me->thread];

		thread->returned++;
		thread->elsewhere += me->entered_in != me->thread;
		thread->wrong += value != round * 3 + me->number;
	}
	me->done = true;
	suspend(me);
	abort();
}

/* The first code of a coroutine: rbx holds its structure, and r12 the function to call. */
void begin(void);
__asm__(".text\n"
	"begin:\n"
	"	mov %rbx, %rdi\n"
	"	mov %r12, %rax\n"
	"	call *%rax\n");

static void make(struct coroutine *me, char *stack)
{
	void **sp = (void **)(stack + STACK_SIZE) - 2;

	*--sp = (void *)begin;
	*--sp = me;
	*--sp = NULL;
	*--sp = (void *)body;
	sp -= 3;
	me->sp = sp;
}

/* xorshift64 (Marsaglia 2003). */
static unsigned long next_random(unsigned long *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static void *run(void *arg)
{
	struct thread *me = arg;
	struct coroutine *next;

	for (;;) {
		next = NULL;
		pthread_mutex_lock(&mutex);
		if (nr_ready) {
			long i = (long)(next_random(&me->random) % (unsigned long)nr_ready);

			next = ready[i];
			ready[i] = ready[--nr_ready];
		}
		if (!nr_left) {
			pthread_mutex_unlock(&mutex);
			return NULL;
		}
		pthread_mutex_unlock(&mutex);
		if (!next)
			continue;
		next->thread = me->number;
		switch_stack(&me->sp, next->sp);
		pthread_mutex_lock(&mutex);
		if (next->done)
			nr_left--;
		else
			ready[nr_ready++] = next;
		pthread_mutex_unlock(&mutex);
	}
}

int main(int argc, char **argv)
{
	long nr_threads = argc > 3 ? atol(argv[1]) : 0, nr = argc > 3 ? atol(argv[2]) : 0;
	unsigned long seed = argc > 4 ? strtoul(argv[4], NULL, 0) : 1;
	long returned = 0, elsewhere = 0, wrong = 0;
	char *stacks;

	rounds = argc > 3 ? atol(argv[3]) : 0;
	if (nr_threads < 1 || nr < 1 || rounds < 1)
		errx(2, "usage: coroutines_random THREADS COROUTINES ROUNDS [SEED]");
	all = calloc((size_t)nr, sizeof(*all));
	ready = calloc((size_t)nr, sizeof(*ready));
	threads = calloc((size_t)nr_threads, sizeof(*threads));
	stacks = mmap(NULL, (size_t)nr * STACK_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (!all || !ready || !threads || stacks == MAP_FAILED)
		err(2, "no memory");
	for (long i = 0; i < nr; i++) {
		all[i].number = i;
		make(&all[i], stacks + (size_t)i * STACK_SIZE);
		ready[nr_ready++] = &all[i];
	}
	nr_left = nr;
	for (long i = 0; i < nr_threads; i++) {
		threads[i].number = (unsigned int)i;
		threads[i].random = seed * 0x9e3779b97f4a7c15UL + (unsigned long)i + 1;
		if (pthread_create(&threads[i].id, NULL, run, &threads[i]))
			errx(2, "no thread");
	}
	for (long i = 0; i < nr_threads; i++) {
		pthread_join(threads[i].id, NULL);
		returned += threads[i].returned;
		elsewhere += threads[i].elsewhere;
		wrong += threads[i].wrong;
	}
	printf("returned %ld, %s of them in other threads, %ld wrong\n", returned,
	       nr_threads > 1 ? elsewhere * 10 > returned ? "many" : "few" : "none", wrong);
	return 0;
}
