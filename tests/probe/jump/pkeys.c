// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Calls functions, from some time on while protection keys forbid what they do (man 7 pkeys).  For each
 * line of input, calls each function 600 times, and prints how many of the results were right, how many
 * faults there were, and how many of these were not at the beginning of a function.  Uses keys from the
 * first line "keys" on.
 *
 *	take	loads a word of a page with a key of its own, which every third call forbids to access
 *	hidden	is in a page that can only be executed, which the kernel does by a key
 */
#include "puppet.h"

long take(const long *from);
long hidden(long x);
extern char hidden_page[];

__asm__(".text\n"
	".balign 16\n"
	ASM_PART(take, "\tmov (%rdi), %rax\n\tlea 1(%rax), %rax\n\tret\n")
	".balign 4096\n"
	LABEL(hidden_page)
	ASM_PART(hidden,
		 "\tpush %rbx\n\tmov %rdi, %rbx\n\tlea 1(%rbx,%rbx,2), %rax\n\tpop %rbx\n\tret\n")
	".balign 4096\n");

static long *page;
static int key = -1;
static volatile int faults, elsewhere;

static void on_fault(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)sig;
	faults++;
	elsewhere += regs[REG_RIP] != (long)take || info->si_code != SEGV_PKUERR ||
		     info->si_addr != page;
	if (pkey_mprotect(page, PAGE, PROT_READ | PROT_WRITE, 0))
		_exit(3);
}

int main(void)
{
	char line[16];
	long i, right;

	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	handle(SIGSEGV, on_fault, 0);
	*page = 41;
	printf("%d\n", getpid());
	while (next_line(line, sizeof(line))) {
		faults = 0;
		elsewhere = 0;
		if (*line == 'k' && key < 0) {
			key = pkey_alloc(0, 0);
			if (key < 0 || mprotect(hidden_page, PAGE, PROT_EXEC))
				return 2;
		}
		for (i = right = 0; i < 600; i++) {
			if (key >= 0) {
				pkey_set(key, 0);
				if (pkey_mprotect(page, PAGE, PROT_READ | PROT_WRITE, key))
					return 4;
				pkey_set(key, i % 3 ? 0 : PKEY_DISABLE_ACCESS);
			}
			right += take(page) == 42;
			right += hidden(i) == 3 * i + 1;
		}
		printf("%ld right, %d faults, %d elsewhere\n", right, faults, elsewhere);
	}
	return 0;
}
