// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Starts children that sleep in system calls, some of which the kernel restarts.  Stops, traces and
 * interrupts the children in several ways.  Prints what the tracer sees of their registers, what
 * their signal handlers see, and how the calls end.  Addresses are printed as distances from code
 * of the program.  The output is the same whether do_call() and stepped() are probed or not.
 *
 * With the argument "steps", a child single-steps through stepped() instead.  With "filtered", each
 * child has a seccomp filter that allows everything.
 */
#include "puppet.h"
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/user.h>

long do_call(long nr, long a, long b, long c, long d);
void stepped(char *to, char *from);
extern char do_call_end[], stepped_end[], in_between[];

__asm__(".pushsection .text\n"
	ASM_PART(do_call,
		 "\tmov %rdi, %rax\n"
		 "\tmov %rsi, %rdi\n"
		 "\tmov %rdx, %rsi\n"
		 "\tmov %rcx, %rdx\n"
		 "\tmov %r8, %r10\n"
		 "\tsyscall\n"
		 "\tnop\n"
		 "\tret\n"
		 "do_call_end:\n")
	/* Code that a debugger makes a stopped program call. */
	ASM_PART(in_between, "\tmov $3, %eax\n\tmov $-1, %edi\n\tsyscall\n\tint3\n")
	ASM_PART(stepped,
		 "\tpush %rbx\n"
		 "\txor %ebx, %ebx\n"
		 "\tmovsb\n"
		 "\tmov $3, %ecx\n"
		 "\trep movsb\n"
		 "\tlea stepped(%rip), %rax\n"
		 "\tcall 2f\n"
		 "\tadd $1, %ebx\n"
		 "\tjz 1f\n"
		 "\tjnz 1f\n"
		 "\tud2\n"
		 "1:\tmov $39, %eax\n"
		 "\tsyscall\n"
		 "\tpushf\n"
		 "\tpop %rdx\n"
		 "\tnop\n"
		 "\tmov $-1, %edi\n"
		 "\tmov $3, %eax\n"
		 "\tsyscall\n"
		 "\tlea 3f(%rip), %rax\n"
		 "\tjmp *%rax\n"
		 "3:\tpop %rbx\n"
		 "\tret\n"
		 "2:\tlea 2(%rbx), %ebx\n"
		 "\tret\n"
		 "stepped_end:\n")
	".popsection\n");

#define MAX_SEEN	16

static volatile struct {
	int word;
	int handled;
	int done;
	long result;
	struct {
		int sig;
		long rip;
		long rax;
		long rcx;
	} seen[MAX_SEEN];
} *shared;

static int pipe_fds[2];
static pid_t child;

static const struct call {
	const char *name;
	long nr;
} calls[] = {
	{ "read", SYS_read },
	{ "nanosleep", SYS_nanosleep },
	{ "futex", SYS_futex },
	{ "futex, limited", SYS_futex },
	{ "poll", SYS_poll },
	{ "pause", SYS_pause },
};

static const struct call *call;
static int filtered;

static void on_signal(int sig, siginfo_t *info, void *context)
{
	const ucontext_t *uc = context;
	int i = shared->handled;

	shared->seen[i].sig = sig;
	shared->seen[i].rip = uc->uc_mcontext.gregs[REG_RIP] - (long)do_call;
	shared->seen[i].rax = uc->uc_mcontext.gregs[REG_RAX];
	shared->seen[i].rcx = uc->uc_mcontext.gregs[REG_RCX] - (long)do_call;
	shared->handled = i + 1;
}

static void be_called(void)
{
	struct timespec long_time = { .tv_sec = 100000 };
	struct pollfd fd = { .fd = pipe_fds[0], .events = POLLIN };
	char byte;
	long args[4] = { 0 };

	if (filtered && judge_by(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)))
		_exit(2);
	handle(SIGUSR2, on_signal, 0);
	handle(SIGUSR1, on_signal, SA_RESTART);
	switch (call->nr) {
	case SYS_read:
		args[0] = pipe_fds[0];
		args[1] = (long)&byte;
		args[2] = 1;
		break;
	case SYS_nanosleep:
		args[0] = (long)&long_time;
		break;
	case SYS_futex:
		args[0] = (long)&shared->word;
		args[1] = FUTEX_WAIT;
		args[3] = call->name[5] ? (long)&long_time : 0;
		break;
	case SYS_poll:
		args[0] = (long)&fd;
		args[1] = 1;
		args[2] = 100000000;
		break;
	}
	shared->result = do_call(call->nr, args[0], args[1], args[2], args[3]);
	shared->done = 1;
	_exit(0);
}

/* Check whether the child sleeps in its system call. */
static int asleep(void)
{
	char path[64], line[256] = "", state = 0;
	long nr = -1;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/syscall", child);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fscanf(f, "%ld", &nr) != 1)
		nr = -1;
	fclose(f);
	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	f = fopen(path, "r");
	if (!f)
		return 0;
	if (fgets(line, sizeof(line), f) && strrchr(line, ')'))
		state = strrchr(line, ')')[2];
	fclose(f);
	return state == 'S' && (nr == call->nr || nr == SYS_restart_syscall);
}

