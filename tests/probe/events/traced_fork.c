// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic
/*
 * Traces a child that forks.  Prints what the registers of each new process show at its first stop,
 * with addresses as distances from code of the program.  The output is the same whether the child
 * is probed or not.
 *
 * With an argument, the child first prints "PID ADDRESS" (its process ID and the address of
 * forker()), and waits for a line on standard input.
 */
#include "puppet.h"
#include <sys/ptrace.h>
#include <sys/user.h>

#define TIMES 5

extern char forker_begin[];
long forker(void);

ASM_FUNCTION(forker, "forker_begin:\n\tmov $57, %eax\n\tsyscall\n\tret\n");

static int forks(int waits)
{
	int status;

	if (waits) {
		printf("%d %p\n", getpid(), (void *)forker);
		wait_line();
	}
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	for (int i = 0; i < TIMES; i++) {
		pid_t pid = forker();

		if (!pid)
			_exit(i);
		if (waitpid(pid, &status, 0) != pid || WEXITSTATUS(status) != i)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct user_regs_struct regs;
	pid_t first = fork(), pid;
	int status;

	if (!first)
		_exit(forks(argc > 1));
	waitpid(first, &status, 0);
	ptrace(PTRACE_SETOPTIONS, first, NULL, (void *)(long)PTRACE_O_TRACEFORK);
	ptrace(PTRACE_CONT, first, NULL, NULL);
	while ((pid = waitpid(-1, &status, __WALL)) > 0) {
		long sig = 0;

		if (!WIFSTOPPED(status)) {
			if (pid == first)
				break;
			continue;
		}
		if (pid == first && WSTOPSIG(status) != SIGTRAP)
			sig = WSTOPSIG(status);
		if (pid != first) {
			ptrace(PTRACE_GETREGS, pid, NULL, &regs);
			printf("a new process at %lld, rcx %lld\n",
			       regs.rip - (unsigned long)forker_begin,
			       regs.rcx - (unsigned long)forker_begin);
		}
		ptrace(PTRACE_CONT, pid, NULL, (void *)sig);
	}
	printf("status %x\n", status);
	return 0;
}
