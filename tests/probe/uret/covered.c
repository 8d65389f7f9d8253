// SPDX-License-Identifier: GPL-2.0
/*
 * Makes calls whose return address two tracers may have replaced, one over the other's. Prints its
 * process ID. Then, for each two lines that it reads, prints the sum of all results.
 */
#include "puppet.h"

/* Jump to lands() in the same frame (a tail call). */
long hops(long x);
long lands(long x);

__asm__(".pushsection .text\n"
	ASM_PART(hops, "\tadd $1, %rdi\n\tjmp lands\n")
	ASM_PART(lands, "\tlea 1(%rdi,%rdi,2), %rax\n\tret\n")
	".popsection\n");

static jmp_buf back;

PROBED void leaves(long n)
{
	__asm__ volatile("" : : "r" (n) : "memory");
	longjmp(back, 1);
}

/* The function that it calls comes back by a jump, not by a return. */
PROBED long stays(long n)
{
	if (!setjmp(back))
		leaves(n);
	__asm__ volatile("" : : : "memory");
	return n + 1;
}

/* Fork a child, which returns from this function, too. */
PROBED long forks(long n)
{
	pid_t pid = fork();

	__asm__ volatile("" : : : "memory");
	return pid ? pid : -n;
}

/* Wait for a line inside the function. */
PROBED long waits(long n)
{
	printf("reading\n");
	if (!wait_line())
		n++;
	__asm__ volatile("" : : : "memory");
	return n;
}

/* Return the child's status: 7 if forks() returned the right value there. */
static long child_of(long n)
{
	int status = 0;
	pid_t pid = forks(n);

	if (pid <= 0)
		_exit(pid == -n ? 7 : 8);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? -1 : WEXITSTATUS(status);
}

int main(void)
{
	printf("%d\n", getpid());
	while (wait_line()) {
		long i, sum = 0;

		for (i = 0; i < 10; i++)
			sum += hops(i) + 1000 * stays(i);
		sum += 1000000 * child_of(5) + 100000000 * waits(3);
		printf("%ld\n", sum);
	}
	return 0;
}