/* Check whether a wait would report something about the child. */
static int reported(void)
{
	siginfo_t info = { .si_pid = 0 };

	waitid(P_PID, child, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT);
	return info.si_pid;
}

/* Wait until the child sleeps in its call, has finished it, or is stopped.  Print which. */
static void settle(const char *after)
{
	while (!asleep() && !shared->done && !reported())
		usleep(500);
	printf("  %s: %s\n", after, shared->done ? "done" : reported() ? "stopped" : "asleep");
}

static long from_call(long addr)
{
	return addr - (long)do_call;
}

/* Print an address.  Addresses in libraries are not the same each time. */
static void print_at(const char *name, long addr, char *begin, char *end)
{
	if (addr >= (long)begin && addr <= (long)end)
		printf(" %s +%ld", name, addr - (long)begin);
	else
		printf(" %s elsewhere", name);
}

/* Wait for a stop and print it.  Return the signal that the child must get. */
static int next_stop(const char *what)
{
	struct user_regs_struct regs;
	int status;

	if (waitpid(child, &status, __WALL) != child || !WIFSTOPPED(status)) {
		printf("  %s: no stop, status %x\n", what, status);
		return 0;
	}
	ptrace(PTRACE_GETREGS, child, NULL, &regs);
	printf("  %s: stop %x", what, status);
	print_at("rip", regs.rip, (char *)do_call, stepped_end);
	print_at("rcx", regs.rcx, (char *)do_call, stepped_end);
	if (from_call(regs.rip) >= 0 && regs.rip <= (unsigned long)stepped_end)
		printf(" rax %lld nr %lld", regs.rax, regs.orig_rax);
	printf("\n");
	return status >> 16 || (WSTOPSIG(status) & 0x7f) == SIGTRAP ? 0 : WSTOPSIG(status);
}

static void seize(long options)
{
	ptrace(PTRACE_SEIZE, child, NULL, (void *)options);
	ptrace(PTRACE_INTERRUPT, child, NULL, NULL);
	next_stop("interrupted");
}

static void detach(void)
{
	if (shared->done)
		return;
	ptrace(PTRACE_INTERRUPT, child, NULL, NULL);
	next_stop("before it is left");
	ptrace(PTRACE_DETACH, child, NULL, NULL);
	settle("left");
}

static void signalled(int request, int sig)
{
	if (shared->done)
		return;
	kill(child, sig);
	ptrace(request, child, NULL, (void *)(long)next_stop("signal"));
}

static void only_interrupted(void)
{
	int i;

	seize(0);
	for (i = 0; i < 3; i++) {
		ptrace(PTRACE_CONT, child, NULL, NULL);
		settle("goes on");
		ptrace(PTRACE_INTERRUPT, child, NULL, NULL);
		next_stop("interrupted again");
	}
	ptrace(PTRACE_CONT, child, NULL, NULL);
	settle("goes on");
	detach();
}

static void attached(void)
{
	ptrace(PTRACE_ATTACH, child, NULL, NULL);
	next_stop("attached");
	ptrace(PTRACE_CONT, child, NULL, NULL);
	settle("goes on");
	signalled(PTRACE_CONT, SIGUSR1);
	settle("SIGUSR1");
	signalled(PTRACE_CONT, SIGUSR2);
	settle("SIGUSR2");
	if (shared->done)
		return;
	kill(child, SIGSTOP);
	next_stop("stopped");
	ptrace(PTRACE_DETACH, child, NULL, NULL);
	settle("left");
}

static void suppressed(void)
{
	seize(0);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	settle("goes on");
	kill(child, SIGUSR2);
	next_stop("signal");
	ptrace(PTRACE_CONT, child, NULL, NULL);
	settle("without the signal");
	detach();
}

static void group_stop(void)
{
	seize(0);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	settle("goes on");
	signalled(PTRACE_CONT, SIGSTOP);
	next_stop("all stop");
	ptrace(PTRACE_LISTEN, child, NULL, NULL);
	kill(child, SIGCONT);
	next_stop("all go on");
	ptrace(PTRACE_CONT, child, NULL, NULL);
	ptrace(PTRACE_CONT, child, NULL, (void *)(long)next_stop("SIGCONT"));
	settle("goes on");
	detach();
}

static void called_between(void)
{
	struct user_regs_struct regs, other;

	seize(0);
	ptrace(PTRACE_GETREGS, child, NULL, &regs);
	other = regs;
	other.rip = (long)in_between;
	other.rsp = (regs.rsp - 512) & -16UL;
	other.orig_rax = -1;
	ptrace(PTRACE_SETREGS, child, NULL, &other);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	next_stop("in between");
	ptrace(PTRACE_SETREGS, child, NULL, &regs);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	settle("goes on");
	detach();
}

