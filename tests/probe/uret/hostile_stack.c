// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -fno-pic -no-pie -pthread
/*
 * Manipulates its stack in ways that return probes must survive, and prints the results:
 *
 *	hostile_stack redirect	functions exchange their return address for another one
 *	hostile_stack copy	copy the word in place of the return address to other places, and
 *				return there
 *	hostile_stack jump	jump to the address in place of the return address
 *	hostile_stack abandon N	make N calls on a stack, and unmap the stack then
 *	hostile_stack swap	exchange the stacks of calls in flight
 *	hostile_stack unaligned	let a call return in another thread, and unwind the stack with a
 *				return address that lies in two cache lines
 *
 * "redirect", "swap" and "unaligned" do nothing that an unprobed program could not do.  So their
 * output is the same whether enter() is probed or not.
 */
#include "puppet.h"
#include <execinfo.h>
#include <stdatomic.h>

#define STACK	16384

/* enter(f, x) returns f(address of the return address, x). */
__asm__(".pushsection .text\n"
	ASM_PART(enter,
		 "\tmov %rdi, %rax\n"
		 "\tmov %rsp, %rdi\n"
		 "\tsub $8, %rsp\n"
		 "\tcall *%rax\n"
		 "\tadd $8, %rsp\n"
		 "\tret\n")
	LABEL(elsewhere)
	"\tadd $1000, %rax\n"
	"\tjmp *%rbx\n"
	/* on_stack(f, stack): call enter(f) on the given stack; f may leave it by a jump */
	LABEL(on_stack)
	"\tpush %rbx\n"
	"\tmov %rsp, %rbx\n"
	"\tmov %rsi, %rsp\n"
	"\tcall enter\n"
	LABEL(off_stack)
	"\tmov %rbx, %rsp\n"
	"\tpop %rbx\n"
	"\tret\n"
	/* unwind_here(): call unwind() with the stack aligned as C code needs it */
	LABEL(unwind_here)
	"\tpush %rbp\n"
	"\tmov %rsp, %rbp\n"
	"\tand $-16, %rsp\n"
	"\tcall unwind\n"
	"\tleave\n"
	"\tret\n"
	".popsection\n");
long enter(long (*f)(unsigned long *, long), long x);
long on_stack(void *f, char *stack);
extern char elsewhere[], off_stack[], unwind_here[];

static unsigned long found;

static long look(unsigned long *ret, long x)
{
	found = *ret;
	return 3 * x;
}

static long to_elsewhere(unsigned long *ret, long x)
{
	*ret = (unsigned long)elsewhere;
	return 3 * x;
}

/* Call enter(), with %rbx the address where elsewhere continues. */
static long call_elsewhere(long x)
{
	long result;

	__asm__ volatile("push %%rbx\n\tsub $128, %%rsp\n\t"
			 "lea 1f(%%rip), %%rbx\n\t"
			 "call enter\n\t"
			 "ud2\n"
			 "1:\tadd $128, %%rsp\n\tpop %%rbx\n"
			 : "=a" (result), "+S" (x)
			 : "D" (to_elsewhere)
			 : "rcx", "rdx", "r8", "r9", "r10", "r11", "memory", "cc");
	return result;
}

static long call_in(unsigned long *ret, long x)
{
	return x ? enter(call_in, x - 1) + call_elsewhere(x) : 0;
}

static void redirect(void)
{
	long i, sum = 0;

	for (i = 0; i < 300; i++)
		sum += call_elsewhere(i) + enter(look, i);
	sum += enter(call_in, 50);
	printf("sum %ld\n", sum);
}

static long to_found(unsigned long *ret, long x)
{
	*ret = found;
	return x;
}

static sigjmp_buf out;
static volatile int in_child;

static void on_signal(int sig)
{
	siglongjmp(out, sig);
}

/*
 * Use a copied return address, in children, as anything may come of it.  If @how is 0, return to
 * it; if 1, jump to it.
 */
