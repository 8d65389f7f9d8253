// SPDX-License-Identifier: GPL-2.0
/*
 * Sets a debugger's watchpoint (a debug register) on memory that an instruction writes:
 *
 *	watched N	a child calls store() N times, and the watchpoint is on the word that this
 *			function writes
 *	watched N call	the watchpoint is on the place where a call by register stores its return
 *			address; the instruction that follows is the called function's first
 *
 * Prints how often the child stopped for the watchpoint, how often ip was then at the instruction
 * that follows, and how often the child stopped otherwise.  Then prints the child's exit status,
 * which is 0 if the stored sum is right.
 */
#include "puppet.h"
#include <sys/ptrace.h>
#include <sys/user.h>

#define DEBUGREG(n)	offsetof(struct user, u_debugreg[n])

/* Watch writes of four or of eight bytes, by debug register 0. */
#define DR7_WRITTEN	(1 | 1 << 16 | 3 << 18)
#define DR7_WRITTEN_8	(1 | 1 << 16 | 2 << 18)

static volatile int cell;
static long stack[512] __attribute__((aligned(16)));

void store(volatile int *to, int value);
void through(void (*fn)(void), long *sp);
extern const char stored[];

ASM_FUNCTION(store, LABEL(store_at) "\tadd %esi, (%rdi)\nstored:\n\tret\n");
ASM_FUNCTION(through,
	     "\tpush %rbp\n\tmov %rsp, %rbp\n\tmov %rsi, %rsp\n"
	     LABEL(through_at)
	     "\tcall *%rdi\n"
	     "\tmov %rbp, %rsp\n\tpop %rbp\n\tret\n");

static void called(void)
{
	cell++;
}

static int stores(int n)
{
	for (int i = 1; i <= n; i++)
		store(&cell, i);
	return cell == n * (n + 1) / 2 ? 0 : 1;
}

static int calls(int n)
{
	for (int i = 0; i < n; i++)
		through(called, &stack[256]);
	return cell == n ? 0 : 1;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1, status;
	int watched = 0, behind = 0, other = 0;
	struct user_regs_struct regs;
	int by_call = argc > 2;
	const void *watch = by_call ? (void *)&stack[255] : (void *)&cell;
	const void *next = by_call ? (void *)called : stored;
	pid_t pid = fork();

	if (!pid) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		_exit(by_call ? calls(n) : stores(n));
	}
	waitpid(pid, &status, 0);
	if (ptrace(PTRACE_POKEUSER, pid, DEBUGREG(0), watch) ||
	    ptrace(PTRACE_POKEUSER, pid, DEBUGREG(7), by_call ? DR7_WRITTEN_8 : DR7_WRITTEN))
		err(2, "debug registers");
	ptrace(PTRACE_CONT, pid, NULL, NULL);
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		long dr6 = ptrace(PTRACE_PEEKUSER, pid, DEBUGREG(6), NULL);

		ptrace(PTRACE_POKEUSER, pid, DEBUGREG(6), 0);
		ptrace(PTRACE_GETREGS, pid, NULL, &regs);
		if (WSTOPSIG(status) == SIGTRAP && (dr6 & 0x400f) == 1) {
			watched++;
			behind += regs.rip == (unsigned long)next;
		} else {
			other++;
		}
		ptrace(PTRACE_CONT, pid, NULL, NULL);
	}
	printf("%d %d %d %d\n", watched, behind, other, WEXITSTATUS(status));
	return 0;
}
