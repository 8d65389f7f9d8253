// SPDX-License-Identifier: GPL-2.0
/*
 *	debugger PID ADDRESS HITS
 *
 * Acts like a debugger: inserts a breakpoint into the text of a process, lets the process hit it
 * HITS times, restores the text and detaches.  Prints "set" when the breakpoint is in the text, and
 * the number of hits at the end.  Passes on all signals that the breakpoint did not cause.
 */
#include "puppet.h"
#include <sys/ptrace.h>
#include <sys/user.h>

static pid_t pid;
static unsigned long at;

static void must(long result, const char *what)
{
	if (result < 0)
		err(1, "%s", what);
}

static void poke_byte(unsigned char byte)
{
	long word = ptrace(PTRACE_PEEKTEXT, pid, at, 0);

	must(ptrace(PTRACE_POKETEXT, pid, at, (word & ~0xffL) | byte), "PTRACE_POKETEXT");
}

static void wait_stop(int *sig)
{
	int status;

	must(waitpid(pid, &status, 0), "waitpid");
	if (!WIFSTOPPED(status)) {
		printf("it ended: %d\n", status);
		exit(1);
	}
	*sig = WSTOPSIG(status);
}

int main(int argc, char **argv)
{
	const size_t ip = offsetof(struct user, regs.rip);
	int sig, hits = 0, want, pass = 0;
	unsigned char orig;

	if (argc != 4)
		return 2;
	pid = atoi(argv[1]);
	at = strtoul(argv[2], NULL, 0);
	want = atoi(argv[3]);
	must(ptrace(PTRACE_ATTACH, pid, 0, 0), "PTRACE_ATTACH");
	wait_stop(&sig);
	orig = ptrace(PTRACE_PEEKTEXT, pid, at, 0);
	poke_byte(0xcc);
	printf("set\n");
	fflush(stdout);
	while (hits < want) {
		must(ptrace(PTRACE_CONT, pid, 0, pass), "PTRACE_CONT");
		wait_stop(&sig);
		pass = sig;
		if (sig != SIGTRAP ||
		    (unsigned long)ptrace(PTRACE_PEEKUSER, pid, ip, 0) != at + 1)
			continue;
		hits++;
		pass = 0;
		must(ptrace(PTRACE_POKEUSER, pid, ip, at), "PTRACE_POKEUSER");
		poke_byte(orig);
		if (hits == want)
			break;
		must(ptrace(PTRACE_SINGLESTEP, pid, 0, 0), "PTRACE_SINGLESTEP");
		wait_stop(&sig);
		poke_byte(0xcc);
	}
	must(ptrace(PTRACE_DETACH, pid, 0, 0), "PTRACE_DETACH");
	printf("%d hits\n", hits);
	return 0;
}
