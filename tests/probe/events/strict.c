// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic
/*
 * Calls a function under seccomp's strict mode.  This allows reading, writing and exiting; all else
 * kills the program:
 *
 *	strict [filter] [wait]
 *
 * With "filter", a seccomp filter does this instead.  With "wait", the program first prints its
 * process ID and the function's address.  Under that mode, it then prints "strict" and waits for a
 * line.  At the end, prints the sum of the results.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include "puppet.h"
#include <sys/prctl.h>

__attribute__((noinline)) long strict_work(long x)
{
	__asm__ volatile("" : "+r"(x));
	return x * 7;
}

static void filter(void)
{
	if (judge_by(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_read, 3, 0),
		     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 2, 0),
		     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit, 1, 0),
		     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)))
		_exit(2);
}

int main(int argc, char **argv)
{
	int filters = argc > 1 && !strcmp(argv[1], "filter");
	int waits = argc > 1 + filters;
	char line[64];
	long sum = 0;
	int i;

	if (waits) {
		printf("%d %p\n", getpid(), strict_work);
		fflush(stdout);
	}
	if (filters)
		filter();
	else
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (waits) {
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
