// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -no-pie
/*
 * Takes away the memory that pads need:
 *
 *	faulted
 *
 * Carries out lines of input, and answers each with the number of results that were right, the number of
 * signals, and how many of these were the program's own fault:
 *
 *	call N		calls each function N times
 *	edge N		calls them N times each where the stack has two words left
 *	straight N	calls crooked() N times, with a usual stack pointer
 *	crooked N	calls crooked() N times, with a stack pointer that is no address
 *	unaligned N	calls crooked() N times, with a stack pointer that is not aligned, and with AC set
 *	own N		calls take() N times with an address where nothing is
 *	words HOW	attacks the memory that pads share with the module
 *	pads HOW	attacks the pads
 *	keys N		calls each function N times, and denies itself all writes by protection keys meanwhile
 */
#include "area_attack.h"

#define AREA_SIZE	(256 * 1024)
#define WORDS_SIZE	(2048 * 1024)

/* The flags are of no use behind the first instructions of bare(), and of use elsewhere. */
long bare(long x);
ASM_FUNCTION(bare, "\tlea 1(%rdi,%rdi), %rax\n\txor %ecx, %ecx\n\tret\n");
long saved(long x);
ASM_FUNCTION(saved, "\tlea 1(%rdi,%rdi), %rax\n\tcmovc %rdi, %rax\n\tret\n");
long take(const long *from);
ASM_FUNCTION(take, "\tmov (%rdi), %rax\n\tcmovc %rdi, %rax\n\tlea 1(%rax), %rax\n\tret\n");

/* Call a function on another stack, without more than a word there. */
long on_stack(long (*function)(long), long x, void *top);
ASM_FUNCTION(on_stack,
	     "	push %rbx\n"
	     "	mov %rsp, %rbx\n"
	     "	mov %rdi, %rax\n"
	     "	mov %rsi, %rdi\n"
	     "	mov %rdx, %rsp\n"
	     "	clc\n"
	     "	call *%rax\n"
	     "	mov %rbx, %rsp\n"
	     "	pop %rbx\n"
	     "	ret\n");

/* Call a function without changing memory, with the rights of the protection keys in the last argument. */
long with_rights(long (*function)(long), long x, unsigned int rights);
ASM_FUNCTION(with_rights,
	     "	push %rbx\n"
	     "	mov %rdi, %rbx\n"
	     "	mov %rdx, %r8\n"
	     "	lea 1f(%rip), %r10\n"
	     "	push %r10\n"
	     "	xor %ecx, %ecx\n"
	     "	xor %edx, %edx\n"
	     "	mov %r8d, %eax\n"
	     "	wrpkru\n"
	     "	mov %rsi, %rdi\n"
	     "	clc\n"
	     "	jmp *%rbx\n"
	     "1:	mov %rax, %r8\n"
	     "	xor %ecx, %ecx\n"
	     "	xor %edx, %edx\n"
	     "	xor %eax, %eax\n"
	     "	wrpkru\n"
	     "	mov %r8, %rax\n"
	     "	pop %rbx\n"
	     "	ret\n");

/* Come to crooked() with another stack pointer, and with AC as in the last argument. */
long with_crooked(long x, unsigned long sp, long ac);
long crooked(long x);
__asm__(".pushsection .text\n"
	ASM_PART(with_crooked,
		 "	mov %rsp, %r8\n"
		 "	pushf\n"
		 "	pop %r9\n"
		 "	mov %r9, %r10\n"
		 "	or %rdx, %r10\n"
		 "	push %r10\n"
		 "	popf\n"
		 "	mov %rsi, %rsp\n"
		 "	clc\n"
		 "	jmp crooked\n")
	ASM_PART(crooked,
		 "	lea 1(%rdi,%rdi), %rax\n"
		 "	cmovc %rdi, %rax\n"
		 "	mov %r8, %rsp\n"
		 "	push %r9\n"
		 "	popf\n"
		 "	ret\n")
	".popsection\n");

#define AC	0x40000

