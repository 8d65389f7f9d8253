// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -no-pie
/*
 * Calls a function with addresses of all kinds:
 *
 *	texts
 *
 * Carries out lines of input, and answers each with a line:
 *
 *	run N		calls text_call(string, node, number) N times: strings have 0 to 79 bytes, begin
 *			anywhere, some of them right before memory that is not there; some addresses are bad
 *	threads N	4 threads do so N times each, while another one forbids and allows the access to
 *			some of the strings; each string has the number of its call
 *	plain N		calls it N times with a short string
 *	null N		calls it N times with bad addresses
 *	hold		a thread calls it with a string in memory that the main thread supplies
 *	supply		supplies it; the answer comes when the call has ended
 *	drop		unmaps that memory instead
 *
 * The answer is the number of calls, the sum of their results, and the number of signals.
 */
#include "puppet.h"

struct node {
	struct node *next;
	long value;
	const char *name;
	short small;
	signed char tiny;
	unsigned int bits;
};

/* The flags are of use behind the first instruction, so a pad must save them. */
long text_call(const char *text, const struct node *node, long nr);
ASM_FUNCTION(text_call, "\tlea 1(%rdx,%rdx), %rax\n\tcmovc %rsi, %rax\n\tret\n");

static long signals;
static char *edge;		/* the page behind it is not there */
static char many[4096];
static struct node nodes[3];

static void on_fault(int sig)
{
	(void)sig;
	signals++;
}

static void prepare(void)
{
	char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t i;

	munmap(pages + PAGE, PAGE);
	edge = pages + PAGE;
	for (i = 0; i < PAGE; i++)
		edge[-1 - (long)i] = (char)('a' + i % 26);
	for (i = 0; i < sizeof(many); i++)
		many[i] = (char)(i % 89 == 80 ? 0 : 'A' + i % 57);
	for (i = 0; i < 3; i++)
		nodes[i] = (struct node) {
			.next = &nodes[(i + 1) % 3], .value = -1000 * (long)i,
			.name = many + 81 * i, .small = (short)(-7 * (long)i),
			.tiny = (signed char)-i, .bits = 0x5a5a1234 + i,
		};
}

static const char *text_of(long i)
{
	switch (i % 11) {
	case 5:
		return NULL;
	case 6:
		return (const char *)0x8000000000000000ul;
	case 7:
		/* Ends right before memory that is not there, or goes on there. */
		edge[-1] = i % 2 ? 0 : 'x';
		return edge - i % 80 - 1;
	case 8:
		return edge;
	default:
		return many + i * 7 % 4000;
	}
}

static const struct node *node_of(long i)
{
	static const struct node broken = { .next = (struct node *)16, .name = (const char *)1 };

	switch (i % 13) {
	case 3:
		return NULL;
	case 4:
		return &broken;
	default:
		return &nodes[i % 3];
	}
}

static long run(long n)
{
	long i, sum = 0;

	for (i = 0; i < n; i++)
		sum += text_call(text_of(i), node_of(i), i);
	return sum;
}

static char *toggled;
static volatile bool over;

static void *toggle(void *unused)
{
	(void)unused;
	while (!over) {
		mprotect(toggled, PAGE, PROT_NONE);
		mprotect(toggled, PAGE, PROT_READ | PROT_WRITE);
	}
	return NULL;
}

static void *caller(void *calls)
{
	char text[32];
	long i, sum = 0;

	for (i = 0; i < (long)calls; i++) {
		snprintf(text, sizeof(text), "call number %ld", i);
		sum += text_call(i % 4 ? text : toggled, &nodes[i % 3], i);
	}
	return (void *)sum;
}

static long run_threads(long n)
{
	pthread_t toggler, *threads;
	long sum;

	toggled = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	strcpy(toggled, "toggled");
	over = false;
	pthread_create(&toggler, NULL, toggle, NULL);
	threads = start_threads(4, caller, (void *)n);
	sum = join_threads(threads, 4);
	over = true;
	pthread_join(toggler, NULL);
	return sum;
}

static long run_plain(long n, bool bad)
{
	long i, sum = 0;

	for (i = 0; i < n; i++)
		sum += text_call(bad ? NULL : "short", bad ? NULL : &nodes[i % 3], i);
	return sum;
}

static int faults = -1;
static char *held;
static pthread_t holder;

static void *call_held(void *text)
{
	return (void *)text_call(text, &nodes[0], 0);
}

/* Have a thread call it with a string in a page that this one supplies. */
static long hold(void)
{
	held = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	faults = userfault_at(held, PAGE);
	if (faults < 0)
		return -1;
	pthread_create(&holder, NULL, call_held, held);
	return await_fault(faults) == (unsigned long)held;
}

static long let_go(bool supplied)
{
	struct uffdio_copy copy = {
		.dst = (unsigned long)held, .src = (unsigned long)many, .len = PAGE,
	};
	void *sum;

	if (supplied)
		ioctl(faults, UFFDIO_COPY, &copy);
	else
		munmap(held, PAGE);
	close(faults);
	pthread_join(holder, &sum);
	return (long)sum;
}

int main(void)
{
	struct command c;
	long sum;

	prepare();
	signal(SIGSEGV, on_fault);
	signal(SIGBUS, on_fault);
	printf("%d\n", getpid());
	while (next_command(&c)) {
		if (is(&c, "run"))
			sum = run(c.n);
		else if (is(&c, "threads"))
			sum = run_threads(c.n);
		else if (is(&c, "hold"))
			sum = hold();
		else if (is(&c, "supply") || is(&c, "drop"))
			sum = let_go(is(&c, "supply"));
		else
			sum = run_plain(c.n, is(&c, "null"));
		printf("%ld %ld %ld\n", c.n, sum, signals);
	}
	return 0;
}
