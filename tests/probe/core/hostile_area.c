// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread
/*
 * Attacks the mapping "[uprobes]" in its own address space:
 *
 *	hostile_area unmap|overwrite|protect|replace|move|share|discard|jump|exec CALLS [THREADS]
 *
 * Calls work() CALLS times before and after the attack, and prints the sums.  The attack may harm
 * the program itself.  Prints "done" after the attack; if the attack fails, ends with status 4.
 *
 * "jump" forks a child for each address that it jumps to.  "exec" forks children that execute this
 * program from within the slot of work(), and prints what becomes of them.  For a child that steps
 * itself, this is the number of steps; for a child that a signal kills, it is the signal.
 *
 * THREADS more threads call work() all the time.  They have returned from CALLS calls before the
 * attack, and begin no other call when it is over.
 */
#include "area_attack.h"
#include <stdatomic.h>

__attribute__((noinline, noclone)) long work(long x)
{
	__asm__ volatile("" : "+r" (x));
	return 3 * x + 1;
}

#define MAX_THREADS	8

static char *area;
static size_t size;

static int find_area(void)
{
	struct mapping m;

	for_each_mapping(&m, "/proc/self/maps", "[uprobes]") {
		area = (char *)m.start;
		size = m.end - m.start;
	}
	return !!area;
}

static long call_often(long calls)
{
	long i, sum = 0;

	for (i = 0; i < calls; i++)
		sum += work(i);
	return sum;
}

static atomic_int ready, over;

static void *call_on(void *calls)
{
	long i, wrong = 0;

	call_often((long)calls);
	ready++;
	for (i = 0; !over; i++)
		wrong += work(i) != 3 * i + 1;
	return (void *)wrong;
}

static sigjmp_buf out;

static void on_signal(int sig)
{
	siglongjmp(out, sig);
}

/* Jump in children, as an address may lead anywhere. */
static void jump(void)
{
	static const int signals[] = { SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGALRM };
	unsigned int i, ended[2] = {};
	volatile size_t at;
	int status;

	for (at = 0; at < 200; at++) {
		pid_t pid = fork();

		if (!pid) {
			for (i = 0; i < sizeof(signals) / sizeof(*signals); i++)
				signal(signals[i], on_signal);
			alarm(1);
			if (!sigsetjmp(out, 1))
				((void (*)(long))(area + at))(at);
			alarm(0);
			_exit(call_often(10) != 145);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid)
			exit(4);
		ended[!!status]++;
	}
	printf("%u children went on, %u died\n", ended[0], ended[1]);
}

static volatile sig_atomic_t nr_steps;

static void on_step(int sig)
{
	nr_steps++;
}

/* Step over twelve instructions under TF; the last of them clears TF. */
static int count_steps(void)
{
	signal(SIGTRAP, on_step);
	__asm__ volatile("pushfq; orq $0x100, (%%rsp); popfq;"
			 "nop; nop; nop; nop; nop; nop; nop; nop; nop;"
			 "pushfq; andq $~0x100, (%%rsp); popfq"
			 : : : "memory", "cc");
	return nr_steps;
}

static char *slot;
static char *executed[] = { "hostile_area", "executed", NULL, NULL };
static char *no_environment[] = { NULL };

/* Continue in the slot, with a signal pending and unblocked. */
static void to_slot(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	uc->uc_mcontext.gregs[REG_RIP] = (long)slot;
	uc->uc_mcontext.gregs[REG_RAX] = SYS_execve;
	uc->uc_mcontext.gregs[REG_RDI] = (long)"/proc/self/exe";
	uc->uc_mcontext.gregs[REG_RSI] = (long)executed;
	uc->uc_mcontext.gregs[REG_RDX] = (long)no_environment;
	sigemptyset(&uc->uc_sigmask);
}

static void exec_signalled(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_BLOCK, &set, NULL);
	kill(getpid(), sig);
	handle(SIGUSR2, to_slot, 0);
	raise(SIGUSR2);
}

/* Enter the slot through the breakpoint. */
static void exec_called(void)
{
	long ret;

	__asm__ volatile("call *%[work]" : "=a" (ret)
			 : "a" (SYS_execve), "D" ("/proc/self/exe"), "S" (executed),
			   "d" (no_environment), [work] "r" (work)
			 : "rcx", "r8", "r9", "r10", "r11", "memory", "cc");
}

/*
 * The main function of an executed child.  A signal that was sent before is delivered by now, or
 * never.
 */
static int was_executed(const char *how)
{
	usleep(200000);
	if (!strcmp(how, "steps"))
		return count_steps();
	return 0;
}

static void exec_one(const char *what, const char *how, int sig)
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		executed[2] = (char *)how;
		if (sig)
			exec_signalled(sig);
		else
			exec_called();
		_exit(100);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		exit(4);
	if (WIFSIGNALED(status))
		printf("%s: killed by %d\n", what, WTERMSIG(status));
	else
		printf("%s: %d\n", what, WEXITSTATUS(status));
}

/* Turn the slot of work() into a system call. */
static void exec_from_slot(void)
{
	const char *text = (const char *)work;

	/* The first byte of the text is a breakpoint: search for the bytes after it. */
	slot = memmem(area, size, text + 1, 4);
	if (!slot || mprotect(area, size, PROT_READ | PROT_WRITE | PROT_EXEC)) {
		puts("there is no slot");
		return;
	}
	slot--;
	memcpy(slot, "\x0f\x05", 2);
	/* SIGURG is ignored. */
	exec_one("signalled", "steps", SIGURG);
	exec_one("sent SIGUSR1", "ends", SIGUSR1);
	exec_one("called", "steps", 0);
	/* Restore the slot. */
	memcpy(slot, (const char[]){ 0x48, text[1] }, 2);
}

/* Other processes map the same file, so writing and truncating must fail. */
static bool shares(void)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", (unsigned long)area,
		 (unsigned long)area + size);
	fd = open(path, O_RDWR);
	return fd < 0 ||
	       mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED ||
	       pwrite(fd, "", 1, 0) >= 0 || !ftruncate(fd, 0) || !ftruncate(fd, 2 * size) ||
	       !fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, size);
}

int main(int argc, char **argv)
{
	int nr_threads = argc == 4 ? atoi(argv[3]) : 0, i, done = 1;
	long calls = argc > 2 ? atol(argv[2]) : 0;
	pthread_t threads[MAX_THREADS];
	void *wrong;

	if (argc == 3 && !strcmp(argv[1], "executed"))
		return was_executed(argv[2]);
	if (argc < 3 || nr_threads > MAX_THREADS)
		return 2;
	for (i = 0; i < nr_threads; i++) {
		if (pthread_create(&threads[i], NULL, call_on, (void *)calls))
			return 4;
	}
	while (ready < nr_threads)
		usleep(1000);
	printf("before %ld\n", call_often(calls));
	if (!find_area()) {
		puts("there is no area");
		return 3;
	}
	fflush(stdout);
	if (!strcmp(argv[1], "share"))
		done = !shares();
	else if (!strcmp(argv[1], "jump"))
		jump();
	else if (!strcmp(argv[1], "exec"))
		exec_from_slot();
	else
		done = attack_area(argv[1], area, size);
	if (done < 0)
		return 2;
	if (!done)
		err(4, "%s", argv[1]);
	puts("done");
	fflush(stdout);
	printf("after %ld\n", call_often(calls));
	over = 1;
	for (i = 0; i < nr_threads; i++) {
		pthread_join(threads[i], &wrong);
		printf("thread %ld\n", (long)wrong);
	}
	return 0;
}
