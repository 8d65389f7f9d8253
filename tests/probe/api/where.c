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
#include "puppet.h"

long outer(char *byte);
void inner(void);
void read_it(void);
void fill_it(void *at, int what, long n);
void flags_it(void);
extern char system_call[], behind[], fill[], flags[];

__asm__(".pushsection .text\n"
	ASM_PART(outer, "\tsub $24, %rsp\n\tcall inner\n\tadd $24, %rsp\n\tret\n")
	ASM_PART(inner, "\tcall read_it\n\tnop\n\tret\n")
	ASM_PART(read_it,
		 "\tmov %rdi, %rsi\n"
		 "\txor %edi, %edi\n"
		 "\tmov $1, %edx\n"
		 "\txor %eax, %eax\n"
		 LABEL(system_call)
		 "\tsyscall\n"
		 LABEL(behind)
		 "\tret\n")
	ASM_PART(fill_it,
		 "\tmov %esi, %eax\n"
		 "\tmov %rdx, %rcx\n"
		 LABEL(fill)
		 "\trep stosb\n"
		 "\tret\n")
	ASM_PART(flags_it,
		 "\tpushf\n"
		 /* An emulator takes interrupts at the target of a jump. */
		 "\tjmp flags\n"
		 LABEL(flags)
		 "\tpopf\n"
		 "\tret\n")
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
