// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -pthread -no-pie -fno-omit-frame-pointer
/*
 * Calls a function whose arguments tell who calls it, in threads that change their processors:
 *
 *	ringed
 *
 * Carries out lines of input, and answers each with a line:
 *
 *	run THREADS CALLS	each thread calls ring_call(its thread id, number of the call)
 *	spin CALLS		calls ring_call() that often in the main thread, which then stays busy
 *	rename CALLS		calls it that often under each of two names: "first" and "second"
 *	fork CALLS		calls it that often, in a child, too; the child ends by _exit()
 *	exec CALLS		calls it that often, and executes the program anew
 *	forge ROUNDS		writes nonsense and forged hits to its own rings, between calls
 *	flood ROUNDS		fills its ring with as many forged hits as it can hold, calls it once, and so
 *				on
 *	open CALLS		calls it that often, and opens its own rings before each call
 *	forbid CALLS		calls it that often, forbids itself to read the clock, and calls three times
 *				as often, with breaks
 *	forbid_all THREADS CALLS
 *				so many threads do that, all at once
 *	spawn CALLS		a child of vfork() calls it that often, and executes true(1)
 *	waiting			starts a thread that waits; the answer is its id
 *	release CALLS		that thread calls it that often, and exits
 *
 * The answer to "run" is the ids of the threads, that to "fork" is the child's.
 */
#include "puppet.h"
#include <sys/prctl.h>

#define THREADS_MAX	64

static pid_t ids[THREADS_MAX];
static long calls;
static volatile long sum;

/* The flags are of use behind the first instruction, so a pad must save them. */
long ring_call(long id, long nr);
ASM_FUNCTION(ring_call, "\tlea (%rdi,%rsi), %rax\n\tcmovc %rsi, %rax\n\tnop\n\tret\n");

/* Call it, so far down the stack, and with its arguments as words 1 and 2. */
long ring_words(long id, long nr, long down);
ASM_FUNCTION(ring_words,
	     "	push %rbp\n"
	     "	mov %rsp, %rbp\n"
	     "	sub %rdx, %rsp\n"
	     "	push %rsi\n"
	     "	push %rdi\n"
	     "	call ring_call\n"
	     "	leave\n"
	     "	ret\n");

static void call_all(long id)
{
	for (long i = 0; i < calls; i++)
		sum += ring_call(id, i);
}

