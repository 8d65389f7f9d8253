// SPDX-License-Identifier: GPL-2.0
/*
 *	entered TIMES
 *
 * Enters functions in many ways, TIMES times each, and prints their results. over() jumps to its
 * handlers: in these, the stack pointer points to a variable of over(), and there is no return
 * address.  The other functions return, but not always to a place after a call.
 */
#include "puppet.h"

/* Add one, and jump to the address in %rdx, as an interpreter's code for a bytecode does. */
#define HANDLER(name)	ASM_PART(name, "\tadd $1, %rdi\n\tjmp *%rdx\n")
#define FUNCTION(name)	ASM_PART(name, "\tlea 1(%rdi), %rax\n\tret\n")

__asm__(".text\n"
	HANDLER(over_zero)
	HANDLER(over_number)
	HANDLER(over_pointer)
	HANDLER(over_stack)
	HANDLER(over_remapped)
	FUNCTION(called)
	FUNCTION(called_there)
	FUNCTION(pushed)
	FUNCTION(pushed_there)

	/* long over(long times, long word, void handler(void)) */
	ASM_PART(over,
		 "\tpush %rbx\n"
		 "	mov %rdi, %rbx\n"
		 "	xor %edi, %edi\n"
		 "	mov %rdx, %r11\n"
		 "	push %rsi\n"
		 "1:	lea 2f(%rip), %rdx\n"
		 "	jmp *%r11\n"
		 "2:	dec %rbx\n"
		 "	jnz 1b\n"
		 "	pop %rcx\n"
		 "	cmp %rsi, %rcx\n"
		 "	mov %rdi, %rax\n"
		 "	je 3f\n"
		 "	mov $-1, %rax\n"
		 "3:	pop %rbx\n"
		 "	ret\n")

	/* long push_and_jump(long a) */
	ASM_PART(push_and_jump,
		 "	lea 1f(%rip), %rax\n"
		 "	push %rax\n"
		 "	jmp pushed\n"
		 "1:	add $10, %rax\n"
		 "	ret\n")

	/* long calls(long a): call in all 9 forms of a call; the first two calls are probed, too */
	ASM_PART(calls,
		 "\tpush %rbx\n"
		 "	push %r12\n"
		 "	lea called_at(%rip), %rbx\n"
		 "	mov $1, %r12d\n"
		 LABEL(probed_call)
		 "	call called\n"
		 "	mov %rax, %rdi\n"
		 LABEL(probed_call_by_register)
		 "	call *(%rbx)\n"
		 "	mov %rax, %rdi\n"
		 "	mov (%rbx), %rdx\n"
		 "	call *%rdx\n"
		 "	mov %rax, %rdi\n"
		 "	mov (%rbx), %r11\n"
		 "	call *%r11\n"
		 "	mov %rax, %rdi\n"
		 "	call *called_at(%rip)\n"
		 "	mov %rax, %rdi\n"
		 "	lea -8(%rbx), %rdx\n"
		 "	call *8(%rdx)\n"
		 "	mov %rax, %rdi\n"
		 "	call *-8(%rbx, %r12, 8)\n"
		 "	mov %rax, %rdi\n"
		 "	lea -4096(%rbx), %rdx\n"
		 "	call *4096(%rdx)\n"
		 "	mov %rax, %rdi\n"
		 "	call *4088(%rdx, %r12, 8)\n"
		 "	pop %r12\n"
		 "	pop %rbx\n"
		 "	ret\n")
	".data\n"
	".balign 8\n"
	"called_at: .quad called\n"
	".text\n");

long over(long times, long word, void (*handler)(void));
long push_and_jump(long a), calls(long a), called_there(long a), pushed_there(long a);
void over_zero(void), over_number(void), over_pointer(void), over_stack(void), over_remapped(void);

static volatile long signals, switches;
static ucontext_t here, there;

__attribute__((noipa)) void on_signal(int sig)
{
	signals += sig;
}

__attribute__((noipa)) void on_switch(int unused)
{
	switches++;
}

static void switch_once(void)
{
	static char stack[65536];

	make_context(&there, stack, sizeof(stack), &here, on_switch, 0);
	swapcontext(&here, &there);
}

/* push %rbp; call *%rsi; pop %rbp; ret */
static const unsigned char code_calls[] = { 0x55, 0xff, 0xd6, 0x5d, 0xc3 };
#define CODE_CALLED	3

/* lea 1f(%rip),%rax; push %rax; jmp *%rsi; nops; 1: ret, like a slow path of a translator */
static const unsigned char code_jumps[] = { 0x48, 0x8d, 0x05, 0x06, 0, 0, 0, 0x50, 0xff, 0xe6,
					    0x90, 0x90, 0x90, 0xc3 };

typedef long (*code_t)(long a, long (*function)(long));

static code_t code_at(const void *bytes, size_t len)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(code, bytes, len);
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	return (code_t)code;
}

int main(int argc, char **argv)
{
	long times = argc == 2 ? atol(argv[1]) : 0, sum[9] = {};
	code_t caller = code_at(code_calls, sizeof(code_calls));
	code_t jumper = code_at(code_jumps, sizeof(code_jumps));

	signal(SIGUSR1, on_signal);
	for (long i = 0; i < times; i++) {
		sum[0] += calls(i);
		sum[1] += push_and_jump(i);
		sum[2] += caller(i, called_there);
		sum[3] += jumper(i, pushed_there);
		raise(SIGUSR1);
		switch_once();
	}
	sum[4] = over(times, 12345, over_number);
	sum[5] = over(times, (long)main, over_pointer);
	sum[6] = over(times, (long)sum, over_stack);
	/*
	 * Make the caller's code not executable: over_remapped() then finds an address in such
	 * code.
	 */
	mprotect((void *)caller, 4096, PROT_READ | PROT_WRITE);
	sum[8] = over(times, 0, over_zero);
	sum[7] = over(times, (long)caller + CODE_CALLED, over_remapped);
	for (int i = 0; i < 9; i++)
		printf("%ld ", sum[i]);
	printf("%ld %ld\n", signals, switches);
	return 0;
}
