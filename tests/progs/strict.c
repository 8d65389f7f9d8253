// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic
/*
 * Calls a function under seccomp's strict mode, which allows reading, writing
 * and exiting; anything else kills the program.
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

int main(void)
{
	char line[64];
	long sum = 0;
	int i;

	prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	for (i = 0; i < 1000; i++)
		sum += strict_work(i);
	i = snprintf(line, sizeof(line), "sum %ld\n", sum);
	write(1, line, i);
	syscall(SYS_exit, 0);
	return 1;
}
