// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic -pthread -fno-optimize-sibling-calls
/*
 * Calls functions in unusual ways: on the stacks of coroutines and of signals, with jumps out of
 * signal handlers, with tail calls, with a return that has a prefix, and with returns that pop
 * arguments.  The last is also done at the place where a call that was left by a jump had its
 * return address.  Prints the results, and how often each probed_*() returned.  The output is the
 * same whether they are probed or not.
 */
#include "puppet.h"
#include <dlfcn.h>

#define HERE __asm__ volatile("" ::: "memory")
#define COROUTINES 8

static long entered[8], returned[8];

static ucontext_t main_context, contexts[COROUTINES];
static long turns;

PROBED long probed_yields(long me, long depth)
{
	long sum;

	entered[0]++;
	if (depth) {
		sum = probed_yields(me, depth - 1);
	} else {
		swapcontext(&contexts[me], &contexts[(me + 1) % COROUTINES]);
		sum = me;
	}
	HERE;
	returned[0]++;
	return sum + 1;
}

static void coroutine(int me)
{
	int i;

	for (i = 0; i < 30; i++)
		turns += probed_yields(me, i % 7);
	/* The first coroutine to finish ends the test; the others stay suspended. */
	setcontext(&main_context);
}

static void run_coroutines(void)
{
	volatile int done = 0;
	int i;

	getcontext(&main_context);
	if (done)
		return;
	done = 1;
	for (i = 0; i < COROUTINES; i++)
		make_context(&contexts[i], malloc(64 << 10), 64 << 10, NULL, coroutine, i);
	setcontext(&contexts[0]);
}

static sigjmp_buf out;

PROBED long probed_in_handler(long jump)
{
	entered[1]++;
	if (jump)
		siglongjmp(out, 1);
	HERE;
	returned[1]++;
	return 3;
}

static long handled;

static void on_signal(int sig)
{
	handled += probed_in_handler(0);
	if (sig == SIGUSR2)
		handled += probed_in_handler(1);
}

PROBED long probed_raises(int sig)
{
	entered[2]++;
	raise(sig);
	HERE;
	returned[2]++;
	return 1;
}

/* Takes two arguments on the stack, and pops them by its return. */
long probed_pops(long a, long b);
ASM_FUNCTION(probed_pops, "\tmov 8(%rsp), %rax\n\tadd 16(%rsp), %rax\n\tret $16\n");

static long pops(long a, long b)
{
	long sum;

	__asm__ volatile("push %2\n\tpush %1\n\tcall probed_pops"
			 : "=a" (sum) : "r" (a), "r" (b) : "memory", "cc");
	return sum;
}

/* Is left by a jump.  The place of its return address then gets an argument. */
void probed_left(void);
ASM_FUNCTION(probed_left, "\tmov %rcx, %rsp\n\tjmp *%rdx\n");

#define POPS_OVER(below)					\
	__asm__ volatile("lea -128(%%rsp), %%rsp\n"		\
			 "\tmov %%rsp, %%rcx\n"			\
			 "\tlea 1f(%%rip), %%rdx\n"		\
			 below					\
			 "\tcall probed_left\n"			\
			 "\tmov $-1, %%rax\n"			\
			 "\tjmp 2f\n"				\
			 "1:\tpush %2\n"			\
			 "\tpush %1\n"				\
			 "\tcall probed_pops\n"			\
			 "2:\tlea 128(%%rsp), %%rsp"		\
			 : "=&a" (sum) : "r" (a), "r" (b)	\
			 : "rcx", "rdx", "memory", "cc")

/* The old return address lies where the last argument is pushed. */
static long pops_over_last(long a, long b)
{
	long sum;

	POPS_OVER("");
	return sum;
}

/* The old return address lies where the first argument is pushed. */
static long pops_over_first(long a, long b)
{
	long sum;

	POPS_OVER("\tpush $0\n");
	return sum;
}

/* Ends in a jump to another probed function. */
long probed_tail(long x);
long probed_end(long x);
__asm__(".pushsection .text\n"
	ASM_PART(probed_tail, "\tadd $5, %rdi\n\tjmp probed_end\n")
	ASM_PART(probed_end, "\tlea 1(%rdi), %rax\n\tret\n")
	".popsection\n");

/* Is a single instruction: a return with the prefix that old processors needed on a jump target. */
void probed_rep(void);
ASM_FUNCTION(probed_rep, "\trep ret\n");

/* Check that the call leaves all registers as they are. */
static long reps(long x)
{
	long y = 2 * x;

	__asm__ volatile("call probed_rep" : "+a" (x), "+c" (y) : : "memory");
	return x + y;
}

struct large {
	long a[6];
};

PROBED struct large probed_struct(long x)
{
	struct large l = { { x, x + 1, x + 2, x + 3, x + 4, x + 5 } };

	entered[3]++;
	HERE;
	returned[3]++;
	return l;
}

/* It is never called. */
__attribute__((optimize("optimize-sibling-calls"))) void *next_of(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

int main(void)
{
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	stack_t alternate = { .ss_sp = malloc(64 << 10), .ss_size = 64 << 10 };
	volatile long i, sum = 0, jumped = 0;

	run_coroutines();
	printf("turns %ld\n", turns);

	sigaltstack(&alternate, NULL);
	sigaction(SIGUSR1, &act, NULL);
	sigaction(SIGUSR2, &act, NULL);
	for (i = 0; i < 200; i++) {
		if (!sigsetjmp(out, 1))
			sum += probed_raises(i % 3 ? SIGUSR1 : SIGUSR2);
		else
			jumped++;
	}
	printf("raised %ld jumped %ld handled %ld\n", sum, jumped, handled);

	for (i = 0, sum = 0; i < 100; i++)
		sum += pops(i, 2 * i);
	printf("popped %ld\n", sum);
	for (i = 0, sum = 0; i < 50; i++)
		sum += pops_over_last(i, 2 * i) + pops_over_first(i, 3 * i);
	printf("popped over what was left %ld\n", sum);
	for (i = 0, sum = 0; i < 100; i++)
		sum += probed_tail(i) + probed_end(i);
	printf("tail %ld\n", sum);
	for (i = 0, sum = 0; i < 100; i++)
		sum += reps(i);
	printf("with a prefix %ld\n", sum);
	for (i = 0, sum = 0; i < 100; i++)
		sum += probed_struct(i).a[i % 6];
	printf("structs %ld\n", sum);

	printf("returned probed_yields %ld\n", returned[0]);
	printf("returned probed_in_handler %ld\n", returned[1]);
	printf("returned probed_raises %ld\n", returned[2]);
	printf("returned probed_struct %ld\n", returned[3]);
	printf("returned probed_pops 200\nreturned probed_left 0\n");
	printf("returned probed_tail 100\nreturned probed_end 200\nreturned probed_rep 100\n");
	return 0;
}