/* Go from processor to processor. */
static void move(unsigned int to)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(to % (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void *thread(void *data)
{
	long nr = (long)data;
	pid_t id = (pid_t)syscall(SYS_gettid);

	ids[nr] = id;
	for (long i = 0; i < calls; i++) {
		/* The words are on all places of a page. */
		sum += ring_words(id, i, i % 512 * 8);
		if (i % 499 == 498)
			move((unsigned int)(nr + i));
		if (i % 83 == 82)
			sched_yield();
	}
	return NULL;
}

static void run(long threads)
{
	static pthread_t started[THREADS_MAX];

	for (long i = 0; i < threads; i++)
		pthread_create(&started[i], NULL, thread, (void *)i);
	for (long i = 0; i < threads; i++)
		pthread_join(started[i], NULL);
	for (long i = 0; i < threads; i++)
		printf("%d%c", ids[i], i + 1 < threads ? ' ' : '\n');
}

/* Find the rings: they are the one mapping of its size that is shared with the module. */
static uint64_t *rings_find(size_t *words)
{
	unsigned long start = 0, end = 0;
	struct mapping m;

	for_each_mapping(&m, "/proc/self/maps", "[uprobes]") {
		if (m.perms[1] == 'w' && m.end - m.start != 256 * 1024) {
			start = m.start;
			end = m.end;
		}
	}
	*words = (end - start) / sizeof(uint64_t);
	return (uint64_t *)start;
}

/* Give up the clock beside the other threads, as often as calls go to rings. */
static void *thread_forbid(void *data)
{
	pthread_barrier_t *together = data;
	pid_t id = (pid_t)syscall(SYS_gettid);

	call_all(id);
	pthread_barrier_wait(together);
	prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
	for (int i = 0; i < 3; i++) {
		call_all(id);
		usleep(100000);
	}
	return NULL;
}

static void forbid_all(long threads)
{
	pthread_barrier_t together;

	pthread_barrier_init(&together, NULL, (unsigned int)threads);
	join_threads(start_threads(threads, thread_forbid, &together), threads);
	puts("called");
}

static sigjmp_buf back;

static void on_fault(int sig)
{
	siglongjmp(back, sig);
}

/* Get the ring of a processor. */
static uint64_t *ring_of(uint64_t *rings, size_t cpu)
{
	return rings + 512 * (1 + cpu);
}

/* Set where the next hit of a processor goes: @words behind the start of its ring. */
static void set_next(uint64_t *rings, size_t cpu, size_t words)
{
	uint64_t *head = rings + 8 * cpu;

	head[0] = (uint64_t)(ring_of(rings, cpu) + words - head) * sizeof(*head);
}

/*
 * Write to the rings what a pad would not write.  Where a pad then writes is another place in the ring,
 * or nowhere: this program is to live on.
 */
static void scribble(uint64_t *rings, size_t words)
{
	size_t at = (size_t)rand() % words, cpu = (size_t)rand() % 2;
	uint64_t *ring = ring_of(rings, cpu), *head = rings + 8 * cpu;

	switch (rand() % 5) {
	case 0:
		if (at >= 512)
			rings[at] = (uint64_t)rand() << 32 | (uint64_t)rand();
		break;
	case 1:
		/* Hits of long ago, and of the future. */
		for (int i = 0; i < 64; i++) {
			ring[4 * i] = __builtin_ia32_rdtsc() + ((uint64_t)rand() << rand() % 30) -
				      ((uint64_t)rand() << rand() % 30);
			ring[4 * i + 1] = (uint64_t)rand() % 3;
		}
		set_next(rings, cpu, 4 * ((size_t)rand() % 65));
		break;
	case 2:
		set_next(rings, cpu, (size_t)rand() % 448);
		break;
	case 3:
		head[1] = rand() % 2 ? UINT64_MAX : 0;
		break;
	default:
		head[0] = 1ull << 46 | (uint64_t)rand();
	}
}

/* The module makes them after some hits; on a busy machine, it may take seconds. */
static uint64_t *rings_wait(size_t *words)
{
	for (int i = 0; i < 3000; i++) {
		uint64_t *rings;

		calls = 100;
		call_all(getpid());
		rings = rings_find(words);
		if (*words)
			return rings;
		usleep(20000);
	}
	puts("no rings");
	return NULL;
}

static void open_and_call(long n)
{
	size_t words;
	uint64_t *rings = rings_wait(&words);

	if (!rings)
		return;
	for (long i = 0; i < n; i++) {
		rings[1] = UINT64_MAX;
		rings[9] = UINT64_MAX;
		sum += ring_call(getpid(), i);
		if (i % 50 == 49)
			usleep(1000);
	}
	puts("opened");
}

static void forge(long rounds)
{
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
	volatile long round = 0, faults = 0;
	size_t words;
	uint64_t *rings = rings_wait(&words);

	if (!rings)
		return;
	sigaction(SIGSEGV, &action, NULL);
	srand((unsigned int)getpid());
	if (sigsetjmp(back, 0)) {
		/* Where the pad would write is nowhere: make an end of that. */
		faults++;
		rings[0] = 0;
		rings[1] = 0;
		rings[8] = 0;
		rings[9] = 0;
	}
	while (round < rounds) {
		round++;
		scribble(rings, words);
		for (int i = 0; i < rand() % 8; i++)
			sum += ring_call(getpid(), round);
		if (round % 64 == 0)
			move((unsigned int)rand());
	}
	printf("forged, %ld faults\n", faults);
}

/* A ring takes 3,840 bytes; the smallest records have a time, and the number of the jump. */
#define RECORDS		240

static void flood(long rounds)
{
	size_t words, cpu;
	uint64_t *rings = rings_find(&words), *ring;

	if (!words) {
		puts("no rings");
		return;
	}
	for (long round = 0; round < rounds; round++) {
		cpu = (size_t)sched_getcpu();
		ring = ring_of(rings, cpu);
		for (int i = 0; i < RECORDS; i++) {
			ring[2 * i] = __builtin_ia32_rdtsc();
			ring[2 * i + 1] = 0;
		}
		set_next(rings, cpu, 2 * RECORDS);
		sum += ring_call(getpid(), round);
	}
	puts("flooded");
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_t waiter;
static volatile pid_t waiter_id;

static void *wait_and_call(void *unused)
{
	(void)unused;
	waiter_id = (pid_t)syscall(SYS_gettid);
	pthread_mutex_lock(&gate);
	call_all(waiter_id);
	return NULL;
}

static void spawn(void)
{
	pid_t child = vfork();

	if (!child) {
		call_all(getpid());
		execl("/bin/true", "true", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	printf("%d\n", child);
}

int main(int argc, char **argv)
{
	struct command c;

	(void)argc;
	setlinebuf(stdout);
	printf("ready %d\n", getpid());
	while (next_command(&c)) {
		calls = c.n;
		if (is(&c, "run") && c.n <= THREADS_MAX) {
			calls = c.more;
			run(c.n);
		} else if (is(&c, "spin")) {
			call_all(getpid());
			puts("called");
			for (;;)
				sum++;
		} else if (is(&c, "rename")) {
			prctl(PR_SET_NAME, "first");
			call_all(getpid());
			prctl(PR_SET_NAME, "second");
			call_all(getpid());
			puts("called");
		} else if (is(&c, "fork")) {
			pid_t child;

			call_all(getpid());
			child = fork();
			if (!child) {
				call_all(getpid());
				_exit(0);
			}
			waitpid(child, NULL, 0);
			call_all(getpid());
			printf("%d\n", child);
		} else if (is(&c, "exec")) {
			call_all(getpid());
			execv("/proc/self/exe", argv);
		} else if (is(&c, "forge")) {
			forge(c.n);
		} else if (is(&c, "flood")) {
			flood(c.n);
		} else if (is(&c, "open")) {
			open_and_call(c.n);
		} else if (is(&c, "forbid")) {
			call_all(getpid());
			prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
			for (int i = 0; i < 3; i++) {
				call_all(getpid());
				usleep(200000);
			}
			puts("called");
		} else if (is(&c, "forbid_all") && c.n <= THREADS_MAX) {
			calls = c.more;
			forbid_all(c.n);
		} else if (is(&c, "spawn")) {
			spawn();
		} else if (is(&c, "waiting")) {
			waiter_id = 0;
			pthread_mutex_lock(&gate);
			pthread_create(&waiter, NULL, wait_and_call, NULL);
			while (!waiter_id)
				sched_yield();
			printf("%d\n", waiter_id);
		} else if (is(&c, "release")) {
			/* The thread reads the number of calls behind the gate. */
			pthread_mutex_unlock(&gate);
			pthread_join(waiter, NULL);
			puts("called");
		}
	}
	return 0;
}