static volatile long signals, own;
static long word = 20;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	signals++;
	if (signals > 100000)
		_exit(9);
	if (sig != SIGSEGV || regs[REG_RIP] != (greg_t)take || info->si_addr || regs[REG_RDI])
		return;
	own++;
	regs[REG_RDI] = (greg_t)&word;
}

static long call_all(long n)
{
	long i, right = 0;

	for (i = 0; i < n; i++) {
		right += bare(i) == 2 * i + 1;
		right += saved(i) == 2 * i + 1;
		right += take(&word) == 21;
	}
	return right;
}

static long call_at_edge(long n)
{
	char *stack = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long *top = (long *)(stack + PAGE) + 2;
	long i, right = 0;

	mprotect(stack, PAGE, PROT_NONE);
	for (i = 0; i < n; i++) {
		top[-2] = i;
		right += on_stack(bare, i, top) == 2 * i + 1;
		right += on_stack(saved, i, top) == 2 * i + 1;
		right += on_stack((long (*)(long))take, (long)&word, top) == 21 && top[-2] == i;
	}
	return right;
}

static long call_with_rights(long n)
{
	/* Deny writes to all memory that has key 0. */
	const unsigned int rights = 2;
	long i, right = 0;

	for (i = 0; i < n; i++) {
		right += with_rights(bare, i, rights) == 2 * i + 1;
		right += with_rights(saved, i, rights) == 2 * i + 1;
		right += with_rights((long (*)(long))take, (long)&word, rights) == 21;
	}
	return right;
}

static long call_crooked(long n, unsigned long sp, long ac)
{
	long i, right = 0;

	for (i = 0; i < n; i++)
		right += with_crooked(i, sp, ac) == 2 * i + 1;
	return right;
}

static long call_own(long n)
{
	long i, right = 0;

	for (i = 0; i < n; i++)
		right += take(NULL) == 21;
	return right;
}

/* Attack the memory that the module shares with this program, or the pads in front of some of that. */
static long attack(const char *how, bool pads)
{
	struct mapping m, found[64];
	unsigned long before = 0;
	long i, n = 0, done = 0;

	for_each_mapping(&m, "/proc/self/maps", "") {
		bool ours = strstr(m.name, "[uprobes]"), shared = strchr(m.perms, 'w');

		if (ours && shared && !pads)
			found[n++] = m;
		if (ours && shared && pads && before && m.end - m.start == WORDS_SIZE) {
			m.end = m.start;
			m.start = before;
			found[n++] = m;
		}
		before = ours && strchr(m.perms, 'x') ? m.end - AREA_SIZE : 0;
	}
	for (i = 0; i < n; i++)
		done += attack_area(how, (void *)found[i].start,
				    found[i].end - found[i].start) == 1;
	return n && done == n;
}

int main(void)
{
	/* Room for the words that a signal handler would need, which is not called at all. */
	static char alternate[65536];
	stack_t stack = { .ss_sp = alternate, .ss_size = sizeof(alternate) };
	unsigned long misaligned = (unsigned long)alternate + sizeof(alternate) / 2 + 4;
	struct command c;
	long right;

	sigaltstack(&stack, NULL);
	handle(SIGSEGV, on_fault, SA_ONSTACK);
	handle(SIGBUS, on_fault, SA_ONSTACK);
	printf("%d\n", getpid());
	while (next_command(&c)) {
		signals = 0;
		own = 0;
		if (is(&c, "call"))
			right = call_all(c.n);
		else if (is(&c, "edge"))
			right = call_at_edge(c.n);
		else if (is(&c, "keys"))
			right = call_with_rights(c.n);
		else if (is(&c, "straight"))
			right = call_crooked(c.n, misaligned - 4, 0);
		else if (is(&c, "crooked"))
			right = call_crooked(c.n, 0x8000000000000000UL, 0);
		else if (is(&c, "unaligned"))
			right = call_crooked(c.n, misaligned, AC);
		else if (is(&c, "own"))
			right = call_own(c.n);
		else
			right = attack(c.rest, is(&c, "pads"));
		printf("%ld %ld %ld\n", right, signals, own);
	}
	return 0;
}
