// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -no-pie
/*
 * Functions that return, or do not, in many ways, to be timed:
 *
 *	timed
 *
 * Carries out lines of input, and answers each with a line:
 *
 *	fib N		computes a Fibonacci number by recursion; answers with the number of calls
 *	leave N		calls leaves() N times; every third call is left by longjmp()
 *	swap N		N calls of waits() in each of two coroutines, which take turns inside of it
 *	sleep MS	calls sleeps(), which takes that long
 *	threads N	4 threads call deep() N times each
 *	collide MS	two threads call sleeps(), and the calls need the same slot of the module's
 *			table; the first one is MS old when the second one begins
 *	cover N		maps other memory over the module's table, and calls deep() N times; answers with
 *			the number of bytes there that have changed
 *	forge N		4 threads call deep() N times each, while another one writes random numbers
 *			to all memory that the module shares with this program
 */
#include "puppet.h"

#define KEPT __attribute__((noinline, noclone))

static long fib_calls;
static jmp_buf out;
static ucontext_t home, coroutines[2];
static long turns;

KEPT long fib(long n)
{
	fib_calls++;
	if (n < 0)
		return -1;
	if (n < 2)
		return n;
	return fib(n - 1) + fib(n - 2);
}

KEPT long leaves(long n)
{
	volatile long kept = n;

	if (n % 3 == 2)
		longjmp(out, 1);
	if (n % 7 == 0)
		return kept * 2;
	return kept + 1;
}

KEPT long waits(long self)
{
	volatile long kept = self;

	swapcontext(&coroutines[self], &coroutines[!self]);
	return kept;
}

int sleeps(long ms);
KEPT int sleeps(long ms)
{
	int ret = usleep((unsigned int)ms * 1000);

	return ret ? ret : 1;
}

KEPT long deep(long n)
{
	volatile long kept = n;

	if (n > 0)
		return deep(n - 1) + kept;
	return kept;
}

static void coroutine(int self)
{
	for (long i = 0; i < turns; i++)
		waits(self);
	swapcontext(&coroutines[self], self ? &home : &coroutines[!self]);
}

static void swap(void)
{
	static char stacks[2][65536];

	for (int i = 0; i < 2; i++)
		make_context(&coroutines[i], stacks[i], sizeof(stacks[i]), NULL, coroutine, i);
	swapcontext(&home, &coroutines[0]);
}

/* The slot of a call: hash_64() of the function, then that of the key (arch/x86/pad_types.h). */
static unsigned int slot_of(unsigned long function, unsigned long sp)
{
	unsigned long number = function * 0x61c8864680b583ebul >> 49;
	unsigned long key = sp | (number ? number : 1) << 48;

	return key * 0x9e3779b97f4a7c15ul >> 51 & 0xfff;
}

/* Call sleeps() with this stack pointer at its entry. */
static void sleep_on(unsigned long sp, long ms)
{
	asm volatile("mov %%rsp, %%rbx\n\t"
		     "lea 8(%0), %%rsp\n\t"
		     "call sleeps\n\t"
		     "mov %%rbx, %%rsp" : "+r" (sp), "+D" (ms) : :
		     "rax", "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

/* Both stacks are large, so that one has each slot. */
static char stacks[2][1 << 20] __attribute__((aligned(16)));

/* The stack pointer at an entry: a call has pushed the return address. */
static unsigned long on_stack(int i, size_t at)
{
	return (unsigned long)stacks[i] + 65536 + 16 * at - 8;
}

static void *sleep_long(void *ms)
{
	sleep_on(on_stack(0, 0), (long)ms);
	return NULL;
}

static void collide(long ms)
{
	unsigned int slot = slot_of((unsigned long)sleeps, on_stack(0, 0));
	pthread_t *sleeper = start_threads(1, sleep_long, (void *)(ms + 500));
	size_t at = 0;

	usleep((unsigned int)ms * 1000);
	while (at < (sizeof(stacks[1]) - 65536) / 16 - 1 &&
	       slot_of((unsigned long)sleeps, on_stack(1, at)) != slot)
		at++;
	sleep_on(on_stack(1, at), 1);
	join_threads(sleeper, 1);
}

static void *thread(void *data)
{
	volatile long sum = 0;

	for (long i = 0; i < (long)data; i++)
		sum += deep(5);
	return NULL;
}

static volatile int forging;

/* Map memory over the table, which has 64 KiB, and see whether anything writes to it. */
static void cover(long n)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end, table = 0;
	char line[256];
	long wrong = 0;

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[uprobes]") && strstr(line, " rw-s") &&
		    sscanf(line, "%lx-%lx", &start, &end) == 2 && end - start == 65536)
			table = start;
	if (maps)
		fclose(maps);
	if (!table || mmap((void *)table, 65536, PROT_READ | PROT_WRITE,
			   MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED) {
		puts("no table");
		return;
	}
	for (long i = 0; i < n; i++)
		deep(5);
	for (unsigned long at = table; at < table + 65536; at++)
		wrong += *(volatile char *)at != 0;
	printf("%ld changed\n", wrong);
}

/* Scribble over mappings called "[uprobes]" that can be written to. */
static void *forger(void *unused)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start[16], end[16];
	unsigned int nr = 0, seed = 1;
	char line[256];

	while (maps && nr < 16 && fgets(line, sizeof(line), maps))
		if (strstr(line, "[uprobes]") &&
		    sscanf(line, "%lx-%lx rw", &start[nr], &end[nr]) == 2 && strstr(line, " rw-s"))
			nr++;
	if (maps)
		fclose(maps);
	while (forging && nr) {
		unsigned int i = (unsigned int)rand_r(&seed) % nr;
		unsigned long low = (unsigned int)rand_r(&seed);
		unsigned long word = (unsigned long)rand_r(&seed) << 32 | low;
		unsigned long at = start[i] + word % (end[i] - start[i]) / 8 * 8;

		*(volatile unsigned long *)at = rand_r(&seed) % 2 ? word : 0;
	}
	return unused;
}

static void forge(long n)
{
	pthread_t *forgers;

	forging = 1;
	forgers = start_threads(1, forger, NULL);
	join_threads(start_threads(4, thread, (void *)n), 4);
	forging = 0;
	join_threads(forgers, 1);
}

int main(void)
{
	struct command c;
	volatile long i;

	printf("ready %d\n", getpid());
	while (next_command(&c)) {
		if (is(&c, "fib")) {
			fib_calls = 0;
			fib(c.n);
			printf("%ld\n", fib_calls);
			continue;
		}
		if (is(&c, "leave")) {
			for (i = 0; i < c.n; i++)
				if (!setjmp(out))
					leaves(i);
		} else if (is(&c, "swap")) {
			turns = c.n;
			swap();
		} else if (is(&c, "sleep")) {
			sleeps(c.n);
		} else if (is(&c, "threads")) {
			join_threads(start_threads(4, thread, (void *)c.n), 4);
		} else if (is(&c, "collide")) {
			collide(c.n);
		} else if (is(&c, "cover")) {
			cover(c.n);
			continue;
		} else if (is(&c, "forge")) {
			forge(c.n);
		}
		puts("done");
	}
	return 0;
}
