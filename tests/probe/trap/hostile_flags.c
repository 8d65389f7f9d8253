// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -fno-pic -no-pie -mno-red-zone
/*
 * Makes itself trap wherever it can, and prints its results, how many traps its handler saw, and a
 * hash of them:
 *
 *	hostile_flags step	set TF and call work(), over and over
 *	hostile_flags traps	execute int3, int 3 and int1 beside and between calls
 *	hostile_flags both	the same under TF
 *	hostile_flags write	write a breakpoint over the first byte of work(), handle its
 *				trap, and restore the byte
 *	hostile_flags change	write another instruction there, and restore the old one
 *
 * The output is the same whether work() and more() are probed or not.
 */
#include "puppet.h"

#define TF	0x100

/* The functions have a page of their own. */
__asm__(".pushsection .text\n"
	".balign 4096\n"
	ASM_PART(work,
		 "\tpush %rbx\n"
		 "\tlea 1(%rdi,%rdi,2), %rbx\n"
		 "\tmov %rbx, %rax\n"
		 "\tpop %rbx\n"
		 "\tret\n")
	"\tint3\n"
	ASM_PART(more,
		 "\tint3\n"
		 "1:\tlea 2(%rdi,%rdi,2), %rax\n"
		 "\tint3\n"
		 "\tint $3\n"
		 "2:\tnop\n"
		 "\t.byte 0xf1\n"
		 "3:\tret\n")
	".globl more_lea, more_nop, more_ret\n"
	".set more_lea, 1b\n"
	".set more_nop, 2b\n"
	".set more_ret, 3b\n"
	".balign 4096\n"
	".popsection\n");
long work(long x);
long more(long x);

static volatile unsigned long traps, hash, odd;
static volatile int give_back;

static void on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
	unsigned long ip = gregs[REG_RIP];

	traps++;
	hash = (hash ^ ip) * 0x100000001b3;
	hash = (hash ^ info->si_code) * 0x100000001b3;
	hash = (hash ^ (gregs[REG_EFL] & TF)) * 0x100000001b3;
	if (give_back && ip == (unsigned long)work + 1) {
		*(volatile char *)work = 0x53;
		gregs[REG_RIP]--;
	}
}

static long stepped(long (*function)(long x), long x)
{
	long result;

	__asm__ volatile("pushf\n\torq $0x100, (%%rsp)\n\tpopf\n\t"
			 "mov %[x], %%rdi\n\tcall *%[function]\n\t"
			 "pushf\n\tandq $~0x100, (%%rsp)\n\tpopf\n"
			 : "=&a" (result) : [x] "r" (x), [function] "r" (function)
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
	return result;
}

static void step(void)
{
	long i, sum = 0;

	for (i = 0; i < 200; i++)
		sum += stepped(work, i);
	printf("sum %ld\n", sum);
}

static void step_traps(void)
{
	long i, sum = 0;

	for (i = 0; i < 200; i++)
		sum += stepped(more, i) + stepped(work, i);
	printf("sum %ld\n", sum);
}

static void execute(void)
{
	long i, sum = 0;

	for (i = 0; i < 200; i++)
		sum += work(i) + more(i);
	printf("sum %ld\n", sum);
}

static void write_breakpoint(int code)
{
	long i, sum = 0;

	mprotect((void *)work, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	give_back = 1;
	for (i = 0; i < 200; i++) {
		*(volatile unsigned char *)work = code;
		sum += work(i);
		*(volatile unsigned char *)work = 0x53;
	}
	printf("sum %ld\n", sum);
}

static void change(void)
{
	unsigned char old[16];
	long i, sum = 0;

	mprotect((void *)work, 4096, PROT_READ | PROT_WRITE | PROT_EXEC);
	for (i = 0; i < 200; i++) {
		memcpy(old, (void *)work, sizeof(old));
		/* mov $5, %eax; ret */
		memcpy((void *)work, "\xb8\x05\0\0\0\xc3", 6);
		sum += work(i);
		memcpy((void *)work, old, sizeof(old));
		sum += 1000 * work(i);
	}
	printf("sum %ld\n", sum);
}

int main(int argc, char **argv)
{
	handle(SIGTRAP, on_trap, 0);
	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "step"))
		step();
	else if (!strcmp(argv[1], "traps"))
		execute();
	else if (!strcmp(argv[1], "both"))
		step_traps();
	else if (!strcmp(argv[1], "write"))
		write_breakpoint(0xcc);
	else if (!strcmp(argv[1], "change"))
		change();
	else
		return 2;
	printf("%lu traps, hash %#lx\n", traps, hash);
	return 0;
}
