// SPDX-License-Identifier: GPL-2.0
/*
 *	cli_clock FILE
 *
 * Prints "waits", and waits until FILE exists.  Then asks for the time of day seven times, and once
 * more in a child, and prints whether the answers make sense.
 */
#include "puppet.h"

static int ask(void)
{
	struct timeval tv = { 0 };
	struct timespec before, after;
	int ret;

	clock_gettime(CLOCK_REALTIME_COARSE, &before);
	ret = gettimeofday(&tv, NULL);
	clock_gettime(CLOCK_REALTIME, &after);
	return !ret && tv.tv_sec >= before.tv_sec && tv.tv_sec <= after.tv_sec;
}

int main(int argc, char **argv)
{
	int good = 0, status = 1, i;
	pid_t child;

	if (argc != 2)
		return 2;
	puts("waits");
	fflush(stdout);
	while (access(argv[1], F_OK))
		usleep(20000);
	for (i = 0; i < 7; i++)
		good += ask();
	child = fork();
	if (!child)
		_exit(!ask());
	if (child > 0)
		waitpid(child, &status, 0);
	printf("%d answers, %lu characters, the child's %s\n", good,
	       (unsigned long)strlen(argv[0] + (good != 7)),
	       WIFEXITED(status) && !WEXITSTATUS(status) ? "too" : "not");
	return 0;
}
