// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Has a scheduler like Go's.  If SIGURG interrupts a thread in one of the functions below, the
 * handler sends the thread to other code.  That code then continues the interrupted function; the
 * handler does not return there.
 *
 *	preempted wait THING	print the process ID, call THING once, print its result and how
 *				many signals there were
 *	preempted storm N	call each THING at least N times, until there have been some
 *				signals; print whether the sum is right; print on standard error
 *				how often each was called, how many signals there were, and how
 *				many of them sent the thread elsewhere
 */
#include "puppet.h"
#include <sys/ucontext.h>

long by_ret(long x);
long by_rep(long x);
long by_imm(long x);
long by_jump(long x);
long by_copy(long x);
long by_push(long x);
long by_jcc(long x);
long by_call(long x);
long by_icall(long x);
void elsewhere(void);
extern const char preemptible[], preemptible_end[];

/* There is no red zone, as in Go: the word below the stack is free. */
asm(".text\n"
	"preemptible:\n"
	".macro function name\n"
	"	.globl \\name\n"
	"	.type \\name, @function\n"
	"\\name:\n"
	".endm\n"
	"function by_ret\n"
	"	lea 1(%rdi), %rax\n"
	LABEL(ret_at)
	"	ret\n"
	"function by_rep\n"
	"	lea 2(%rdi), %rax\n"
	LABEL(rep_at)
	"	rep ret\n"
	"function popped\n"
	"	lea 3(%rdi), %rax\n"
	LABEL(imm_at)
	"	ret $16\n"
	"function by_jump\n"
	LABEL(jump_at)
	"	jmp jumped\n"
	"function by_copy\n"
	"	mov %rdi, %rax\n"
	LABEL(copy_at)
	"	add five(%rip), %rax\n"
	"	ret\n"
	"function by_push\n"
	"	add $6, %rdi\n"
	LABEL(push_at)
	"	push %rdi\n"
	"	pop %rax\n"
	"	ret\n"
	"function by_jcc\n"
	"	lea 7(%rdi), %rax\n"
	"	test %rdi, %rdi\n"
	LABEL(jcc_at)
	"	jns 1f\n"
	"	xor %eax, %eax\n"
	"1:	ret\n"
	"function by_call\n"
	LABEL(call_at)
	"	call called\n"
	"	add $1, %rax\n"
	"	ret\n"
	"function by_icall\n"
	LABEL(icall_at)
	"	call *pointer(%rip)\n"
	"	add $2, %rax\n"
	"	ret\n"
	"preemptible_end:\n"
	"called:\n"
	"	lea 7(%rdi), %rax\n"
	"	ret\n"
	"function by_imm\n"
	"	push $1\n"
	"	push $2\n"
	"	call popped\n"
	"	ret\n"
	"jumped:\n"
	"	lea 4(%rdi), %rax\n"
	"	ret\n"
	/* Change nothing but the word below the stack. */
	"function elsewhere\n"
	"	ret\n"
	".data\n"
	".balign 8\n"
	"five:	.quad 5\n"
	"pointer: .quad called\n"
	".text\n");

static const struct {
	const char *name;
	long (*call)(long x);
} things[] = {
	{ "ret", by_ret }, { "rep", by_rep }, { "imm", by_imm }, { "jump", by_jump },
	{ "copy", by_copy }, { "push", by_push }, { "jcc", by_jcc }, { "call", by_call },
	{ "icall", by_icall },
};

#define THINGS (sizeof(things) / sizeof(things[0]))

static volatile long handled, sent;

/* Send the timer's signal less often if a round has had @left signals: it takes longer then. */
static struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
static volatile int left = 100;

static void on_urg(int sig, siginfo_t *info, void *ctx)
{
	greg_t *regs = ((ucontext_t *)ctx)->uc_mcontext.gregs;

	handled++;
	if (sig == SIGALRM && left > 0 && !--left && often.it_interval.tv_usec < 200000) {
		left = 100;
		often.it_interval.tv_usec *= 2;
		often.it_value = often.it_interval;
		setitimer(ITIMER_REAL, &often, NULL);
	}
	if (regs[REG_RIP] < (greg_t)preemptible || regs[REG_RIP] >= (greg_t)preemptible_end)
		return;
	regs[REG_RSP] -= 8;
	*(greg_t *)regs[REG_RSP] = regs[REG_RIP];
	regs[REG_RIP] = (greg_t)elsewhere;
	sent++;
}

int main(int argc, char **argv)
{
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	long n, sum = 0, least = argc < 3 ? 0 : atol(argv[2]);

	if (argc < 3)
		return 2;
	handle(SIGURG, on_urg, SA_RESTART);
	if (!strcmp(argv[1], "wait")) {
		printf("%d\n", getpid());
		fflush(stdout);
		for (size_t i = 0; i < THINGS; i++)
			if (!strcmp(argv[2], things[i].name))
				printf("%ld", things[i].call(10));
		printf(" %ld\n", handled);
		return 0;
	}
	/* The timer's signal has the handler of SIGURG. */
	handle(SIGALRM, on_urg, SA_RESTART);
	setitimer(ITIMER_REAL, &often, NULL);
	for (n = 0; n < least || (handled < 30 && n < 1000 * least); n++) {
		for (size_t i = 0; i < THINGS; i++)
			sum += things[i].call(n);
		left = 100;
	}
	left = -1;
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%s\n", sum == 9 * n * (n - 1) / 2 + 45 * n ? "right" : "wrong");
	fprintf(stderr, "rounds %ld signals %ld sent %ld\n", n, handled, sent);
	return 0;
}
