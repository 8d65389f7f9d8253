// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic
/*
 * Traces a child through its system calls, some signals and a fault.  At each stop, prints what the
 * child's registers and the signal show.  Addresses are printed as distances from code of the
 * program.  The output is the same whether the child is probed or not.
 */
#include "puppet.h"
#include <sys/ptrace.h>
#include <sys/user.h>

extern char calls_begin[], calls_end[];
void calls(void);

/*
 * Call getppid(), a close() that fails, and kill().  Then divide by zero; the handler skips the
 * division.
 */
ASM_FUNCTION(calls,
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
	     "\txor %ecx, %ecx\n"
	     "\tdiv %ecx\n"
	     "\tpop %rbx\n"
	     "\tret\n"
	     "calls_end:\n");

static void on_usr1(int sig)
{
}

static void on_fpe(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	uc->uc_mcontext.gregs[REG_RIP] += 2;
}

static bool in_calls(unsigned long addr)
{
	return addr >= (unsigned long)calls_begin && addr <= (unsigned long)calls_end;
}

static void print_stop(const char *what, pid_t pid)
{
	struct user_regs_struct regs;
	char rcx[32] = "other";
	siginfo_t info = {};

	ptrace(PTRACE_GETREGS, pid, NULL, &regs);
	if (!in_calls(regs.rip))
		return;
	if (in_calls(regs.rcx))
		snprintf(rcx, sizeof(rcx), "+%lld", regs.rcx - (unsigned long)calls_begin);
	printf("%s at +%lld nr %lld rcx %s", what, regs.rip - (unsigned long)calls_begin,
	       regs.orig_rax, rcx);
	ptrace(PTRACE_GETSIGINFO, pid, NULL, &info);
	/* Print what an exception tells, but not what the stop of a system call does. */
	if ((info.si_signo == SIGTRAP || info.si_signo == SIGFPE) && info.si_code > 0 &&
	    info.si_code < SIGTRAP)
		printf(" code %d of +%ld", info.si_code,
		       (long)info.si_addr - (long)calls_begin);
	putchar('\n');
}

int main(void)
{
	pid_t pid = fork();
	int status, n = 0;

	if (!pid) {
		int i;

		signal(SIGUSR1, on_usr1);
		handle(SIGFPE, on_fpe, 0);
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
		/* Make a step at one stop in three, to see that, too. */
		ptrace(n % 3 ? PTRACE_SYSCALL : PTRACE_SINGLESTEP, pid, NULL,
		       (void *)(long)(sig == SIGTRAP || sig == SIGSTOP ? 0 : sig));
		waitpid(pid, &status, 0);
	}
	printf("status %x\n", status);
	return 0;
}
