// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -pthread -fno-optimize-sibling-calls
/*
 *	coroutines_many THREADS DEPTH [away|fork|leave|wait]
 *
 * THREADS threads are about DEPTH calls of probed_deep() deep.  Then the first thread returns from
 * a call of probed_pause() that another thread has entered.  Prints what the calls return.
 *
 *	away	The calls of probed_deep() are a coroutine's as well, and the first thread returns
 *		from all of them.
 *	fork	There is a second call of probed_pause().  A thread of a forked child returns from
 *		that call, and from all calls of probed_deep(), before the parent does.
 *	leave	No thread returns from the calls of probed_deep().  There is another call, then all
 *		stacks but the first are unmapped, and then there are ten calls.
 *	wait	The program prints "deep" when all threads are so deep, and waits for a line.
 */
#include "puppet.h"

#define STACK_SIZE	(64UL << 20)

struct branch {
	pthread_t thread;
	ucontext_t inside, outside;
	long depth, sum;
};

struct pause {
	ucontext_t inside, outside;
	long paused;
};

static struct pause pauses[2];
static pthread_barrier_t deep, resumed;
static struct branch *branches;
static long threads;
static bool away, forks, leaves, waits;

static __attribute__((noipa)) long probed_deep(long n, struct branch *branch)
{
	if (!n && branch && away)
		swapcontext(&branch->inside, &branch->outside);
	if (!n && branch && !away) {
		pthread_barrier_wait(&deep);
		pthread_barrier_wait(&resumed);
	}
	return n ? probed_deep(n - 1, branch) + (n & 3) : 0;
}

static __attribute__((noipa)) long probed_pause(struct pause *pause, long x)
{
	swapcontext(&pause->inside, &pause->outside);
	return 2 * x;
}

static void pause_once(int i)
{
	pauses[i].paused = probed_pause(&pauses[i], 21 + i);
	swapcontext(&pauses[i].inside, &pauses[i].outside);
}

static void *new_stack(void)
{
	void *stack = mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (stack == MAP_FAILED)
		err(2, "mmap");
	return stack;
}

static void make_coroutine(ucontext_t *context, void (*inside)(int), int i)
{
	make_context(context, new_stack(), STACK_SIZE, NULL, inside, i);
}

static void *begin_pauses(void *unused)
{
	(void)unused;
	for (int i = 0; i <= forks; i++)
		swapcontext(&pauses[i].outside, &pauses[i].inside);
	return NULL;
}

static void end_pause(int i)
{
	swapcontext(&pauses[i].outside, &pauses[i].inside);
	printf("paused %ld\n", pauses[i].paused);
	fflush(stdout);
}

static void return_deep(void)
{
	for (long i = 0; i < threads; i++)
		swapcontext(&branches[i].outside, &branches[i].inside);
}

static void leave_deep(void)
{
	long early = probed_deep(0, NULL);

	for (long i = 1; i < threads; i++)
		munmap(branches[i].inside.uc_stack.ss_sp, STACK_SIZE);
	printf("one call: %ld, ten more: %ld\n", early, probed_deep(9, NULL));
}

static void *return_forked(void *unused)
{
	end_pause(1);
	return_deep();
	for (long i = 0; i < threads; i++)
		printf("forked, thread %ld: %ld\n", i, branches[i].sum);
	return unused;
}

static void fork_once(void)
{
	pthread_t other;
	int status;
	pid_t pid = fork();

	if (!pid) {
		pthread_create(&other, NULL, return_forked, NULL);
		pthread_join(other, NULL);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	printf("the child's status: %d\n", status);
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
	make_coroutine(&branch->inside, deep_inside, (int)(branch - branches));
	swapcontext(&branch->outside, &branch->inside);
	pthread_barrier_wait(&deep);
	pthread_barrier_wait(&resumed);
	return NULL;
}

int main(int argc, char **argv)
{
	long depth = argc >= 3 ? atol(argv[2]) : 0;
	pthread_attr_t attr;
	pthread_t first;

	threads = argc >= 3 ? atol(argv[1]) : 0;
	forks = argc == 4 && !strcmp(argv[3], "fork");
	leaves = argc == 4 && !strcmp(argv[3], "leave");
	waits = argc == 4 && !strcmp(argv[3], "wait");
	away = forks || leaves || (argc == 4 && !strcmp(argv[3], "away"));
	if (threads < 1 || depth < 1 || argc > 3 + (away || waits))
		errx(2, "usage: coroutines_many THREADS DEPTH [away|fork|leave|wait]");
	branches = calloc((size_t)threads, sizeof(*branches));
	pthread_barrier_init(&deep, NULL, (unsigned int)threads + 1);
	pthread_barrier_init(&resumed, NULL, (unsigned int)threads + 1);

	for (int i = 0; i <= forks; i++)
		make_coroutine(&pauses[i].inside, pause_once, i);
	pthread_create(&first, NULL, begin_pauses, NULL);
	pthread_join(first, NULL);

	pthread_attr_init(&attr);
	for (long i = 0; i < threads; i++) {
		branches[i].depth = depth + i;
		pthread_attr_setstack(&attr, new_stack(), STACK_SIZE);
		if (pthread_create(&branches[i].thread, &attr, go_deep, &branches[i]))
			errx(2, "no thread");
	}
	pthread_barrier_wait(&deep);
	if (waits) {
		puts("deep");
		wait_line();
	}
	end_pause(0);
	if (forks) {
		fork_once();
		end_pause(1);
	}
	if (leaves)
		leave_deep();
	else if (away)
		return_deep();
	pthread_barrier_wait(&resumed);
	for (long i = 0; i < threads; i++) {
		pthread_join(branches[i].thread, NULL);
		printf("thread %ld: %ld\n", i, branches[i].sum);
	}
	return 0;
}
