// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic
/*
 * Calls a function under seccomp's strict mode, which allows reading, writing
 * and exiting; anything else kills the program.  With an argument it says its process ID and
 * the function's address first, and, when it is under that mode, "strict"; then it waits for a
 * line.
 */
#include <linux/seccomp.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__((noinline)) long strict_work(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 7;
}

int main(int argc, char **argv)
{
	char line[64];
	long sum = 0;
	int i;

	if (argc > 1) {
		printf("%d %p\n", getpid(), strict_work);
		fflush(stdout);
	}
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (argc > 1) {
		write(1, "strict\n", 7);
		read(0, line, 1);
	}
	for (i = 0; i < 1000; i++)
		sum += strict_work(i);
	i = snprintf(line, sizeof(line), "sum %ld\n", sum);
	write(1, line, i);
	syscall(SYS_exit, 0);
	return 1;
}
