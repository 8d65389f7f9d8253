// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Calls probed_left() twice with the same registers, right after the handler of SIGUSR2 has
 * returned.  The handler of SIGUSR1 leaves the interrupted code by a jump.  Prints its process ID,
 * waits for a line, and prints how each call has ended and how often SIGUSR2 was handled.
 */
#include "puppet.h"

static sigjmp_buf before;
static volatile int handled;

static void on_usr1(int sig)
{
	siglongjmp(before, 1);
}

static void on_usr2(int sig)
{
	handled++;
}

long call_left(void);

asm(".text\n"
	".globl call_left\n"
	".type call_left, @function\n"
	"call_left:\n"
	"	push %rbx\n"
	"	push %rbp\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	mov $39, %eax\n"	/* getpid() */
	"	syscall\n"
	"	mov %eax, %edi\n"
	"	mov $12, %esi\n"	/* SIGUSR2 */
	"	mov $62, %eax\n"	/* kill() */
	"	syscall\n"
	"	mov $5, %edi\n"
	"	xor %eax, %eax\n"
	"	xor %ebx, %ebx\n"
	"	xor %ecx, %ecx\n"
	"	xor %edx, %edx\n"
	"	xor %esi, %esi\n"
	"	xor %ebp, %ebp\n"
	"	xor %r8d, %r8d\n"
	"	xor %r9d, %r9d\n"
	"	xor %r10d, %r10d\n"
	"	xor %r11d, %r11d\n"
	"	xor %r12d, %r12d\n"
	"	xor %r13d, %r13d\n"
	"	xor %r14d, %r14d\n"
	"	xor %r15d, %r15d\n"
	"	call probed_left\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbp\n"
	"	pop %rbx\n"
	"	ret\n"
	".size call_left, . - call_left\n"
	ASM_PART(probed_left, "\tlea 1(%rdi), %rax\n\tret\n"));

int main(void)
{
	volatile int i;

	signal(SIGUSR1, on_usr1);
	signal(SIGUSR2, on_usr2);
	printf("%d\n", getpid());
	wait_line();
	for (i = 0; i < 2; i++) {
		if (!sigsetjmp(before, 1))
			printf("returned: %ld\n", call_left());
		else
			puts("left");
		fflush(stdout);
	}
	printf("%d handled\n", handled);
	return 0;
}
