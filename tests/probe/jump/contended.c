// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread
/*
 * Calls functions in several threads at once, which change processors now and then, and get signals whose
 * handler calls them, too:
 *
 *	contended
 *
 * It prints its number, then carries out lines of input, and answers each with a line:
 *
 *	run N	start N threads
 *	fork N	fork N children, one after the other, each of which calls the functions 1,000 times
 *	peek	how many pages of counters for each processor there are, and how many of them have counted
 *	stop	wait for the threads; how often each function was called since the last time
 *
 * Each answer ends with the number of wrong results so far.
 */
#include "puppet.h"
#include <stdatomic.h>

PROBED long work(long x)
{
	return x * 3 + 1;
}

/* At between(), the carry flag is of use. */
long carries(long x);
ASM_FUNCTION(carries,
	     "\tcmp $0, %rdi\n\tstc\n"
	     LABEL("between")
	     "\tlea 0x100(%rdi), %rax\n\tadc $0, %rax\n\tret\n");

static atomic_long calls, wrong;
static atomic_bool ends;
static pthread_t *running;
static long nr_running;

/* Aligned: so there is room for a jump at the return instruction of work(). */
static __attribute__((noinline, aligned(16))) void call(long x)
{
	if (work(x) != x * 3 + 1 || carries(x) != x + 0x101)
		atomic_fetch_add(&wrong, 1);
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	call(sig);
	atomic_fetch_add(&calls, 1);
}

static void move(long cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % 2, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *run_thread(void *unused)
{
	static atomic_long numbers;
	long cpu = atomic_fetch_add(&numbers, 1), n = 0;

	while (!atomic_load(&ends)) {
		move(cpu++);
		for (int i = 0; i < 20000; i++)
			call(n++);
	}
	atomic_fetch_add(&calls, n);
	return NULL;
}

static void tick_each(long microseconds)
{
	struct itimerval each = {};

	each.it_interval.tv_usec = microseconds;
	each.it_value = each.it_interval;
	setitimer(ITIMER_REAL, &each, NULL);
}

static void run(long nr)
{
	atomic_store(&ends, false);
	nr_running = nr;
	running = start_threads(nr, run_thread, NULL);
	tick_each(5000);
}

static void stop(void)
{
	tick_each(0);
	atomic_store(&ends, true);
	join_threads(running, nr_running);
}

static void child(void)
{
	long before = atomic_load(&wrong);

	for (int i = 0; i < 1000; i++)
		call(i);
	_exit(atomic_load(&wrong) != before);
}

static void forks(long nr)
{
	int status;
	pid_t pid;

	while (nr--) {
		pid = fork();
		if (!pid)
			child();
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (status)
			atomic_fetch_add(&wrong, 1);
		atomic_fetch_add(&calls, 1000);
	}
}

/* The first words of a page are the counters of the functions. */
static void peek(void)
{
	struct mapping m;
	long pages = 0, counted = 0;

	for_each_mapping(&m, "/proc/self/maps", "[uprobes]") {
		if (strcmp(m.perms, "rw-s") || m.end - m.start != 2 * PAGE)
			continue;
		for (unsigned long at = m.start; at < m.end; at += PAGE, pages++) {
			volatile unsigned long *words = (unsigned long *)at;

			counted += words[0] && words[1];
		}
	}
	printf("%ld pages, %ld counted", pages, counted);
}

int main(void)
{
	struct command c;

	handle(SIGALRM, on_tick, SA_RESTART);
	printf("%d\n", getpid());
	while (next_command(&c)) {
		if (is(&c, "run"))
			run(c.n);
		else if (is(&c, "fork"))
			forks(c.n);
		else if (is(&c, "peek"))
			peek();
		else if (is(&c, "stop"))
			stop();
		if (is(&c, "stop"))
			printf("%ld calls", atomic_exchange(&calls, 0));
		printf(", %ld wrong\n", atomic_load(&wrong));
	}
	return 0;
}
