// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -static
/*
 * Measures what hits cost that need no trap, as hits.c does for traps:
 *
 *	hits_jump [CASE INSN]
 *
 * With CASE and INSN, repeats that case for ever. Prints lines of CASE, INSN and a figure:
 * "count" and "filter" are hits that are counted, or fail a condition, by a trap; "count-jump"
 * and "filter-jump" are the same without a trap; "filter-passes" are hits that meet the
 * condition, and trap in the pad.  "event-ring" are hits that are recorded with two registers,
 * without a trap; "event-1", "event-2" and "event-10" are the same if the ring is emptied after so
 * many; "text" are recorded with a string of 16 bytes by a trap, "text-ring" without one;
 * "read-ring" are hits of a session, with reading them as units; "hist" are hits that are counted
 * by the value of a register, "lat" calls that are timed, and "hist-jump" and "lat-jump" the same
 * without traps, "hist-field" by a number in memory. They include what it takes to empty the rings.
 * "jump" and "jump-away" are what it
 * takes to write and to erase a jump, of many that are written together.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hits.h"
#include "../../include/uprobes/units.h"

#define MANY		2000

asm(".text\n"
	".balign 64\n"
	"fn_endbr64: endbr64\n\tret\n"
	".balign 64\n"
	"fn_mov: mov %rdi, %rax\n\tret\n"
	".balign 64\n"
	"fn_sub: sub $24, %rsp\n\tadd $24, %rsp\n\tret\n"
	".balign 64\n"
	"fn_nop10: .byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n\tret\n"
	/* The flags are of use behind the probed instruction, so the pad saves them. */
	".balign 64\n"
	"fn_flags: test %rdi, %rdi\n"
	"probe_flags: lea 1(%rdi), %rax\n\tcmovz %rax, %rdx\n\tret\n"
	".balign 4096\n"
	"many:\n"
	".rept 2000\n\tmov %rdi, %rax\n\tret\n\t.balign 16\n\t.endr\n"
	".balign 4096\n");

extern called fn_endbr64, fn_mov, fn_sub, fn_nop10, fn_flags, many;
extern char probe_flags[];

static const struct {
	const char *name;
	called *fn;
	const char *probe;
	unsigned int ret;
} insns[] = {
	{ "endbr64", fn_endbr64, (const char *)fn_endbr64, 0 },
	{ "mov", fn_mov, (const char *)fn_mov, 0 },
	{ "sub", fn_sub, (const char *)fn_sub, 8 },
	{ "nop10", fn_nop10, (const char *)fn_nop10, 10 },
	{ "lea,flags", fn_flags, probe_flags, 0 },
	{ },
};

#define PARAMETER(name)	"/sys/module/uprobes/parameters/" name

static void jumps_allowed(const char *text)
{
	put(PARAMETER("jump"), text, 0);
}

/* Call a function until there are so many jumps. */
static void wait_for_jumps(called *fn, unsigned int wanted)
{
	int i;

	for (i = 0; number(PARAMETER("jumps")) < wanted; i++) {
		if (i == 1000)
			die("there are %lu jumps, not %u",
			    (unsigned long)number(PARAMETER("jumps")), wanted);
		loop(fn, argument, 10);
		usleep(10000);
	}
}

#define DIR	"/sys/kernel/debug/uprobes/"

/* The open file "aggregate", or -1. */
static int aggregate = -1;

static sigjmp_buf behind;
static char *volatile nowhere;

static void on_fault(int sig)
{
	siglongjmp(behind, sig);
}

/* Have a fault: pads may read memory when the module has seen one. */
static void have_fault(void)
{
	signal(SIGSEGV, on_fault);
	if (!sigsetjmp(behind, 1))
		(void)*(volatile char *)nowhere;
	signal(SIGSEGV, SIG_DFL);
}

static void event_begin(int i, const char *arguments)
{
	char line[5000];

	snprintf(line, sizeof(line), "p:bench/hit %s:%#lx %s\n", path,
		 offset_of(insns[i].probe), arguments);
	put(DIR "uprobe_events", line, O_APPEND);
	put(DIR "events/bench/hit/enable", "1", 0);
	have_fault();
}

static void event_end(void)
{
	put(DIR "events/bench/hit/enable", "0", 0);
	put(DIR "uprobe_events", "-:bench/hit\n", O_APPEND);
	put(DIR "trace", "", O_TRUNC);
}

