// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -fno-stack-protector -fcf-protection=none -Wl,-z,now
/*
 * Calls all functions of a library, whatever they are for:
 *
 *	call_all LIBRARY <OFFSETS
 *
 * LIBRARY is the end of the path of a mapped file.  The first line of input is the number of
 * functions.  A line with the offset of each one in the file follows.  Prints the process ID.  For
 * each further line, calls each function once, and prints how many functions there were.
 *
 * A call ends when the function returns, makes a system call, faults, or takes too long.  All
 * arguments point to zeroes.  Functions may leave the library in any state, so from the first call
 * on, this program executes no code of the library by itself.
 */
#include "puppet.h"

/* Zeroes, in the middle of which arguments point, and what a function may store on its stack. */
#define ZEROES	(1UL << 20)
#define STACK	(1UL << 16)

/* A call that is under way at one tick and at the next one takes too long. */
#define TICK_US	100000

#define SA_OWN_RESTORER	0x04000000

/* As in the kernel's rt_sigaction(). */
struct own_action {
	void (*handler)(int sig, siginfo_t *info, void *context);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

/* The stack pointer at the begin of a call, the function, and its arguments. */
unsigned long call_sp, call_at, call_zeroes;
/* The stack for signals, and the number of calls so far. */
static char signal_stack[STACK];
static unsigned long calls, calls_at_tick;

void call(void);
void own_return(void);
long own_syscall(long nr, long a, long b, long c, long d);
extern char call_done[], own_text[], own_text_end[];

__asm__(".text\n"
	LABEL(own_text)
	"call:\n"
	"	push %rbx\n\tpush %rbp\n\tpush %r12\n\tpush %r13\n\tpush %r14\n\tpush %r15\n"
	"	mov %rsp, call_sp(%rip)\n"
	"	sub $0x10000, %rsp\n"
	"	mov call_zeroes(%rip), %rdi\n"
	"	mov %rdi, %rsi\n\tmov %rdi, %rdx\n\tmov %rdi, %rcx\n\tmov %rdi, %r8\n\tmov %rdi, %r9\n"
	"	mov %rdi, %rbx\n\tmov %rdi, %r12\n\tmov %rdi, %r13\n\tmov %rdi, %r14\n\tmov %rdi, %r15\n"
	"	mov %rdi, %rax\n\tmov %rdi, %r10\n\tmov %rdi, %r11\n"
	/* Parts of functions may take this one for their stack pointer. */
	"	mov %rsp, %rbp\n"
	"	call *call_at(%rip)\n"
	LABEL(call_done)
	"	mov call_sp(%rip), %rsp\n"
	"	cld\n"
	"	pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\tpop %rbp\n\tpop %rbx\n"
	"	ret\n"
	"own_return:\n"
	"	mov $15, %eax\n"
	"	syscall\n"
	"own_syscall:\n"
	"	mov %rdi, %rax\n\tmov %rsi, %rdi\n\tmov %rdx, %rsi\n\tmov %rcx, %rdx\n\tmov %r8, %r10\n"
	"	syscall\n"
	"	ret\n"
	LABEL(own_text_end));

/* Leave the call. */
static void on_signal(int sig, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;
	unsigned long begun = calls;

	(void)info;
	if (sig == SIGALRM) {
		bool late = calls_at_tick == begun;

		calls_at_tick = begun;
		if (!late || !call_at)
			return;
	}
	regs[REG_RIP] = (long)call_done;
	/* Code that returns from signals may have loaded any segments. */
	regs[REG_CSGSFS] = (regs[REG_CSGSFS] & ~0xffffl) | 0x33;
}

static void own_handle(int sig)
{
	const struct own_action action = {
		.handler = on_signal,
		.flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART | SA_OWN_RESTORER,
		.restorer = own_return,
	};

	own_syscall(SYS_rt_sigaction, sig, (long)&action, 0, sizeof(action.mask));
}

/* From now on, no system call is made but by own_syscall() and own_return(). */
static void forbid_syscalls(void)
{
	const unsigned long from = (unsigned long)own_text, to = (unsigned long)own_text_end;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, instruction_pointer) + 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, from >> 32, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, instruction_pointer)),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (unsigned int)from, 0, 2),
		BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (unsigned int)to, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		err(2, "system calls cannot be forbidden");
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

/* Wait for a line.  Return false at the end of the input. */
static bool own_wait_line(void)
{
	char c = 0;

	while (own_syscall(SYS_read, STDIN_FILENO, (long)&c, 1, 0) == 1 && c != '\n')
		;
	return c == '\n';
}

static void own_print(unsigned int n)
{
	char text[16];
	int at = sizeof(text);

	text[--at] = '\n';
	do {
		text[--at] = '0' + n % 10;
		n /= 10;
	} while (n);
	own_syscall(SYS_write, STDOUT_FILENO, (long)(text + at), sizeof(text) - at, 0);
}

int main(int argc, char **argv)
{
	static const int signals[] = {
		SIGTRAP, SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGSYS, SIGALRM
	};
	const stack_t stack = { .ss_sp = signal_stack, .ss_size = sizeof(signal_stack) };
	const struct itimerval ticks = { { 0, TICK_US }, { 0, TICK_US } };
	unsigned int i, n, nr = 0;
	unsigned long *at;
	char line[64], *zeroes;

	if (argc != 2 || !next_line(line, sizeof(line)))
		return 2;
	n = atoi(line);
	/* Functions may spoil the heap. */
	at = mmap(NULL, n * sizeof(*at), PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; at != MAP_FAILED && i < n; i++) {
		if (!next_line(line, sizeof(line)))
			return 2;
		at[nr] = address_of(argv[1], strtoul(line, NULL, 16));
		nr += at[nr] != 0;
	}
	zeroes = mmap(NULL, ZEROES + 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || mprotect(zeroes + PAGE, ZEROES, PROT_READ | PROT_WRITE) ||
	    sigaltstack(&stack, NULL))
		err(2, "no memory");
	call_zeroes = (unsigned long)zeroes + PAGE + ZEROES / 2;
	for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		own_handle(signals[i]);
	setitimer(ITIMER_REAL, &ticks, NULL);
	printf("%d\n", getpid());
	fflush(stdout);
	forbid_syscalls();
	while (own_wait_line()) {
		for (i = 0; i < nr; i++) {
			calls++;
			call_at = at[i];
			call();
		}
		call_at = 0;
		own_print(nr);
	}
	own_syscall(SYS_exit_group, 0, 0, 0, 0);
	return 0;
}
