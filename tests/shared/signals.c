// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -rdynamic -Wl,-z,now
/*
 * Receives signals, and checks the addresses that they show:
 *
 *	signals storm CALLS   call work() CALLS times under a storm of timer signals; each address
 *			      that a handler saw must lie in a file's code
 *	signals walk CALLS    the same, and each handler walks the stack up to the caller of
 *			      main(); standard error tells how often
 *	signals faults        fault in functions of known shape; print where the faults were, and
 *			      whether the program survives them if the handler skips the
 *			      instruction, or repairs the cause of the fault
 *	signals syscalls      make system calls that signals interrupt and restart, each after one
 *			      signal at least
 *	signals eintr	      make system calls that signals interrupt; standard error tells how
 *			      many
 *	signals jumps TIMES   fault TIMES times, with a handler that does not return
 *
 * The output is the same whether the program is probed or not.
 */
#include "puppet.h"
#include <execinfo.h>

#define SEEN (1 << 16)

static unsigned long seen[SEEN];
static volatile unsigned int nr_seen;

#ifdef __x86_64__
#define IP REG_RIP
#define SP REG_RSP
#define LOADED REG_RDI	/* the address from which load() loads */
#define SP_IN_FUNCTION 8	/* modulo 16 */
#else
#define IP REG_EIP
#define SP REG_ESP
#define LOADED REG_EAX
#define SP_IN_FUNCTION 12
#endif

static unsigned long *ip_of(void *context)
{
	return (unsigned long *)&((ucontext_t *)context)->uc_mcontext.gregs[IP];
}

/*
 * A storm would never end if it left no time for one instruction between two signals.  So it slows
 * down if a call has had this many signals.
 */
#define PATIENCE 100
static struct itimerval storm_timer = { { 0, 50 }, { 0, 50 } };
static volatile int patience;

static void on_timer(int sig, siginfo_t *info, void *context)
{
	seen[nr_seen++ % SEEN] = *ip_of(context);
	if (patience < 0 || --patience > 0 || storm_timer.it_interval.tv_usec > 100000)
		return;
	patience = PATIENCE;
	storm_timer.it_interval.tv_usec *= 2;
	storm_timer.it_value = storm_timer.it_interval;
	setitimer(ITIMER_REAL, &storm_timer, NULL);
}

/* The return addresses of storm() and its callers. */
static void *callers[16];
static int nr_callers;
static volatile long walks, astray;

static void on_walk(int sig, siginfo_t *info, void *context)
{
	void *frames[64];
	int i, nr = backtrace(frames, 64);

	walks++;
	for (i = 0; i < nr; i++)
		seen[nr_seen++ % SEEN] = (unsigned long)frames[i];
	if (nr <= nr_callers ||
	    memcmp(frames + nr - nr_callers, callers, nr_callers * sizeof(callers[0])))
		astray++;
	on_timer(sig, info, context);
}

PROBED long leaf(long x)
{
	__asm__ volatile("" : "+r" (x));
	return x + 1;
}

/* Instructions of many kinds: calls, jumps both ways, rip-relative, pushes. */
static long table[4] = { 1, 2, 3, 4 };

PROBED long work(long x)
{
	long i, sum = 0;

	for (i = 0; i < 4; i++) {
		if (x & 1)
			sum += table[i];
		else
			sum -= leaf(table[i]);
		x >>= 1;
	}
	return sum;
}

/* Check whether an address lies in a file's code.  Keep the ranges: nothing is unmapped again. */
static int in_file_code(unsigned long addr)
{
	static struct {
		unsigned long start, end;
	} known[8];
	static unsigned int nr_known;
	struct mapping m;
	bool found;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (addr >= known[i].start && addr < known[i].end)
			return 1;
	}
	found = mapping_of(addr, &m) && m.perms[2] == 'x' && !strstr(m.name, "uprobes]") &&
		(m.name[0] == '/' || !strcmp(m.name, "[vdso]"));
	if (found) {
		i = nr_known++ % (sizeof(known) / sizeof(known[0]));
		known[i].start = m.start;
		known[i].end = m.end;
	}
	return found;
}

static void storm(long calls, void (*fn)(int, siginfo_t *, void *))
{
	struct itimerval never = { { 0, 0 }, { 0, 0 } };
	unsigned long odd = 0, last = 0;
	unsigned int i;
	long n, sum = 0;

	if (fn == on_walk) {
		void *frames[1 + sizeof(callers) / sizeof(callers[0])];

		nr_callers = backtrace(frames, sizeof(frames) / sizeof(frames[0])) - 1;
		memcpy(callers, frames + 1, nr_callers * sizeof(callers[0]));
	}
	patience = PATIENCE;
	handle(SIGALRM, fn, SA_RESTART);
	setitimer(ITIMER_REAL, &storm_timer, NULL);
	for (n = 0; n < calls; n++) {
		patience = PATIENCE;
		sum += work(n);
	}
	patience = -1;
	setitimer(ITIMER_REAL, &never, NULL);
	for (i = 0; i < nr_seen && i < SEEN; i++) {
		if (seen[i] != last && !in_file_code(seen[i])) {
			printf("a signal showed 0x%lx\n", seen[i]);
			odd++;
		}
		last = seen[i];
	}
	if (fn == on_walk)
		fprintf(stderr, "%ld walks\n", walks);
	else
		fprintf(stderr, "%u signals\n", nr_seen);
	printf("sum %ld, odd addresses: %lu, walks that went astray: %ld\n", sum, odd, astray);
}

