// SPDX-License-Identifier: GPL-2.0
// cflags: -m32 -Itests/shared/m32 -isystem /usr/include/x86_64-linux-gnu -nostdlib -fpie -pie
// cflags: -O1 -rdynamic tests/shared/m32/start.S
// cflags: /usr/lib32/libc.so.6 -Wl,--dynamic-linker=/lib/ld-linux.so.2
/*
 * A 32-bit program whose signal handler makes a system call with other flags than the last one
 * before the signal.  The kernel leaves these flags in a register that 32-bit code does not have.
 *
 * Prints the process ID of a child.  On SIGUSR1, the child sends SIGBUS to the thread; a shell
 * could send it to the process only.  Calls work() once, and prints its result and the number of
 * signals.
 */
#include "puppet.h"

static volatile int handled;

int work(int x);

ASM_FUNCTION(work, "\tmov 4(%esp), %eax\n\tadd $1, %eax\n\tret\n");

/* Call getppid() through the vdso, not by int $0x80. */
#define PARENT(set_flags) ({ \
	int parent = SYS_getppid; \
	asm volatile(set_flags "\n\tcall *%%gs:0x10" : "+a"(parent) : : "memory", "cc"); \
	parent; \
})

static void on_bus(int sig)
{
	(void)sig;
	handled++;
	PARENT("stc");
}

static void on_usr1(int sig)
{
	pid_t parent = getppid();

	(void)sig;
	_exit(!!syscall(SYS_tgkill, parent, parent, SIGBUS));
}

int main(void)
{
	struct sigaction action = { .sa_handler = on_bus };
	int value;
	pid_t pid;

	sigaction(SIGBUS, &action, NULL);
	action.sa_handler = on_usr1;
	sigaction(SIGUSR1, &action, NULL);
	pid = fork();
	if (!pid) {
		alarm(60);
		for (;;)
			pause();
	}
	printf("%d\n", pid);
	fflush(stdout);
	PARENT("clc");
	value = work(6);
	printf("%d %d\n", value, handled);
	return 0;
}
