// SPDX-License-Identifier: GPL-2.0
/*
 * A debugger that reads memory by process_vm_readv(), as LLDB and Delve do, and writes it by ptrace():
 *
 *	vm_debugger PID ADDRESS...
 *
 * For each address, prints eight bytes that are there, sets a breakpoint, waits until it is hit, and
 * puts back what it has read.  In between it does what else a debugger does with a stopped thread.
 */
#include "puppet.h"
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static unsigned long read_word(int pid, unsigned long addr)
{
	unsigned long word;
	struct iovec mine = { &word, sizeof(word) };
	struct iovec theirs = { (void *)addr, sizeof(word) };

	if (process_vm_readv(pid, &mine, 1, &theirs, 1, 0) != sizeof(word))
		die("process_vm_readv");
	return word;
}

static void stopped(int pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
		die("waitpid");
}

static void visit(int pid, unsigned long addr)
{
	unsigned long word = read_word(pid, addr), ip;

	printf("%016lx\n", word);
	if (ptrace(PTRACE_ATTACH, pid, 0, 0))
		die("PTRACE_ATTACH");
	stopped(pid);
	word = read_word(pid, addr);
	printf("%016lx\n", word);
	if (ptrace(PTRACE_POKETEXT, pid, addr, (word & ~0xffUL) | 0xcc) ||
	    ptrace(PTRACE_CONT, pid, 0, 0))
		die("PTRACE_POKETEXT");
	stopped(pid);
	ip = ptrace(PTRACE_PEEKUSER, pid, offsetof(struct user, regs.rip), 0);
	printf("%s\n", ip == addr + 1 ? "hit" : "stopped elsewhere");
	if (ptrace(PTRACE_POKETEXT, pid, addr, word) ||
	    (ip == addr + 1 &&
	     ptrace(PTRACE_POKEUSER, pid, offsetof(struct user, regs.rip), addr)) ||
	    ptrace(PTRACE_DETACH, pid, 0, 0))
		die("PTRACE_DETACH");
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 3)
		return 2;
	for (i = 2; i < argc; i++)
		visit(atoi(argv[1]), strtoul(argv[i], NULL, 0));
	return 0;
}