/*
 * Functions that fault.  In each, the faulting instruction has a label of its own, and the length
 * that faults() skips.
 */
#ifdef __x86_64__
__asm__(".pushsection .text\n"
	".globl load_at, divide_at, illegal_at, call_null_at, store_rip_at\n"
	ASM_PART(load, "\tmov $7, %eax\nload_at:\n\tmov (%rdi), %rax\n\tret\n")
	ASM_PART(divide, "\tmov %rdi, %rax\n\tcqo\ndivide_at:\n\tidiv %rsi\n\tret\n")
	ASM_PART(illegal, "\tmov $9, %eax\nillegal_at:\n\tud2\n\tret\n")
	ASM_PART(store_rip, "\tmov $5, %eax\nstore_rip_at:\n\tmov %rax, store_rip(%rip)\n\tret\n")
	ASM_PART(call_null, "\tmov $6, %eax\ncall_null_at:\n\tcall *(%rdi)\n\tret\n")
	".popsection\n");
#else
__asm__(".pushsection .text\n"
	".globl load_at, divide_at, illegal_at, call_null_at, store_rip_at\n"
	ASM_PART(load, "\tmov 4(%esp), %eax\nload_at:\n\t.byte 0x8b, 0x40, 0x00\n\tret\n")
	ASM_PART(divide,
		 "\tmov %esp, %ecx\n\tmov 4(%ecx), %eax\n\tcdq\n"
		 "divide_at:\n\tidivl 8(%ecx)\n\tret\n")
	ASM_PART(illegal, "\tmov $9, %eax\nillegal_at:\n\tud2\n\tret\n")
	ASM_PART(store_rip,
		 "\tcall 1f\n1:\tpop %eax\n"
		 "store_rip_at:\n\tmovl $5, store_rip - 1b(%eax)\n\txor %eax, %eax\n\tret\n")
	ASM_PART(call_null,
		 "\tmov $6, %eax\n\tmov 4(%esp), %edx\ncall_null_at:\n\tcall *(%edx)\n\tret\n")
	".popsection\n");
#endif

long load(long *p);
long divide(long a, long b);
long illegal(void);
long store_rip(void);
long call_null(void *p);
extern char load_at[], divide_at[], illegal_at[], store_rip_at[], call_null_at[];

static unsigned long fault_ip, fault_addr, fault_sp, skip;
static int fault_code;

/* Skip the instruction, like a runtime that turns a null pointer into an exception. */
static void on_fault(int sig, siginfo_t *info, void *context)
{
	fault_ip = *ip_of(context);
	fault_sp = ((ucontext_t *)context)->uc_mcontext.gregs[SP];
	fault_addr = (unsigned long)info->si_addr;
	fault_code = info->si_code;
	*ip_of(context) += skip;
}

static long *wanted;

/*
 * Repair the pointer, like a runtime that provides what was missing.  The instruction executes
 * again.
 */
static void on_wrong_pointer(int sig, siginfo_t *info, void *context)
{
	fault_ip = *ip_of(context);
	fault_sp = ((ucontext_t *)context)->uc_mcontext.gregs[SP];
	fault_addr = (unsigned long)info->si_addr;
	fault_code = info->si_code;
	((ucontext_t *)context)->uc_mcontext.gregs[LOADED] = (long)wanted;
}

static void on_guarded_page(int sig, siginfo_t *info, void *context)
{
	fault_ip = *ip_of(context);
	fault_sp = ((ucontext_t *)context)->uc_mcontext.gregs[SP];
	fault_addr = (unsigned long)info->si_addr - (unsigned long)wanted;
	fault_code = info->si_code;
	mprotect(wanted, 4096, PROT_READ | PROT_WRITE);
}

static void report(const char *name, long value, const char *at, const char *func)
{
	printf("%s: value %ld, ip %s, si_addr ", name, value,
	       fault_ip == (unsigned long)at ? "right" : "wrong");
	if (fault_addr == (unsigned long)at)
		printf("of the instruction");
	else if (fault_addr == (unsigned long)func)
		printf("of the function");
	else
		printf("0x%lx", fault_addr);
	printf(", si_code %d, stack %s\n", fault_code,
	       fault_sp % 16 == SP_IN_FUNCTION ? "right" : "wrong");
	fault_ip = 0;
	fault_addr = 0;
}

