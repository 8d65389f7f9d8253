// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 *	hop N
 *
 * Calls work() three times, prints the sum, and executes the program of the other word size, N
 * times: "hop" executes "hop32", and "hop32" executes "hop".  Before each time, a forked child does
 * so, too, once.
 */
#include "puppet.h"

__attribute__((noinline, noclone)) long work(long x)
{
	__asm__ volatile("" : "+r" (x));
	return x * 3 + 1;
}

static void other(const char *self, long left)
{
	char path[4096], number[24];
	size_t len = strlen(self);

	if (len > 2 && !strcmp(self + len - 2, "32"))
		snprintf(path, sizeof(path), "%.*s", (int)len - 2, self);
	else
		snprintf(path, sizeof(path), "%s32", self);
	snprintf(number, sizeof(number), "%ld", left);
	execl(path, path, number, (char *)NULL);
	perror(path);
	exit(1);
}

int main(int argc, char **argv)
{
	long i, left = argc == 2 ? atol(argv[1]) : 0, sum = 0;
	int status = 0;
	pid_t pid;

	for (i = 0; i < 3; i++)
		sum += work(i);
	printf("%d bits, %ld left: %ld\n", (int)sizeof(long) * 8, left, sum);
	fflush(stdout);
	if (!left)
		return 0;
	pid = fork();
	if (!pid)
		other(argv[0], 0);
	waitpid(pid, &status, 0);
	if (status)
		return 1;
	other(argv[0], left - 1);
	return 1;
}
