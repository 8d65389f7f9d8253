// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic -fno-pie -no-pie
/*
 * Dies of a signal in a function whose instructions are all probed:
 *
 *	dies segv|ill|fpe|trap|abort
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__attribute__((noinline)) int dies_in(char how, int zero)
{
	switch (how) {
	case 's':
		return *(volatile int *)(long)zero;
	case 'i':
		__asm__ volatile("ud2");
		break;
	case 'f':
		return 5 / zero;
	case 't':
		__asm__ volatile("int3");
		break;
	default:
		kill(getpid(), SIGABRT);
	}
	return 1;
}

int main(int argc, char **argv)
{
	return dies_in(argc > 1 ? argv[1][0] : 0, argc - 2);
}