/* Count values, or time calls by their return address, or by their return instruction. */
static void aggregate_begin(int i, const char *values, bool exits)
{
	unsigned long at = offset_of(insns[i].probe);
	char line[5000];
	int n = snprintf(line, sizeof(line), "%c:bench %s:%#lx%s", *values ? 'p' : 'r', path, at,
			 values);

	if (exits)
		n += snprintf(line + n, sizeof(line) - n, " \\%#lx", at + insns[i].ret);
	line[n++] = '\n';
	aggregate = open(DIR "aggregate", O_RDWR);
	if (aggregate < 0 || write(aggregate, line, n) != n)
		die("writing '%.*s' into aggregate: %s", n, line, strerror(errno));
	have_fault();
}

/* The open session, or -1. */
static int session = -1;

static void session_line(const char *line)
{
	if (write(session, line, strlen(line)) < 0)
		die("writing '%s' into a session: %s", line, strerror(errno));
}

static void session_begin(int i)
{
	char line[5000];

	session = open(DIR "session", O_RDWR | O_NONBLOCK);
	if (session < 0)
		die("session: %s", strerror(errno));
	session_line("binary 1\n");
	snprintf(line, sizeof(line), "p:hit %s:%#lx first=%%di second=%%si\n", path,
		 offset_of(insns[i].probe));
	session_line(line);
}

/* Count the hits of units. */
static unsigned int hits_of(const char *units, const char *end)
{
	unsigned int hits = 0;

	while (units < end) {
		const struct uprobes_unit_block *block = (const void *)units;
		size_t n = (block->unit.size - sizeof(*block)) / sizeof(block->words[0]), at;

		for (at = 0; block->unit.kind == UPROBES_UNIT_BLOCK && at < n; hits++)
			at += 2 + (block->words[at] & 0xff);
		units += block->unit.size;
	}
	return hits;
}

/*
 * Measure what it takes to read a hit.  The module waits for a moment before it says that there is
 * nothing more: do not read the last ones.
 */
static double read_cost(called *fn)
{
	static char units[12 * UPROBES_UNIT_MAX];
	double best = 1e9, each;
	uint64_t begun;
	ssize_t n;
	int i;

	for (i = 0; i < LOOPS; i++) {
		while (read(session, units, sizeof(units)) > 0)
			;
		loop(fn, argument, CALLS);
		usleep(5000);
		begun = now();
		n = read(session, units, sizeof(units));
		each = (double)(now() - begun) / hits_of(units, units + (n > 0 ? n : 0));
		if (n < (ssize_t)sizeof(units) - UPROBES_UNIT_MAX)
			die("a session has no more than %ld bytes", (long)n);
		best = each < best ? each : best;
	}
	return best;
}

/* Return the least cost of some calls and a switch to another process, which empties the ring. */
static double least_round(called *fn, const void *arg, unsigned int each)
{
	uint64_t best = UINT64_MAX, begun, t;
	unsigned int i, round, k;

	for (i = 0; i < LOOPS; i++) {
		begun = now();
		for (round = 0; round < CALLS; round++) {
			for (k = 0; k < each; k++)
				fn(arg);
			sched_yield();
		}
		t = now() - begun;
		best = t < best ? t : best;
	}
	return (double)best / CALLS;
}

/* Make a process that waits, and then always yields.  A fork erases jumps, so call this first. */
static pid_t other_process(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	raise(SIGSTOP);
	while (1)
		sched_yield();
}

/*
 * Measure hits if the ring is emptied after so many.  Two processes of the same priority switch to
 * each other.
 */
static double rounds_cost(called *fn, const void *arg, unsigned int each, pid_t other)
{
	static const struct sched_param first = { .sched_priority = 1 }, last;
	double without, with;

	sched_setscheduler(other, SCHED_FIFO, &first);
	sched_setscheduler(0, SCHED_FIFO, &first);
	kill(other, SIGCONT);
	without = least_round(fn, arg, 0);
	with = least_round(fn, arg, each);
	kill(other, SIGSTOP);
	sched_setscheduler(0, SCHED_OTHER, &last);
	return (with - without) / each;
}

static void session_end(void)
{
	close(session);
	session = -1;
}

static void close_aggregate(void)
{
	close(aggregate);
	aggregate = -1;
}

static void begin(const char *kind, int i, const char *jumping)
{
	if (!strcmp(kind, "event"))
		event_begin(i, "first=%di second=%si");
	else if (!strcmp(kind, "text"))
		event_begin(i, "text=+0(%di):string");
	else if (!strcmp(kind, "read"))
		session_begin(i);
	else if (!strcmp(kind, "lat"))
		aggregate_begin(i, "", jumping);
	else if (!strcmp(kind, "hist"))
		aggregate_begin(i, !jumping || !strcmp(jumping, "jump") ? " %di" :
				!strcmp(jumping, "by") ? " %di %si:u8" : " +0(%di):u64", false);
	else
		attach(kind, insns[i].probe, 1);
}

