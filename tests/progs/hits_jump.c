// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -static
/*
 * Measures what hits cost that need no trap, as hits.c does for traps:
 *
 *	hits_jump [CASE INSN]
 *
 * With CASE and INSN, repeats that case for ever.
 * Prints lines of CASE, INSN and a figure: "count" and "filter" are hits that are counted, or fail a
 * condition, by a trap; "count-jump" and "filter-jump" are the same without a trap; "filter-passes" are
 * hits that meet the condition, and trap in the pad.  "jump" and "jump-away" are what it takes to
 * write and to erase a jump, of many that are written together.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hits.h"

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
} insns[] = {
	{ "endbr64", fn_endbr64, (const char *)fn_endbr64 },
	{ "mov", fn_mov, (const char *)fn_mov },
	{ "sub", fn_sub, (const char *)fn_sub },
	{ "nop10", fn_nop10, (const char *)fn_nop10 },
	{ "lea,flags", fn_flags, probe_flags },
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

/* Measure one case, or repeat it for ever, so that somebody can observe single hits. */
static void one(const char *kind, const char *jumping, int i, bool spin)
{
	const void *arg = jumping && !strcmp(jumping, "passes") ? (void *)1 : argument;
	double bare = least(insns[i].fn, argument), with;
	char name[32];

	jumps_allowed("0");
	attach(kind, insns[i].probe, 1);
	if (jumping) {
		jumps_allowed("1");
		/* Hits that pass do not make a place hot. */
		wait_for_jumps(insns[i].fn, 1);
	}
	while (spin)
		loop(insns[i].fn, arg, CALLS);
	with = least(insns[i].fn, arg);
	snprintf(name, sizeof(name), "%s%s%s", kind, jumping ? "-" : "", jumping ?: "");
	say(name, insns[i].name, with - bare);
	detach();
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

/* The cases, by what follows their kind. */
static const struct {
	const char *kind;
	const char *jumping;
} cases[] = {
	{ "count", NULL },
	{ "count", "jump" },
	{ "filter", NULL },
	{ "filter", "jump" },
	{ "filter", "passes" },
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

int main(int argc, char **argv)
{
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	int i, k;

	if (len < 0)
		die("/proc is not mounted");
	strcpy(side, "ours");
	put(PARAMETER("jump_after"), "1", 0);
	if (argc == 3)
		spin(argv[1], argv[2]);
	for (i = 0; insns[i].name; i++) {
		for (k = 0; cases[k].kind; k++)
			one(cases[k].kind, cases[k].jumping, i, false);
	}
	write_many();
	put(PARAMETER("jump_after"), "64", 0);
	return 0;
}
