// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -fno-optimize-sibling-calls -fno-inline -fno-omit-frame-pointer -no-pie
/*
 * Calls functions in a known order: nested, recursive, left by longjmp(), in two threads. Then, with an
 * argument, it executes itself anew, without the argument.  One function sleeps for 100 ms, or for
 * as many as the variable SLEEP of the environment says.
 */
#include "puppet.h"

#define TRACED __attribute__((noinline, noclone))

static jmp_buf back;
static volatile int sum;
static unsigned int sleep_ms = 100;

TRACED void fl_leaf(void)
{
	sum++;
}

TRACED void fl_slow(void)
{
	usleep(1000 * sleep_ms);
	fl_leaf();
}

TRACED void fl_down(int n)
{
	if (n)
		fl_down(n - 1);
	else
		fl_leaf();
	sum++;
}

TRACED void fl_jump(int n)
{
	if (n)
		fl_jump(n - 1);
	if (!n)
		longjmp(back, 1);
	sum++;
}

TRACED void fl_catch(void)
{
	if (!setjmp(back))
		fl_jump(2);
	fl_leaf();
}

TRACED void fl_tail(void)
{
	fl_leaf();
	sum++;
}

TRACED void *fl_thread(void *unused)
{
	fl_tail();
	return unused;
}

TRACED void fl_all(void)
{
	pthread_t thread;

	fl_slow();
	fl_down(3);
	fl_catch();
	pthread_create(&thread, NULL, fl_thread, NULL);
	pthread_join(thread, NULL);
	fl_leaf();
}

TRACED void fl_exec(char *self)
{
	execl(self, self, NULL);
}

int main(int argc, char **argv)
{
	if (getenv("SLEEP"))
		sleep_ms = (unsigned int)atoi(getenv("SLEEP"));
	fl_all();
	if (argc > 1)
		fl_exec(argv[0]);
	return 0;
}
