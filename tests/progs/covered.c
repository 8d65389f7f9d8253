// SPDX-License-Identifier: GPL-2.0
/*
 * Calls whose return address two can have taken the place of, one over the other. Says its pid,
 * and then the sum of all results for each two lines that it reads.
 */
#include <setjmp.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone, externally_visible))

/* Goes on with lands() by a jump, in its own frame. */
long hops(long x);
long lands(long x);

__asm__(".pushsection .text\n"
	".globl hops\n.type hops, @function\n"
	"hops:\n"
	"\tadd $1, %rdi\n"
	"\tjmp lands\n"
	".size hops, . - hops\n"
	".globl lands\n.type lands, @function\n"
	"lands:\n"
	"\tlea 1(%rdi,%rdi,2), %rax\n"
	"\tret\n"
	".size lands, . - lands\n"
	".popsection\n");

static jmp_buf back;

PROBED void leaves(long n)
{
	__asm__ volatile("" : : "r" (n) : "memory");
	longjmp(back, 1);
}

/* What it calls comes back, but does not return. */
PROBED long stays(long n)
{
	if (!setjmp(back))
		leaves(n);
	__asm__ volatile("" : : : "memory");
	return n + 1;
}

/* With a child that returns from it as well. */
PROBED long forks(long n)
{
	pid_t pid = fork();

	__asm__ volatile("" : : : "memory");
	return pid ? pid : -n;
}

/* Waits for a line inside. */
PROBED long waits(long n)
{
	char line[16];

	printf("reading\n");
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		n++;
	__asm__ volatile("" : : : "memory");
	return n;
}

/* What the child has returned from forks(). */
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
	char line[16];

	printf("%d\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		long i, sum = 0;

		for (i = 0; i < 10; i++)
			sum += hops(i) + 1000 * stays(i);
		sum += 1000000 * child_of(5) + 100000000 * waits(3);
		printf("%ld\n", sum);
		fflush(stdout);
	}
	return 0;
}
