// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Executes the first instruction of many functions of a library, without calling them:
 *
 *	first_steps LIBRARY <OFFSETS
 *
 * LIBRARY is the end of the path of a mapped file.  The first line of input is the number of
 * functions.  A line with the offset of each one in the file follows.  Prints the process ID.  For
 * each further line, goes to each function once, and prints how many functions there were.
 *
 * The trap flag brings the program back behind the first instruction.
 */
#include "puppet.h"

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
	/* The first instruction may also take one of these for the stack pointer. */
	"	mov %rsp, %rbx\n"
	"	mov %rsp, %rbp\n"
	"	lea step_done(%rip), %rax\n"
	"	push %rax\n"
	"	mov step_at(%rip), %rdx\n"
	"	pushf\n"
	"	orl $0x100, (%rsp)\n"
	"	popf\n"
	/* The trap flag acts behind the instruction that follows popf. */
	"	jmp *%rdx\n"
	LABEL(step_done)
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
	unsigned long found = 0;
	struct mapping m;
	size_t len;

	for_each_mapping(&m, "/proc/self/maps", library) {
		len = strlen(m.name);
		if (!strcmp(m.perms, "r-xp") && !strcmp(m.name + len - strlen(library), library) &&
		    place >= m.offset && place - m.offset < m.end - m.start)
			found = m.start + place - m.offset;
	}
	return found;
}

int main(int argc, char **argv)
{
	static const int signals[] = { SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	unsigned int i, n = 0, nr = 0;
	unsigned long *at;
	char line[64];

	if (argc != 2 || !next_line(line, sizeof(line)))
		return 2;
	n = atoi(line);
	at = calloc(n, sizeof(*at));
	for (i = 0; at && i < n; i++) {
		if (!next_line(line, sizeof(line)))
			return 2;
		at[nr] = address_of(argv[1], strtoul(line, NULL, 16));
		nr += at[nr] != 0;
	}
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		handle(signals[i], on_signal, 0);
	printf("%d\n", getpid());
	while (next_line(line, sizeof(line))) {
		for (i = 0; i < nr; i++) {
			step_at = at[i];
			step();
		}
		printf("%u\n", nr);
	}
	return 0;
}