static void other_result(void)
{
	struct user_regs_struct regs;

	seize(0);
	ptrace(PTRACE_GETREGS, child, NULL, &regs);
	regs.rax = 17;
	ptrace(PTRACE_SETREGS, child, NULL, &regs);
	ptrace(PTRACE_CONT, child, NULL, NULL);
	settle("with a result of the tracer's");
}

static void by_system_calls(void)
{
	seize(PTRACE_O_TRACESYSGOOD);
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	next_stop("restarted");
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	settle("goes on");
	kill(child, SIGUSR1);
	next_stop("interrupted");
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	ptrace(PTRACE_SYSCALL, child, NULL, (void *)(long)next_stop("signal"));
	next_stop("sigreturn begins");
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	next_stop("sigreturn ends");
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	next_stop("and then");
	ptrace(PTRACE_CONT, child, NULL, NULL);
	settle("goes on");
	detach();
}

static void by_steps(void)
{
	seize(0);
	ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
	settle("steps");
	kill(child, SIGUSR1);
	ptrace(PTRACE_SINGLESTEP, child, NULL, (void *)(long)next_stop("a step"));
	ptrace(PTRACE_SINGLESTEP, child, NULL, (void *)(long)next_stop("signal"));
	next_stop("in the handler");
	ptrace(PTRACE_CONT, child, NULL, NULL);
	settle("goes on");
	detach();
}

static void untraced(void)
{
	kill(child, SIGSTOP);
	waitpid(child, NULL, WUNTRACED);
	kill(child, SIGCONT);
	settle("stopped");
	kill(child, SIGUSR1);
	while (!shared->handled)
		usleep(500);
	settle("SIGUSR1");
	if (shared->done)
		return;
	kill(child, SIGUSR2);
	while (shared->handled < 2)
		usleep(500);
	settle("SIGUSR2");
}

static void run(const char *name, void (*way)(void))
{
	int i, status = 0;

	printf("%s, %s\n", call->name, name);
	fflush(stdout);
	memset((void *)shared, 0, sizeof(*shared));
	if (pipe(pipe_fds))
		exit(1);
	child = fork();
	if (!child) {
		alarm(600);
		be_called();
	}
	settle("begins");
	way();
	if (call->nr == SYS_read) {
		status = write(pipe_fds[1], "x", 1) != 1;
	} else if (call->nr == SYS_futex) {
		shared->word = 1;
		syscall(SYS_futex, &shared->word, FUTEX_WAKE, 1, NULL, NULL, 0);
	} else if (!shared->done) {
		kill(child, SIGUSR2);
	}
	/* The child may still be traced. */
	while (waitpid(child, &status, __WALL) == child && WIFSTOPPED(status))
		ptrace(PTRACE_CONT, child, NULL, (void *)(long)WSTOPSIG(status));
	printf("  status %x, result %ld\n", status, shared->result);
	for (i = 0; i < shared->handled; i++)
		printf("  handler: %d at +%ld rax %ld rcx +%ld\n", shared->seen[i].sig,
		       shared->seen[i].rip, shared->seen[i].rax, shared->seen[i].rcx);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
}

static void steps(void)
{
	char from[] = "abc", to[sizeof(from)] = "";
	struct user_regs_struct regs;
	unsigned long top = 0;
	int status;

	child = fork();
	if (!child) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		raise(SIGSTOP);
		stepped(to, from);
		stepped(to, from);
		_exit(memcmp(to, from, sizeof(to)));
	}
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		ptrace(PTRACE_GETREGS, child, NULL, &regs);
		if (regs.rip >= (unsigned long)stepped && regs.rip < (unsigned long)stepped_end) {
			if (!top)
				top = regs.rsp;
			printf("%x at +%llu round %lld rbx %lld rdx TF %d TF %d rsp %lld", status,
			       regs.rip - (unsigned long)stepped,
			       regs.rcx < 4 ? (long long)regs.rcx : -1,
			       regs.rbx < 16 ? (long long)regs.rbx : -1,
			       !!(regs.rdx & 0x100), !!(regs.eflags & 0x100), regs.rsp - top);
			print_at("rax", regs.rax, (char *)do_call, stepped_end);
			print_at("rcx", regs.rcx, (char *)do_call, stepped_end);
			printf("\n");
		} else if (top) {
			top = 0;
			printf("%x behind\n", status);
		}
		ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
	}
	printf("status %x\n", status);
}

int main(int argc, char **argv)
{
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	filtered = argc > 1 && !strcmp(argv[1], "filtered");
	if (argc > 1 && !filtered) {
		steps();
		return 0;
	}
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	alarm(600);
	for (i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		call = &calls[i];
		run("interrupted", only_interrupted);
		run("attached to", attached);
		run("a signal suppressed", suppressed);
		run("stopped", group_stop);
		run("a call in between", called_between);
		run("another result", other_result);
		run("system calls traced", by_system_calls);
		run("stepped", by_steps);
		run("untraced", untraced);
	}
	return 0;
}
