// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread
/*
 * Executes copies of its own text, and prints what that returns.  Executes the commands that it
 * reads, one a line:
 *
 *	call	print the result of the functions
 *	copy	copy the functions to anonymous memory with nothing mapped in front of it, and
 *		print how many breakpoints the copy contains
 *	odd	the same, to an odd address, and across the end of a page
 *	run	print the result of the copies, and how many breakpoints they contain then
 *	fork	print the result of the copies in a child, or how the child ended
 *	own	put the program's own breakpoint into other code in such memory, and print how many
 *		traps its execution caused
 *	twin	the same in text of the file that looks like another function's
 *	padding	the same among many breakpoints
 *	race	execute copies a thousand times while another thread copies them again and again
 */
#include "puppet.h"

#define BREAKPOINT 0xcc

/* The first function begins its page.  The last two are alike, and so is the text around them. */
#define FUNCTION(name, n)							\
	ASM_PART(name, "\tpush %rbp\n\tmov %rsp, %rbp\n"			\
		       "\tlea " #n "(%rdi,%rdi), %rax\n"			\
		       "\tnop\n\tpop %rbp\n\tret\n")				\
	LABEL(name##_end)							\
	".fill 20, 1, 0x90\n"
__asm__(".text\n.balign 4096\n"
	LABEL(text_begin)
	FUNCTION(first, 1)
	FUNCTION(second, 2)
	FUNCTION(third, 3)
	FUNCTION(alike, 3)
	LABEL(text_end)
	".balign 4096\n");

extern unsigned char text_begin[], text_end[];
long first(long x);
long second(long x);
long third(long x);
long alike(long x);

static unsigned char *copy, *room;
static volatile int traps;
static unsigned char *own;
static unsigned char instead;

static size_t text_len(void)
{
	return text_end - text_begin;
}

/* Restore the byte, and execute the instruction again. */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	traps++;
	*own = instead;
	uc->uc_mcontext.gregs[REG_RIP] = (long)own;
}

static long at(const void *where, long x)
{
	long (*fn)(long) = (void *)where;

	return fn(x);
}

static long sum(unsigned char *text)
{
	return at(text + ((void *)first - (void *)text_begin), 100) +
	       10 * at(text + ((void *)second - (void *)text_begin), 100) +
	       100 * at(text + ((void *)third - (void *)text_begin), 100);
}

static int breakpoints(void)
{
	volatile unsigned char *byte = copy;
	size_t i;
	int n = 0;

	for (i = 0; i < text_len(); i++)
		n += byte[i] == BREAKPOINT;
	return n;
}

static unsigned char *map_room(void)
{
	unsigned char *pages = mmap(NULL, 4 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	/* Leave nothing mapped in front of the pages, and an inaccessible page behind them. */
	if (pages == MAP_FAILED ||
	    mprotect(pages + PAGE, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC))
		exit(1);
	munmap(pages, PAGE);
	return pages + PAGE;
}

static void make_copy(size_t in)
{
	room = map_room();
	copy = room + in;
	memcpy(copy, text_begin, text_len());
	mprotect(room, 2 * PAGE, PROT_READ | PROT_EXEC);
	printf("%d\n", breakpoints());
}

static void expect_trap(unsigned char *where)
{
	handle(SIGTRAP, on_trap, 0);
	own = where;
	instead = *where;
	traps = 0;
}

static void own_trap(void)
{
	static const unsigned char code[] = { 0x48, 0x8d, 0x47, 0x07, 0x90, 0xc3 };
	unsigned char *there = map_room();
	int i, n = 0;

	memcpy(there + 64, code, sizeof(code));
	for (i = 0; i < 100; i++) {
		expect_trap(there + 64);
		*own = BREAKPOINT;
		if (at(there + 64, i) == i + 7)
			n += traps;
	}
	printf("%d\n", n);
}

static void twin_trap(void)
{
	unsigned char *page = (unsigned char *)((unsigned long)alike & -PAGE);
	long sum;

	mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	expect_trap((unsigned char *)alike);
	*own = BREAKPOINT;
	sum = alike(100);
	printf("%ld %d\n", sum, traps);
	mprotect(page, PAGE, PROT_READ | PROT_EXEC);
}

static void padding_trap(void)
{
	unsigned char *there = map_room();

	memset(there, BREAKPOINT, PAGE);
	expect_trap(there + 128);
	instead = 0xc3;
	at(there + 128, 0);
	printf("%d\n", traps);
}

static volatile int racing;

static void *copies(void *arg)
{
	while (racing)
		memcpy(copy, text_begin, text_len());
	return NULL;
}

static void race(void)
{
	long want = sum(copy);
	pthread_t thread;
	int i, wrong = 0;

	mprotect(room, 2 * PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	racing = 1;
	pthread_create(&thread, NULL, copies, NULL);
	for (i = 0; i < 1000; i++)
		wrong += sum(copy) != want;
	racing = 0;
	pthread_join(thread, NULL);
	printf("wrong %d\n", wrong);
}

static void run_copy(void)
{
	long result = sum(copy);

	printf("%ld %d\n", result, breakpoints());
}

static void in_child(void)
{
	int status;

	if (!fork())
		_exit(sum(copy) % 251);
	wait(&status);
	printf("%s %d\n", WIFEXITED(status) ? "child" : "signal",
	       WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
}

int main(void)
{
	struct command c;

	printf("ready\n");
	while (next_command(&c)) {
		if (is(&c, "call"))
			printf("%ld\n", sum(text_begin));
		else if (is(&c, "copy"))
			make_copy(0);
		else if (is(&c, "odd"))
			make_copy(PAGE - 33);
		else if (is(&c, "run"))
			run_copy();
		else if (is(&c, "fork"))
			in_child();
		else if (is(&c, "own"))
			own_trap();
		else if (is(&c, "twin"))
			twin_trap();
		else if (is(&c, "padding"))
			padding_trap();
		else if (is(&c, "race"))
			race();
	}
	return 0;
}
