// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic -fno-pie -no-pie -pthread
/*
 * Dies of a signal in a function whose instructions are all probed:
 *
 *	dies segv|ill|fpe|trap|abort|waits|later
 *
 * "waits" is "segv" while another thread waits in a system call that is probed, too.  "later" is
 * "segv" after a line on standard input.  Prints nothing.
 */
#include "puppet.h"

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

long waits(void);
/* pause */
ASM_FUNCTION(waits, "\tmov $34, %eax\n\tsyscall\n\tret\n");

static char waiter_path[64];

static void *waiter(void *arg)
{
	snprintf(waiter_path, sizeof(waiter_path), "/proc/self/task/%d/syscall", gettid());
	__atomic_store_n((int *)arg, 1, __ATOMIC_RELEASE);
	waits();
	return NULL;
}

static void start_waiter(void)
{
	static int started;
	pthread_t thread;
	int nr = -1;
	FILE *file;

	pthread_create(&thread, NULL, waiter, &started);
	while (nr != 34) {
		if (!__atomic_load_n(&started, __ATOMIC_ACQUIRE))
			continue;
		file = fopen(waiter_path, "r");
		if (fscanf(file, "%d", &nr) != 1)
			nr = -1;
		fclose(file);
	}
	/* Clear the registers in which the loop leaves different values each time. */
	__asm__ volatile("xor %%ecx, %%ecx\n\txor %%edx, %%edx\n\txor %%esi, %%esi"
			 : : : "rcx", "rdx", "rsi", "cc");
}

int main(int argc, char **argv)
{
	char how = argc > 1 ? argv[1][0] : 0;

	if (how == 'w') {
		start_waiter();
		how = 's';
	} else if (how == 'l') {
		wait_line();
		how = 's';
	}
	return dies_in(how, argc - 2);
}
