// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic
/*
 * Traces a child through its system calls and some signals, and prints what its
 * registers show at each stop, addresses as distances from code of its own.
 * The output is the same whether the child is probed or not.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

extern char calls_begin[], calls_end[];
void calls(void);

/* getppid, a failing close, a nanosleep that a signal interrupts, kill. */
__asm__(".pushsection .text\n"
	".globl calls\n.type calls, @function\n"
	"calls:\n"
	"calls_begin:\n"
	"\tmov $110, %eax\n"
	"\tsyscall\n"
	"\tmov $3, %eax\n"
	"\tmov $-1, %edi\n"
	"\tsyscall\n"
	"\tpush %rbx\n"
	"\tmov $39, %eax\n"
	"\tsyscall\n"
	"\tmov %eax, %edi\n"
	"\tmov $10, %esi\n"
	"\tmov $62, %eax\n"
	"\tsyscall\n"
	"\tpop %rbx\n"
	"\tret\n"
	"calls_end:\n"
	".size calls, . - calls\n"
	".popsection\n");

static void on_usr1(int sig)
{
}

static void print_stop(const char *what, pid_t pid)
{
	struct user_regs_struct regs;
	char rcx[32] = "other";

	ptrace(PTRACE_GETREGS, pid, NULL, &regs);
	if (regs.rip < (unsigned long)calls_begin || regs.rip > (unsigned long)calls_end)
		return;
	if (regs.rcx >= (unsigned long)calls_begin && regs.rcx <= (unsigned long)calls_end)
		snprintf(rcx, sizeof(rcx), "+%lld", regs.rcx - (unsigned long)calls_begin);
	printf("%s at +%lld nr %lld rcx %s\n", what, regs.rip - (unsigned long)calls_begin,
	       regs.orig_rax, rcx);
}

int main(void)
{
	pid_t pid = fork();
	int status, n = 0;

	if (!pid) {
		int i;

		signal(SIGUSR1, on_usr1);
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		for (i = 0; i < 5; i++)
			calls();
		_exit(0);
	}
	waitpid(pid, &status, 0);
	while (!WIFEXITED(status) && n++ < 1000) {
		int sig = WIFSTOPPED(status) ? WSTOPSIG(status) : 0;

		if (sig == SIGTRAP)
			print_stop("system call", pid);
		else
			print_stop("signal", pid);
		/* Step over one in three, to see that, too. */
		ptrace(n % 3 ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, pid, NULL,
		       (void *)(long)(sig == SIGTRAP || sig == SIGSTOP ? 0 : sig));
		waitpid(pid, &status, 0);
	}
	printf("status %x\n", status);
	return 0;
}