static void end(const char *kind)
{
	if (!strcmp(kind, "event") || !strcmp(kind, "text"))
		event_end();
	else if (session >= 0)
		session_end();
	else if (aggregate >= 0)
		close_aggregate();
	else
		detach();
}

/* Measure one case, or repeat it for ever, so that somebody can observe single hits. */
static void one(const char *kind, const char *jumping, int i, bool spin)
{
	const void *arg = jumping && !strcmp(jumping, "passes") ? (void *)1 : argument;
	double bare = least(insns[i].fn, argument), with;
	unsigned int each = jumping ? atoi(jumping) : 0;
	pid_t other = each ? other_process() : 0;
	char name[32];

	jumps_allowed("0");
	begin(kind, i, jumping);
	if (jumping) {
		jumps_allowed("1");
		/* Hits that pass do not make a place hot. */
		wait_for_jumps(insns[i].fn, !strcmp(kind, "lat") ? 2 : 1);
		/* The ring of this processor gets its memory. */
		loop(insns[i].fn, arg, 10);
		usleep(50000);
		loop(insns[i].fn, arg, 10);
	}
	while (spin && each)
		rounds_cost(insns[i].fn, arg, each, other);
	while (spin)
		loop(insns[i].fn, arg, CALLS);
	with = each ? rounds_cost(insns[i].fn, arg, each, other) : least(insns[i].fn, arg);
	if (session >= 0)
		with += read_cost(insns[i].fn);
	snprintf(name, sizeof(name), "%s%s%s", kind, jumping ? "-" : "", jumping ?: "");
	say(name, insns[i].name, with - bare);
	end(kind);
	if (other) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	}
}

static void call_many(void)
{
	const char *fn = (const char *)many;
	int i;

	for (i = 0; i < MANY; i++)
		((called *)(fn + i * MANY_STRIDE))(argument);
}

/* The worker that writes jumps runs when this program has become less important. */
static void write_many(void)
{
	static const struct sched_param first = { .sched_priority = 1 }, last;
	uint64_t begun;

	jumps_allowed("0");
	attach("count", (const char *)many, MANY);
	jumps_allowed("1");
	sched_setscheduler(0, SCHED_FIFO, &first);
	call_many();
	begun = now();
	sched_setscheduler(0, SCHED_IDLE, &last);
	while (number(PARAMETER("jumps")) < MANY) {
		if (now() - begun > 100000000000)
			die("not all jumps are written");
	}
	say("jump", "-", (double)(now() - begun) / MANY);
	sched_setscheduler(0, SCHED_OTHER, &last);
	begun = now();
	jumps_allowed("0");
	say("jump-away", "-", (double)(now() - begun) / MANY);
	detach();
}

/* The cases, by name without the kind.  Cases with rings come last: a process keeps its rings. */
static const struct {
	const char *kind;
	const char *jumping;
	bool rings;
} cases[] = {
	{ "count", NULL, false },
	{ "count", "jump", false },
	{ "filter", NULL, false },
	{ "filter", "jump", false },
	{ "filter", "passes", false },
	{ "hist", NULL, false },
	{ "hist", "jump", false },
	{ "hist", "by", false },
	{ "hist", "field", false },
	{ "event", "ring", true },
	{ "event", "10", true },
	{ "event", "2", true },
	{ "event", "1", true },
	{ "text", NULL, true },
	{ "text", "ring", true },
	{ "read", "ring", true },
	{ "lat", NULL, true },
	{ "lat", "jump", true },
	{ },
};

static void spin(char *name, const char *insn)
{
	const char *kind = strtok(name, "-"), *jumping = strtok(NULL, "-");
	int i;

	while (!strcmp(kind, "jump")) {
		/* Use a new process each time, because it must have had no jumps. */
		if (!fork()) {
			write_many();
			_exit(0);
		}
		wait(NULL);
	}
	for (i = 0; insns[i].name; i++) {
		if (!strcmp(insns[i].name, insn))
			one(kind, jumping, i, true);
	}
}

/* Measure the cases with rings, or those without. */
static void measure(bool rings)
{
	int i, k;

	for (i = 0; insns[i].name; i++) {
		for (k = 0; cases[k].kind; k++) {
			/* To be timed, it must be a function, and its return not under the jump. */
			if (cases[k].rings != rings ||
			    (!insns[i].ret && !strcmp(cases[k].kind, "lat")))
				continue;
			one(cases[k].kind, cases[k].jumping, i, false);
		}
	}
}

int main(int argc, char **argv)
{
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (len < 0)
		die("/proc is not mounted");
	strcpy(side, "ours");
	put(PARAMETER("jump_after"), "1", 0);
	if (argc == 3)
		spin(argv[1], argv[2]);
	measure(false);
	write_many();
	measure(true);
	put(PARAMETER("jump_after"), "64", 0);
	return 0;
}
