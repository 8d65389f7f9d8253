// SPDX-License-Identifier: GPL-2.0
/*
 * A debugger's watchpoint (a debug register) on what an instruction writes.
 *
 * "watched N": a child calls store() N times; says how often it stopped for the watchpoint,
 * how often with the ip behind the instruction, how often otherwise, and the exit status, which
 * is 0 when the sum stored is right.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEBUGREG(n)	offsetof(struct user, u_debugreg[n])

/* Of four bytes, when written, by register 0. */
#define DR7_WRITTEN	(1 | 1 << 16 | 3 << 18)

static volatile int cell;

void store(volatile int *to, int value);
extern const char stored[];

asm(".text\n"
	".globl store\n"
	".type store, @function\n"
	"store:\n"
	".globl store_at\n"
	"store_at:\n"
	"	add %esi, (%rdi)\n"
	"stored:\n"
	"	ret\n");

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, status;
	int watched = 0, behind = 0, other = 0;
	struct user_regs_struct regs;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		for (int i = 1; i <= n; i++)
			store(&cell, i);
		_exit(cell == n * (n + 1) / 2 ? 0 : 1);
	}
	waitpid(pid, &status, 0);
	if (ptrace(PTRACE_POKEUSER, pid, DEBUGREG(0), &cell) ||
	    ptrace(PTRACE_POKEUSER, pid, DEBUGREG(7), DR7_WRITTEN)) {
		perror("debug registers");
		return 2;
	}
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		long dr6 = ptrace(PTRACE_PEEKUSER, pid, DEBUGREG(6), NULL);

		ptrace(PTRACE_POKEUSER, pid, DEBUGREG(6), 0);
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		if (WSTOPSIG(status) == SIGTRAP && (dr6 & 0x400f) == 1) {
			watched++;
			behind += regs.rip == (unsigned long)stored;
		} else {
			other++;
		}
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	printf("%d %d %d %d\n", watched, behind, other, WEXITSTATUS(status));
	return 0;
}
