// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -fno-optimize-sibling-calls -rdynamic -fno-ipa-ra
/*
 * Calls functions that can be traced, with known arguments and memory:
 *
 *	traced [-w] THING [NUMBER...]
 *
 * With -w, prints its process ID and waits for a line on standard input first.  The functions get
 * the same values in each run.  Addresses are the same, too, under setarch -R.
 */
#include "puppet.h"

#define TRACED __attribute__((noinline, noclone))

/* Hide from the compiler what a pointer points to. */
#define HIDE(p) ({ asm volatile("" : "+r"(p)); })

struct node {
	uint8_t u8;
	int8_t s8;
	uint16_t u16;
	int32_t s32;
	uint64_t u64;
	const char *name;
	struct node *next;
	int16_t numbers[8];
	char letters[8];
	const char *names[3];
	uint32_t bits;
};

/* Writable, read-only and zeroed data, for @+OFFSET and @ADDR. */
struct node global = {
	0xf1, -2, 0xf203, -123456, 0x123456789abcdef0, "global", &global,
	{ 1, -2, 300, -400, 5, 6, 7, -32768 }, "letters",
	{ "first", "second", "third" }, 0xdeadbeef,
};

const struct { char text[18]; } constant = { "a constant string" };

TRACED long ints(long a, int b, short c, signed char d, unsigned long e,
		 unsigned int f, long on_stack_1, long on_stack_2)
{
	HIDE(a);
	return a + b + c + d + e + f + on_stack_1 + on_stack_2;
}

TRACED int text(const char *s)
{
	HIDE(s);
	return !!s;
}

TRACED long chain(struct node *n)
{
	HIDE(n);
	return n->s32;
}

TRACED double floats(double a, float b, double c, const double *more)
{
	HIDE(more);
	return a + b + c + more[0];
}

TRACED int table(const int *numbers, long index)
{
	HIDE(numbers);
	return numbers[index];
}

/* A reference counter that a definition can name. */
volatile unsigned short semaphore __attribute__((section(".probes")));

TRACED const char *give(long x)
{
	HIDE(x);
	return x ? "given" : NULL;
}

TRACED long tick(long n)
{
	HIDE(n);
	return n + 1;
}

/* Functions whose frames can be walked.  There are more of them than a trace holds. */
__attribute__((noinline, noclone, optimize("no-omit-frame-pointer")))
long inner(long n)
{
	HIDE(n);
	return n + 1;
}

#define FRAME(name, callee)						\
	__attribute__((noinline, noclone, optimize("no-omit-frame-pointer"))) \
	static long name(long n)					\
	{								\
		n = callee(n);						\
		HIDE(n);						\
		return n + 1;						\
	}

FRAME(frame_1, inner)
FRAME(frame_2, frame_1)
FRAME(frame_3, frame_2)
FRAME(frame_4, frame_3)
FRAME(frame_5, frame_4)
FRAME(frame_6, frame_5)
FRAME(frame_7, frame_6)
FRAME(frame_8, frame_7)
FRAME(frame_9, frame_8)

#ifdef __x86_64__
static char *above;
static long apart;

/* Call these functions on another stack, which lies above the current one. */
__attribute__((noinline, noclone, optimize("no-omit-frame-pointer")))
static void call_above(int unused)
{
	register long n asm("rdi") = 0;
	register long result asm("rax");

	asm volatile("mov %%rsp, %%rbx\n\t"
		     "mov %[above], %%rsp\n\t"
		     "call *%[callee]\n\t"
		     "mov %%rbx, %%rsp"
		     : "=r"(result), "+r"(n)
		     : [above] "r"(above), [callee] "r"(frame_9)
		     : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
	apart = result;
}

static long call_apart(void)
{
	static ucontext_t here, below;
	char room[16384] __attribute__((aligned(16)));
	size_t size = 65536;

	above = room + sizeof(room);
	/* Mappings lie below the initial stack of a program. */
	make_context(&below, mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				  -1, 0), size, &here, call_above, 0);
	swapcontext(&here, &below);
	return apart;
}
#else
static long call_apart(void)
{
	return 0;
}
#endif