static void faults(void)
{
	int i;

	handle(SIGSEGV, on_fault, 0);
	handle(SIGFPE, on_fault, 0);
	handle(SIGILL, on_fault, 0);
	for (i = 0; i < 3; i++) {
		skip = 3;
		report("load", load(NULL), load_at, (char *)load);
		report("load", load((long *)16), load_at, (char *)load);
		report("divide", divide(42, 0), divide_at, (char *)divide);
		skip = 2;
		report("illegal", illegal(), illegal_at, (char *)illegal);
		report("call_null", call_null(NULL), call_null_at, (char *)call_null);
		skip = 7;
		report("store_rip", store_rip(), store_rip_at, (char *)store_rip);
	}
	handle(SIGSEGV, on_wrong_pointer, 0);
	wanted = &table[2];
	for (i = 0; i < 3; i++)
		report("load by a wrong pointer", load(NULL), load_at, (char *)load);
	handle(SIGSEGV, on_guarded_page, 0);
	wanted = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (i = 0; i < 3; i++) {
		*wanted = 11 + i;
		mprotect(wanted, 4096, PROT_NONE);
		report("load from a guarded page", load(wanted), load_at, (char *)load);
	}
}

static volatile int ticks;
static int told = -1;	/* a pipe that gets a byte for each tick */

static void on_tick(int sig, siginfo_t *info, void *context)
{
	int saved = errno;

	ticks++;
	if (told >= 0 && write(told, "", 1) != 1 && errno != EAGAIN)
		_exit(1);
	errno = saved;
}

PROBED long reader(int fd)
{
	long ret;
	char c;

	/* Make the call inline, so that its instruction is probed, too. */
#ifdef __x86_64__
	__asm__ volatile("syscall" : "=a" (ret) : "0" (SYS_read), "D" (fd), "S" (&c), "d" (1)
			 : "rcx", "r11", "memory");
#else
	__asm__ volatile("int $0x80" : "=a" (ret) : "0" (SYS_read), "b" (fd), "c" (&c), "d" (1)
			 : "memory");
#endif
	return ret;
}

static void syscalls(void)
{
	struct itimerval often = { { 0, 1000 }, { 0, 1000 } };
	int fds[2], ticking[2], i, status;
	long got = 0;
	pid_t pid;
	char c;

	handle(SIGALRM, on_tick, SA_RESTART);
	if (pipe(fds) || pipe(ticking) || fcntl(ticking[1], F_SETFL, O_NONBLOCK))
		exit(1);
	pid = fork();
	if (!pid) {
		for (i = 0; i < 20; i++) {
			usleep(10000);
			if (read(ticking[0], &c, 1) != 1 || write(fds[1], "x", 1) != 1)
				_exit(1);
		}
		_exit(0);
	}
	told = ticking[1];
	setitimer(ITIMER_REAL, &often, NULL);
	for (i = 0; i < 20; i++)
		got += reader(fds[0]);
	often.it_value.tv_usec = 0;
	often.it_interval.tv_usec = 0;
	setitimer(ITIMER_REAL, &often, NULL);
	waitpid(pid, &status, 0);
	printf("read %ld bytes, interrupted: %d, child %d\n", got, ticks > 10, WEXITSTATUS(status));
}

/* Read until 100 signals have interrupted the reads. */
static void eintr(void)
{
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } };
	int fds[2], calls = 0;

	handle(SIGALRM, on_tick, 0);
	if (pipe(fds))
		exit(1);
	setitimer(ITIMER_REAL, &often, NULL);
	while (ticks < 100) {
		reader(fds[0]);
		calls++;
	}
	fprintf(stderr, "%d calls\n", calls);
	puts("interrupted");
}

static sigjmp_buf back;

static void on_fault_jump(int sig, siginfo_t *info, void *context)
{
	siglongjmp(back, 1);
}

static void jumps(long times)
{
	volatile long i, faults = 0;

	handle(SIGSEGV, on_fault_jump, 0);
	for (i = 0; i < times; i++) {
		if (sigsetjmp(back, 1))
			faults++;
		else
			load(NULL);
	}
	printf("%ld faults\n", faults);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "storm"))
		storm(atol(argv[2]), on_timer);
	else if (argc == 3 && !strcmp(argv[1], "walk"))
		storm(atol(argv[2]), on_walk);
	else if (argc == 2 && !strcmp(argv[1], "faults"))
		faults();
	else if (argc == 2 && !strcmp(argv[1], "syscalls"))
		syscalls();
	else if (argc == 2 && !strcmp(argv[1], "eintr"))
		eintr();
	else if (argc == 3 && !strcmp(argv[1], "jumps"))
		jumps(atol(argv[2]));
	else
		errx(2, "usage: signals storm CALLS | walk CALLS | faults | syscalls | eintr | jumps TIMES");
	return 0;
}
