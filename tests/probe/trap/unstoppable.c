// SPDX-License-Identifier: GPL-2.0
/*
 *	unstoppable THING
 *
 * Starts a process of user 65534 that hides from signals in its SSOL area, if it has one.  Prints
 * whether the process gets all signals nevertheless.
 *
 * The process calls target(), whose first instruction is probed.  Then it maps a page of its own
 * over the area's first page, with other code in the first slot, and calls target() again and
 * again.  THING is that code:
 *
 *	jump	a jump to itself
 *	flags	the same, with TF cleared again and again
 *	long	a thousand instructions, and back
 *	sleep	pause(), again and again
 *	calls	system calls that do not sleep
 *	faults	reads of a page, which is discarded after each of them
 *
 * Another process, which has the right to do so, sends signals to it and traces it.
 */
#include "puppet.h"
#include <sys/ptrace.h>

#define SLOT	16
#define CODE(name, text)							\
	extern const char name[], name ## _end[];				\
	__asm__(".pushsection .rodata\n" #name ":\n" text #name "_end:\n.popsection\n")

CODE(jump, "jmp jump\n");
/* r13 holds the stack pointer.  The stack is out of balance no longer than for the instruction. */
CODE(flags, "mov %r13,%rsp\n pushf\n btrl $8,(%rsp)\n popf\n jmp flags\n");
CODE(longer, ".fill 1000,1,0x90\n jmp longer\n");
CODE(asleep, "mov $34,%eax\n syscall\n jmp asleep\n");
CODE(calls, "mov $39,%eax\n syscall\n jmp calls\n");
/* madvise(at, 4096, MADV_DONTNEED); r12 holds the address of the page. */
CODE(faults, "mov $28,%eax\n mov %r12,%rdi\n mov $4096,%esi\n mov $4,%edx\n"
	     " syscall\n mov (%r12),%eax\n jmp faults\n");

static const struct {
	const char *name, *code, *end;
} things[] = {
	{ "jump", jump, jump_end },
	{ "flags", flags, flags_end },
	{ "long", longer, longer_end },
	{ "sleep", asleep, asleep_end },
	{ "calls", calls, calls_end },
	{ "faults", faults, faults_end },
};

long target(void);
__asm__(".pushsection .text\n"
	/* A system call that was made in the slot restarts here. */
	"\tnop\n\tnop\n"
	"target:\n"
	/* If the copy, which is gone, is stepped, the end of this instruction is executed. */
	"\tmovabs $0x9090909090909090, %rax\n"
	"\tret\n"
	".popsection\n");

static int said[2];

static void handler(int sig)
{
	char byte = 'h';

	(void)!write(said[1], &byte, 1);
	(void)sig;
}

static char *first_area(void)
{
	char *start = NULL;
	struct mapping m;

	for_each_mapping(&m, "/proc/self/maps", "[uprobes]") {
		if (!start)
			start = (char *)m.start;
	}
	return start;
}

static void hide(const char *code, const char *end)
{
	char *data = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *area, *page;

	signal(SIGUSR1, handler);
	target();
	area = first_area();
	page = mmap(area, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		    MAP_PRIVATE | MAP_ANONYMOUS | (area ? MAP_FIXED : 0), -1, 0);
	if (page == MAP_FAILED)
		_exit(1);
	page[0] = 0xcc;
	memcpy(page + SLOT, code, end - code);
	handler(0);
	if (area)
		__asm__ volatile("mov %0, %%r12\n\tlea -8(%%rsp), %%r13\n1:\tcall target\n\tjmp 1b"
				 : : "r"(data) : "r12", "r13", "memory");
	__asm__ volatile("mov %0, %%r12\n\tlea -8(%%rsp), %%r13\n\tjmp *%1"
			 : : "r"(data), "r"(page + SLOT) : "r12", "r13");
}

/* Check whether something becomes true within 20 seconds. */
static int in_time(int (*is)(pid_t pid), pid_t pid)
{
	int tries;

	for (tries = 0; tries < 2000; tries++) {
		if (is(pid))
			return 1;
		usleep(10000);
	}
	return 0;
}

static int stopped(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WNOHANG | WUNTRACED) == pid && WIFSTOPPED(status);
}

static int heard(pid_t pid)
{
	char byte;

	(void)pid;
	return read(said[0], &byte, 1) == 1;
}

static int killed(pid_t pid)
{
	int status;

	return waitpid(pid, &status, WNOHANG) == pid && WIFSIGNALED(status);
}

static void tell(const char *what, int did)
{
	printf("%s: %s\n", what, did ? "yes" : "no");
}

int main(int argc, char **argv)
{
	unsigned int i, n;
	pid_t pid;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (i = 0; argc > 1 && strcmp(argv[1], things[i].name);) {
		if (++i == sizeof(things) / sizeof(things[0]))
			return 2;
	}
	if (pipe2(said, O_NONBLOCK))
		return 2;
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(1);
		hide(things[i].code, things[i].end);
	}
	tell("hides", in_time(heard, pid));
	usleep(200000);
	for (n = 0; n < 3; n++) {
		kill(pid, SIGUSR1);
		tell("handles SIGUSR1", in_time(heard, pid));
		kill(pid, SIGSTOP);
		tell("stops", in_time(stopped, pid));
		kill(pid, SIGCONT);
		usleep(50000);
	}
	if (ptrace(PTRACE_ATTACH, pid, 0, 0))
		printf("attaching: error %d\n", errno);
	tell("stops for a tracer", in_time(stopped, pid));
	ptrace(PTRACE_DETACH, pid, 0, 0);
	kill(pid, SIGTERM);
	tell("ends", in_time(killed, pid));
	kill(pid, SIGKILL);
	return 0;
}
