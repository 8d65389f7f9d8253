// SPDX-License-Identifier: GPL-2.0
/*
 *	moves_return TIMES
 *
 * Calls functions that take their two arguments off the stack together with their return address.
 * They move the return address: up over the arguments, as functions of a JavaScript engine do; the
 * same, and clear the old place; and down, below room that the caller frees. nested() calls them at
 * several depths, too.  Prints the sum of the results.
 */
#include "puppet.h"

/*
 * call_NAME(a, b) pushes both arguments and calls NAME, which adds them.  The jump in the frame
 * hides the rest of the function from a reader that reads only up to the jump.
 */
#define MOVES(name, move)							\
	ASM_PART(name,								\
		 "\tpush %rbp\n\tmov 16(%rsp), %rax\n\tjmp 1f\n\tud2\n"	\
		 "1:\tadd 24(%rsp), %rax\n\tpop %rbp\n\tpop %r10\n"		\
		 move								\
		 "\tpush %r10\n\tret\n")
#define CALLS(name)								\
	ASM_PART(call_##name,							\
		 "\tpush %rbp\n\tmov %rsp, %rbp\n\tpush %rsi\n\tpush %rdi\n"	\
		 "\tcall " #name "\n\tleave\n\tret\n")

__asm__(".text\n"
	CALLS(moves_up) CALLS(moves_and_wipes) CALLS(moves_down)
	MOVES(moves_up, "	lea 16(%rsp), %rsp\n")
	MOVES(moves_and_wipes, "	movq $0, -8(%rsp)\n	lea 16(%rsp), %rsp\n")
	MOVES(moves_down, "	movq $0, -8(%rsp)\n	sub $64, %rsp\n"));

long call_moves_up(long a, long b);
long call_moves_and_wipes(long a, long b);
long call_moves_down(long a, long b);

/* Make nested calls, whose return addresses lie in frames further up. */
__attribute__((noipa)) long nested(long n)
{
	if (!n)
		return 0;
	return nested(n - 1) + call_moves_up(n, 1) - call_moves_and_wipes(n, 2) +
	       call_moves_down(n, 3);
}

int main(int argc, char **argv)
{
	long times = argc == 2 ? atol(argv[1]) : 0, sum = 0;

	for (long i = 0; i < times; i++)
		sum += call_moves_up(i, 10) - call_moves_and_wipes(i, 20) +
		       call_moves_down(i, 30) + nested(i % 10);
	printf("ended well with %ld\n", sum);
	return 0;
}
