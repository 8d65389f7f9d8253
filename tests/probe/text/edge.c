// SPDX-License-Identifier: GPL-2.0
/*
 * Calls edge_1() to edge_9(), and prints what they return.  Each is one instruction of ten bytes,
 * of which one to nine bytes lie before the end of a page.
 *
 *	edge traps
 *
 * Waits for a line, and writes a breakpoint of its own into edge_2().  Lets the kernel discard the
 * page that holds the rest of the instruction.  Then executes edge_2(), and prints whether that
 * trapped.
 */
#include "puppet.h"

#define EDGE(n)	".p2align 12\n.skip 4096 - " #n "\n"				\
	".globl edge_" #n "\n.type edge_" #n ", @function\nedge_" #n ":\n"	\
	"\tmovabs $0x1122334455667700 + " #n ", %rax\n\tret\n"		\
	".size edge_" #n ", . - edge_" #n "\n"

__asm__(".pushsection .text\n"
	EDGE(1) EDGE(2) EDGE(3) EDGE(4) EDGE(5) EDGE(6) EDGE(7) EDGE(8) EDGE(9)
	".popsection");

#define CALL(n) do {								\
	uint64_t edge_##n(void);						\
										\
	printf("%llx\n", (unsigned long long)edge_##n());			\
} while (0)

static sigjmp_buf out;

static void on_signal(int sig)
{
	siglongjmp(out, sig);
}

static int traps(void)
{
	uint64_t edge_2(void);
	uintptr_t second = (uintptr_t)edge_2 + 2;
	int sig;

	puts("ready");
	wait_line();
	signal(SIGTRAP, on_signal);
	signal(SIGALRM, on_signal);
	if (mprotect((void *)(second - 4096), 4096, PROT_READ | PROT_WRITE | PROT_EXEC))
		return 1;
	*(volatile unsigned char *)(second - 2) = 0xcc;
	alarm(20);
	sig = sigsetjmp(out, 1);
	if (!sig) {
		madvise((void *)second, 4096, MADV_DONTNEED);
		edge_2();
	}
	alarm(0);
	puts(sig == SIGTRAP ? "trapped" : sig ? "nothing came of it" : "executed");
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "traps"))
		return traps();
	CALL(1);
	CALL(2);
	CALL(3);
	CALL(4);
	CALL(5);
	CALL(6);
	CALL(7);
	CALL(8);
	CALL(9);
	return 0;
}
