// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Makes system calls that the kernel judges by the address where they are made: by syscall user
 * dispatch (man 2 prctl, PR_SET_SYSCALL_USER_DISPATCH), then by a seccomp filter.
 *
 * Prints how many calls succeeded, how many were dispatched, and from where each signal was sent.
 * The signal's information and its frame both show that address.  Each is printed as its distance
 * from the instruction after the system call.
 */
#include "puppet.h"
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_ON 1
#endif

long call(long nr);
extern char behind[], call_end[];

ASM_FUNCTION(call,
	     "\tmov %rdi, %rax\n"
	     LABEL(the_syscall)
	     "\tsyscall\n"
	     LABEL(behind)
	     "\tret\n"
	     LABEL(call_end));

static volatile char blocked;
static volatile int dispatched;
static volatile long said, framed;

static void on_sys(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;

	blocked = 0;
	dispatched++;
	said = (char *)info->si_call_addr - behind;
	framed = (char *)uc->uc_mcontext.gregs[REG_RIP] - behind;
}

static void dispatch(void *from, long len)
{
	if (prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, from, len, &blocked))
		err(2, "prctl");
}

/* Make calls that are dispatched unless they are made from a range.  Return how many succeeded. */
static int blocked_calls(void)
{
	long got[100], parent = getppid();
	int i, well = 0;

	for (i = 0; i < 100; i++) {
		blocked = 1;
		got[i] = call(SYS_getppid);
		blocked = 0;
	}
	for (i = 0; i < 100; i++)
		well += got[i] == parent;
	return well;
}

static void filter(void)
{
	if (judge_by(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getpgrp, 5, 0),
		     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 3),
		     BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			      offsetof(struct seccomp_data, instruction_pointer)),
		     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)(unsigned long)behind, 1, 0),
		     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		     BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)))
		err(2, "seccomp");
}

int main(void)
{
	long parent = getppid();
	int well;

	handle(SIGSYS, on_sys, 0);
	dispatch(call, call_end - (char *)call);
	printf("from the range: %d", blocked_calls());
	printf(", dispatched %d\n", dispatched);
	dispatch(main, 1);
	well = blocked_calls();
	printf("from elsewhere: %d, dispatched %d, %+ld, %+ld\n", well, dispatched, said, framed);
	prctl(PR_SET_SYSCALL_USER_DISPATCH, 0, 0, 0, 0);

	filter();
	well = 0;
	for (int i = 0; i < 100; i++)
		well += call(SYS_getppid) == parent;
	printf("filtered by place: %d\n", well);
	dispatched = 0;
	call(SYS_getpgrp);
	printf("filtered by number: %d, %+ld, %+ld\n", dispatched, said, framed);
	return 0;
}
