// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic -pthread -fno-optimize-sibling-calls
/*
 * Runs coroutines that change the thread each time they are suspended:
 *
 *	coroutines THREADS COROUTINES ROUNDS [throw [first]] [end] [fork] [vfork] [wait]
 *
 * In each round, a coroutine calls probed_outer(), which calls probed_inner(), which is suspended.
 * Both return in other threads.  With "throw", every second round but the first is left by an
 * exception instead; with "throw first", the first round is one of these.  With "end", a thread
 * ends when a coroutine is suspended, and another thread takes its place.  In the last round, all
 * coroutines are suspended together.  Then, with
 *
 *	fork	a child continues them, too
 *	vfork	a child of vfork() calls probed_leaf(), and then this program does
 *	wait	the program prints "suspended", and waits for a line
 *
 * Prints how often each function was entered and how often it returned.  The output is the same
 * whether the functions are probed or not.
 */
#include "puppet.h"

#include <deque>
#include <vector>


struct coroutine {
	ucontext_t context;
	ucontext_t *back;
	int number;
	bool parked;
	bool done;
	long sum;
	long entered[2];
	long returned[2];
};

static unsigned int threads;
static long rounds;
static bool throws, throws_first, ends, forks, vforks, waits;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static std::vector<coroutine> all;
static std::vector<std::deque<coroutine *>> queues;
static std::vector<coroutine *> parked;
static unsigned int left;

static void suspend(coroutine *me)
{
	swapcontext(&me->context, me->back);
}

PROBED long probed_inner(coroutine *me, long round)
{
	me->entered[1]++;
	me->parked = round == rounds - 1;
	suspend(me);
	if (throws && round % 2 != throws_first)
		throw round;
	me->returned[1]++;
	return round * 3 + 1;
}

PROBED long probed_outer(coroutine *me, long round)
{
	long sum;

	me->entered[0]++;
	sum = probed_inner(me, round) + me->number;
	suspend(me);
	me->returned[0]++;
	return sum;
}

PROBED int probed_leaf(int status)
{
	__asm__ volatile("" ::: "memory");
	return status + 1;
}

static void body(int number)
{
	coroutine *me = &all[number];

	for (long round = 0; round < rounds; round++) {
		try {
			me->sum += probed_outer(me, round);
		} catch (long thrown) {
			me->sum -= thrown;
		}
	}
	me->done = true;
	suspend(me);
}

/* Continue a coroutine until it is suspended.  Queue it for another thread. */
static void go_on(unsigned int thread, coroutine *next)
{
	ucontext_t here;

	next->back = &here;
	swapcontext(&here, &next->context);

	pthread_mutex_lock(&mutex);
	if (next->done) {
		left--;
	} else if (next->parked) {
		next->parked = false;
		parked.push_back(next);
	} else {
		queues[(thread + 1) % threads].push_back(next);
	}
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
}

static void *worker(void *data);

static void start(unsigned long thread)
{
	pthread_t id;

	if (pthread_create(&id, NULL, worker, (void *)thread))
		abort();
	pthread_detach(id);
}

static void *worker(void *data)
{
	unsigned int thread = (unsigned long)data;

	pthread_mutex_lock(&mutex);
	while (left) {
		if (queues[thread].empty()) {
			pthread_cond_wait(&changed, &mutex);
			continue;
		}
		coroutine *next = queues[thread].front();

		queues[thread].pop_front();
		pthread_mutex_unlock(&mutex);
		go_on(thread, next);
		if (ends) {
			start(thread);
			return NULL;
		}
		pthread_mutex_lock(&mutex);
	}
	pthread_mutex_unlock(&mutex);
	return NULL;
}

static void report(const char *who)
{
	long sum = 0, entered[2] = {}, returned[2] = {};

	for (const coroutine &c : all) {
		sum += c.sum;
		for (int i = 0; i < 2; i++) {
			entered[i] += c.entered[i];
			returned[i] += c.returned[i];
		}
	}
	printf("%s: sum %ld\n%s: probed_outer %ld %ld\n%s: probed_inner %ld %ld\n", who, sum,
	       who, entered[0], returned[0], who, entered[1], returned[1]);
	fflush(stdout);
}

/* Continue all suspended coroutines in the only thread of the child. */
static void child(void)
{
	for (coroutine *c : parked) {
		while (!c->done) {
			ucontext_t here;

			c->back = &here;
			swapcontext(&here, &c->context);
		}
	}
	report("child");
	_exit(0);
}

static void make_coroutine(coroutine *c, int number)
{
	c->number = number;
	make_context(&c->context, malloc(32 << 10), 32 << 10, NULL, body, number);
}

int main(int argc, char **argv)
{
	int status = 0;

	if (argc < 4)
		return 2;
	threads = atoi(argv[1]);
	all.resize(atoi(argv[2]));
	left = all.size();
	rounds = atol(argv[3]);
	for (int i = 4; i < argc; i++) {
		throws |= !strcmp(argv[i], "throw");
		throws_first |= !strcmp(argv[i], "first");
		ends |= !strcmp(argv[i], "end");
		forks |= !strcmp(argv[i], "fork");
		vforks |= !strcmp(argv[i], "vfork");
		waits |= !strcmp(argv[i], "wait");
	}
	queues.resize(threads);
	for (unsigned int i = 0; i < all.size(); i++) {
		make_coroutine(&all[i], i);
		queues[i % threads].push_back(&all[i]);
	}
	for (unsigned long i = 0; i < threads; i++)
		start(i);

	pthread_mutex_lock(&mutex);
	while (parked.size() < all.size())
		pthread_cond_wait(&changed, &mutex);
	if (forks) {
		pid_t pid = fork();

		if (!pid)
			child();
		waitpid(pid, &status, 0);
	}
	if (vforks) {
		pid_t pid = vfork();

		if (!pid)
			_exit(probed_leaf(2));
		waitpid(pid, &status, 0);
		status = WEXITSTATUS(status) != probed_leaf(2);
	}
	if (waits) {
		printf("suspended\n");
		if (!wait_line())
			return 1;
	}
	for (unsigned int i = 0; i < parked.size(); i++)
		queues[(i + 1) % threads].push_back(parked[i]);
	pthread_cond_broadcast(&changed);
	while (left)
		pthread_cond_wait(&changed, &mutex);
	pthread_mutex_unlock(&mutex);
	report("all");
	return status ? 1 : 0;
}
