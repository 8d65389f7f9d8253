// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread
/*
 * Runs two threads, in assembly, so that the contents of the stack are known.  The first thread
 * repeats one instruction: it fills memory, which takes long, or, with an argument, loads the
 * flags.  The other thread reads standard input by a system call, in nested calls.
 *
 * Prints "PID TID outer inner read_it system_call behind over".  TID is the first thread's, and the
 * rest are addresses; "over" is the instruction that the first thread repeats.  Ends at the end of
 * its input, and prints how many bytes it has read.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

long outer(char *byte);
void inner(void);
void read_it(void);
void fill_it(void *at, int what, long n);
void flags_it(void);
extern char system_call[], behind[], fill[], flags[];

__asm__(".pushsection .text\n"
	".globl outer\n.type outer, @function\n"
	"outer:\n"
	"\tsub $24, %rsp\n"
	"\tcall inner\n"
	"\tadd $24, %rsp\n"
	"\tret\n"
	".size outer, . - outer\n"
	".globl inner\n.type inner, @function\n"
	"inner:\n"
	"\tcall read_it\n"
	"\tnop\n"
	"\tret\n"
	".size inner, . - inner\n"
	".globl read_it\n.type read_it, @function\n"
	"read_it:\n"
	"\tmov %rdi, %rsi\n"
	"\txor %edi, %edi\n"
	"\tmov $1, %edx\n"
	"\txor %eax, %eax\n"
	".globl system_call\n"
	"system_call:\n"
	"\tsyscall\n"
	".globl behind\n"
	"behind:\n"
	"\tret\n"
	".size read_it, . - read_it\n"
	".globl fill_it\n.type fill_it, @function\n"
	"fill_it:\n"
	"\tmov %esi, %eax\n"
	"\tmov %rdx, %rcx\n"
	".globl fill\n"
	"fill:\n"
	"\trep stosb\n"
	"\tret\n"
	".size fill_it, . - fill_it\n"
	".globl flags_it\n.type flags_it, @function\n"
	"flags_it:\n"
	"\tpushf\n"
	/* An emulator takes interrupts at the target of a jump. */
	"\tjmp flags\n"
	".globl flags\n"
	"flags:\n"
	"\tpopf\n"
	"\tret\n"
	".size flags_it, . - flags_it\n"
	".popsection\n");

static char memory[1 << 18];
static volatile int first;

static void *goes_on(void *with_flags)
{
	first = syscall(SYS_gettid);
	for (;;) {
		if (with_flags)
			flags_it();
		else
			fill_it(memory, 7, sizeof(memory));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;
	char byte;
	long n = 0;

	pthread_create(&t, NULL, goes_on, argv[1]);
	while (!first)
		usleep(1000);
	printf("%d %d %p %p %p %p %p %p\n", getpid(), first, outer, inner, read_it,
	       system_call, behind, argv[1] ? flags : fill);
	fflush(stdout);
	while (outer(&byte) == 1)
		n++;
	printf("%ld bytes\n", n);
	return 0;
}