static void call_all(void)
{
	struct node second = global;

	second.name = "second";
	second.next = NULL;
	second.u64 = 42;
	global.next = &second;
	ints(-1, -2, -3, -4, -1UL, 0x80000000, 77, 88);
	text("some text");
	chain(&global);
	give(1);
	give(0);
}

static void call_floats(void)
{
	static const double more[] = { 1e-7, 123456789, -0.0 };
	static const int numbers[] = { 10, 20, 30, 40, 50 };

	floats(0.1, 1.5, -2.5e300, more);
	floats(1.0 / 3, 16777216, 5e-324, more);
	table(numbers, 3);
	table(numbers + 2, -1);
}

/* NUMBER times, print the semaphore and call tick(), and wait for input in between. */
static void call_counted(long n)
{
	while (n--) {
		printf("%u\n", semaphore);
		fflush(stdout);
		tick(n);
		if (n)
			wait_line();
	}
}

/* Pass strings of so many characters, then one that contains control characters. */
static void call_strings(void)
{
	static const int lengths[] = { 0, 1, 4094, 4095, 4096, 5000 };
	char *s = malloc(5001);
	unsigned int i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		memset(s, 'a' + i, lengths[i]);
		s[lengths[i]] = '\0';
		text(s);
	}
	text("tab\tnewline\nescape\033[0m delete\177 quote\" end");
}

/*
 * Pass strings that exist, but are not in memory yet, or not in this page table.  Then pass
 * pointers to nothing.
 */
static void call_absent(const char *path)
{
	int fd = open(path, O_RDONLY);
	char *file, *none;

	file = mmap(NULL, 3 * 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	text(file);
	/* Use a string across the border of two pages that nobody has touched. */
	text(file + 2 * 4096 - 10);
	none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	text(none);
	text(NULL);
	text((char *)8);
	text((char *)0xffffffff81000000);
	text((char *)0x0000800000000000);
	text((char *)-1);
}

static void *tick_thread(void *arg)
{
	long i, n = (long)arg;

	for (i = 0; i < n; i++)
		tick(i);
	return NULL;
}

static void call_ticks(long nr, long calls)
{
	join_threads(start_threads(nr, tick_thread, (void *)calls), nr);
}

static void call_slowly(long n)
{
	long i;

	for (i = 0; i < n; i++) {
		tick(i);
		usleep(10000);
	}
}

static long number(char **argv, int i)
{
	return argv[i] ? atol(argv[i]) : 1;
}

int main(int argc, char **argv)
{
	const char *thing;

	if (argc > 1 && !strcmp(argv[1], "-w")) {
		printf("%d\n", getpid());
		if (!wait_line())
			return 1;
		argv++;
		argc--;
	}
	if (argc < 2) {
		fputs("Usage: traced [-w] all|strings|say TEXT|absent FILE|floats|deep|apart|\n"
		      "	ticks THREADS CALLS|slow N|counted N\n",
		      stderr);
		return 2;
	}
	thing = argv[1];
	if (!strcmp(thing, "all"))
		call_all();
	else if (!strcmp(thing, "strings"))
		call_strings();
	else if (!strcmp(thing, "say") && argc > 2)
		text(argv[2]);
	else if (!strcmp(thing, "absent") && argc > 2)
		call_absent(argv[2]);
	else if (!strcmp(thing, "ticks") && argc > 3)
		call_ticks(number(argv, 2), number(argv, 3));
	else if (!strcmp(thing, "floats"))
		call_floats();
	else if (!strcmp(thing, "counted"))
		call_counted(number(argv, 2));
	else if (!strcmp(thing, "deep"))
		return frame_9(0) != 10;
	else if (!strcmp(thing, "apart"))
		return call_apart() != 10;
	else if (!strcmp(thing, "slow"))
		call_slowly(number(argv, 2));
	else
		return 2;
	return 0;
}
