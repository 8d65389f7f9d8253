// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Executes the first instruction of many functions of a library, without calling them:
 *
 *	first_steps LIBRARY <OFFSETS
 *
 * LIBRARY is the end of the path of a mapped file.  The first line of input is the number of
 * functions.  A line with the offset of each one in the file follows.  Prints the process ID.  For each
 * further line, goes to each function once, and prints how many functions there were.
 *
 * The trap flag brings the program back behind the first instruction.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define TRAP_FLAG	0x100

/* The stack pointer at the begin of a step, and the function. */
unsigned long step_sp, step_at;

void step(void);
extern char step_done[];

/* The first instruction may use the stack, and return to what is there. */
__asm__(".text\n"
	"step:\n"
	"	push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n"
	"	mov %rsp, step_sp(%rip)\n"
	"	sub $1024, %rsp\n"
	"	lea step_done(%rip), %rax\n"
	"	push %rax\n"
	"	mov step_at(%rip), %rdx\n"
	"	pushf\n"
	"	orl $0x100, (%rsp)\n"
	"	popf\n"
	/* The trap flag acts behind the instruction that follows popf. */
	"	jmp *%rdx\n"
	".globl step_done\n"
	"step_done:\n"
	"	mov step_sp(%rip), %rsp\n"
	"	pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n"
	"	cld\n"
	"	ret\n");

static void on_signal(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)info;
	if (sig == SIGTRAP && (unsigned long)regs[REG_RIP] == step_at)
		return;
	regs[REG_RIP] = (long)step_done;
	regs[REG_EFL] &= ~TRAP_FLAG;
}

/* Return the address of a place in a mapped file, or 0. */
static unsigned long address_of(const char *library, unsigned long place)
{
	unsigned long start, end, offset, found = 0;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512], path[256];
	size_t len;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s %255s", &start, &end, &offset,
			   path) != 4)
			continue;
		len = strlen(path);
		if (len >= strlen(library) && !strcmp(path + len - strlen(library), library) &&
		    place >= offset && place - offset < end - start)
			found = start + place - offset;
	}
	if (f)
		fclose(f);
	return found;
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	struct sigaction action = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	unsigned long *at, place;
	unsigned int i, n, nr = 0;
	char line[64];

	if (argc != 2 || scanf("%u", &n) != 1)
		return 2;
	at = calloc(n, sizeof(*at));
	for (i = 0; at && i < n; i++) {
		if (scanf("%lx", &place) != 1)
			return 2;
		at[nr] = address_of(argv[1], place);
		nr += at[nr] != 0;
	}
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		sigaction(signals[i], &action, NULL);
	printf("%d\n", getpid());
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		if (*line == '\n')
			continue;
		for (i = 0; i < nr; i++) {
			step_at = at[i];
			step();
		}
		printf("%u\n", nr);
		fflush(stdout);
	}
	return 0;
}
