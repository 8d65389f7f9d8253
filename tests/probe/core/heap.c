// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic
/*
 * Grows the heap by brk(), from next to nothing to 256 MiB. Prints how many steps succeeded, and
 * the sum of what far_off() returned.  That function lies behind a megabyte of text, so it is
 * nearer to the heap than to the start of the program.
 *
 * With an argument, leaves nothing free in the 2 GiB below the program.  Then prints "PID ADDRESS
 * AWAY" (its process ID, and the addresses of far_off() and far_away()), and waits for a line on
 * standard input.  Then also calls far_away(), which is 70 instructions.  They refer to an address
 * that nothing above the program can reach.
 */
#include "puppet.h"

#define STEP	(64L << 10)
#define STEPS	4096
#define BELOW	(1UL << 31)

extern char __executable_start[];
long far_off(long x);
void far_away(void);

__asm__(".pushsection .text\n"
	".skip 1 << 20, 0x90\n"
	ASM_PART(far_off, "\tlea 1(%rdi), %rax\n\tret\n")
	ASM_PART(far_away, ".rept 70\n\tprefetcht0 -0x7f000000(%rip)\n.endr\n\tret\n")
	".popsection\n");

/*
 * Map the 2 GiB below the program.  It begins where the linker says, maybe some pages below its
 * text.
 */
static int fill_below(void)
{
	void *at = __executable_start - BELOW;

	return mmap(at, BELOW, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
		    MAP_FIXED_NOREPLACE, -1, 0) == at ? 0 : -1;
}

int main(int argc, char **argv)
{
	long i, sum = 0;

	if (argc > 1) {
		if (fill_below())
			err(1, "heap");
		printf("%d %p %p\n", getpid(), (void *)far_off, (void *)far_away);
		wait_line();
		far_away();
	}

	for (i = 0; i < STEPS; i++) {
		sum += far_off(i);
		if (sbrk(STEP) == (void *)-1)
			break;
	}
	printf("%ld steps, sum %ld\n", i, sum);
	return 0;
}
