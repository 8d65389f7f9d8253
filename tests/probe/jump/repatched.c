// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Changes its own text near a probed place.  Prints its process ID, and for each line of input what
 * has come of it:
 *
 *	call N		call a function N times
 *	keep		replace an instruction that writes the flags, behind what a jump covers; then
 *			the function depends on the flags that it has at the probed place
 *	write		put that instruction back
 *	undefined	replace an instruction that a jump covers by an undefined one, call the
 *			function once, and put the instruction back
 */
#include "puppet.h"

long function(long x);
extern char place[], covered[], writes_flags[], page[];

__asm__(".text\n"
	".balign 4096\n"
	LABEL(page)
	".globl function\n.type function, @function\n"
	"function:\n"
	"	cmp %eax, %eax\n"
	LABEL(place)
	"	mov %edi, %ecx\n"
	LABEL(covered)
	"	lea 1(%rdi,%rdi,2), %rax\n"
	LABEL(writes_flags)
	"	xor %ecx, %ecx\n"
	"	jz 1f\n"
	"	dec %rax\n"
	"1:	ret\n"
	".balign 4096\n");

static sigjmp_buf back;

static void on_ill(int sig)
{
	siglongjmp(back, sig);
}

/* Store two bytes into the text, and save what was there. */
static void patch(char *at, const char *bytes, char *old)
{
	mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC);
	if (old)
		memcpy(old, at, 2);
	memcpy(at, bytes, 2);
	mprotect(page, PAGE, PROT_READ | PROT_EXEC);
}

static long wrong_of(long n)
{
	long i, wrong = 0;

	for (i = 0; i < n; i++)
		wrong += function(i) != 3 * i + 1;
	return wrong;
}

int main(void)
{
	static char old[2], flags[2];
	struct command c;
	int sig;

	signal(SIGILL, on_ill);
	printf("%d\n", getpid());
	while (next_command(&c)) {
		switch (*c.word) {
		case 'c':
			printf("%ld wrong\n", wrong_of(c.n));
			break;
		case 'k':
			patch(writes_flags, "\x66\x90", flags);
			printf("%ld wrong\n", wrong_of(1000));
			break;
		case 'w':
			patch(writes_flags, flags, NULL);
			printf("%ld wrong\n", wrong_of(1000));
			break;
		case 'u':
			patch(covered, "\x0f\x0b", old);
			sig = sigsetjmp(back, 1);
			if (!sig)
				function(1);
			patch(covered, old, NULL);
			printf("signal %d\n", sig);
			break;
		}
	}
	return 0;
}