static void forge(int how)
{
	volatile int i, fine = 0, died = 0;
	int status;

	enter(look, 1);
	/* If the program is not probed, a return to the copied address leads here. */
	if (in_child)
		_exit(7);
	for (i = 0; i < 40; i++) {
		pid_t pid = fork();

		if (!pid) {
			in_child = 1;
			alarm(2);
			if (i % 2) {
				signal(SIGTRAP, on_signal);
				signal(SIGSEGV, on_signal);
				signal(SIGILL, on_signal);
			}
			if (!sigsetjmp(out, 1)) {
				if (how)
					__asm__ volatile("jmp *%0" : : "r" (found));
				else if (i % 4 < 2)
					call_elsewhere(i);
				enter(to_found, i);
			}
			_exit(enter(look, 5) != 15);
		}
		if (waitpid(pid, &status, 0) != pid)
			exit(4);
		*(status ? &died : &fine) += 1;
	}
	printf("%d children ended well, %d did not\n", fine, died);
}

static long leave(unsigned long *ret, long x)
{
	siglongjmp(out, 1);
}

static void abandon(long n)
{
	volatile long i;
	char line[128];
	static long before, after, *where = &before;
	char *volatile stack;
	FILE *f;

	for (i = 0; i <= n; i++) {
		if (i == n / 2 || i == n) {
			f = fopen("/proc/meminfo", "r");
			while (f && fgets(line, sizeof(line), f))
				sscanf(line, "SUnreclaim: %ld", where);
			if (f)
				fclose(f);
			where = &after;
		}
		stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			     -1, 0);
		if (stack == MAP_FAILED)
			exit(4);
		/* Use another place of the stack each time. */
		if (!sigsetjmp(out, 0))
			on_stack(leave, stack + STACK - 64 - i % 500 * 16);
		munmap(stack, STACK);
		if (i % 1000 == 0)
			mmap(NULL, STACK, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	}
	printf("grown by %ld kB\n", after - before);
}

static ucontext_t main_context, contexts[2];
static char stacks[2][65536] __attribute__((aligned(4096)));

static long inside(unsigned long *ret, long x)
{
	swapcontext(&contexts[x], &main_context);
	return x + 1;
}

static long results[2];

static void in_context(int i)
{
	results[i] = enter(inside, i);
}

/* Let two calls return in the order in which they began. */
static void swap(void)
{
	volatile long sum = 0;
	volatile int i, j;

	for (i = 0; i < 200; i++) {
		for (j = 0; j < 4; j++) {
			ucontext_t *volatile c = &contexts[j % 2];

			if (j < 2) {
				make_context(c, stacks[j], sizeof(stacks[j]), &main_context,
					     in_context, j);
			}
			swapcontext(&main_context, c);
		}
		sum += results[0] + 10 * results[1];
	}
	printf("sum %ld\n", sum);
}

/* Start to walk the stack as it is.  Another test walks through the whole stack. */
long unwind(void)
{
	void *frames[1];

	return backtrace(frames, 1) >= 0;
}

static atomic_int begun, finished;

static void *begin_context(void *unused)
{
	swapcontext(&main_context, &contexts[0]);
	begun = 1;
	while (!finished)
		usleep(1000);
	return NULL;
}

static void unaligned(void)
{
	pthread_t thread;

	unwind();
	make_context(&contexts[0], stacks[0], sizeof(stacks[0]), &main_context, in_context, 0);
	if (pthread_create(&thread, NULL, begin_context, NULL))
		exit(4);
	while (!begun)
		usleep(1000);
	swapcontext(&main_context, &contexts[0]);
	printf("entered in a thread, returned in another: %ld\n", results[0]);
	finished = 1;
	pthread_join(thread, NULL);
	/* The return address of enter() lies 8 bytes below. */
	printf("unwound: %ld\n", on_stack(unwind_here, stacks[1] + STACK / 2 + 64 + 4));
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (!strcmp(argv[1], "redirect"))
		redirect();
	else if (!strcmp(argv[1], "copy"))
		forge(0);
	else if (!strcmp(argv[1], "jump"))
		forge(1);
	else if (!strcmp(argv[1], "abandon") && argc == 3)
		abandon(atol(argv[2]));
	else if (!strcmp(argv[1], "swap"))
		swap();
	else if (!strcmp(argv[1], "unaligned"))
		unaligned();
	else
		return 2;
	printf("enter %ld\n", enter(look, 7));
	return 0;
}
