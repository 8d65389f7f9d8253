// SPDX-License-Identifier: GPL-2.0
/*
 * Usage: fetch PROGRAM < DEFINITIONS
 *
 * Run the program with a breakpoint at each place that `uprobe resolve` has printed. At the first
 * hit of a place, fetch the arguments of its definition, and print NAME=VALUE for each. The
 * tracer would fetch the same. Tests compare the values with those of the program. x86-64 only.
 */
#include <ctype.h>
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define PLACES_MAX 8192

static struct place {
	unsigned long addr;
	long text;
	char *args;
} places[PLACES_MAX];
static size_t nplaces;

static const char *program;
static pid_t pid;
static struct user_regs_struct regs;
static struct user_fpregs_struct fpregs;

static const struct {
	const char *name;
	size_t offset;
} registers[] = {
#define REG(tracer, kernel) { tracer, offsetof(struct user_regs_struct, kernel) }
	REG("ax", rax), REG("bx", rbx), REG("cx", rcx), REG("dx", rdx),
	REG("si", rsi), REG("di", rdi), REG("bp", rbp), REG("sp", rsp),
	REG("r8", r8), REG("r9", r9), REG("r10", r10), REG("r11", r11),
	REG("r12", r12), REG("r13", r13), REG("r14", r14), REG("r15", r15),
	REG("ip", rip),
};

static unsigned long peek(unsigned long addr)
{
	static int mem = -1;
	unsigned long word = 0;
	char path[32];

	if (mem < 0) {
		snprintf(path, sizeof(path), "/proc/%d/mem", pid);
		mem = open(path, O_RDONLY);
	}
	if (mem < 0 || pread(mem, &word, sizeof(word), (off_t)addr) <= 0)
		printf("(nothing at %#llx) ", (unsigned long long)addr);
	return word;
}

/* Return: the address of a file offset in the program, in its code or in its writable data. */
static unsigned long mapped(const char *name, unsigned long offset, bool code)
{
	char *file = realpath(name, NULL);
	unsigned long long start, end, at, found = 0;
	char path[32], line[4096], can[5];
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	maps = fopen(path, "r");
	while (file && maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%llx-%llx %4s %llx", &start, &end, can, &at) == 4 &&
		    !strcmp(can, code ? "r-xp" : "rw-p") && strstr(line, file) && offset >= at &&
		    offset - at < end - start)
			found = start + offset - at;
	}
	if (maps)
		fclose(maps);
	if (!found)
		errx(1, "%s has no %s at %#llx", name, code ? "code" : "data",
		     (unsigned long long)offset);
	free(file);
	return found;
}

/* Return: the value of an argument; for memory, the eight bytes at its address. */
static unsigned long fetch(const char *text)
{
	unsigned long value = 0;
	char *inner;

	if (text[0] == '\\')
		return text[1] == '-' ? (unsigned long)strtoll(text + 1, NULL, 0) :
					strtoull(text + 1, NULL, 0);
	if (text[0] == '@')
		return peek(mapped(program, strtoull(text + 1, NULL, 0), false));
	if (text[0] == '+' || text[0] == '-') {
		value = strtoll(text, &inner, 0);
		return peek(value + fetch(inner + 1));
	}
	if (!strncmp(text, "%xmm", 4)) {
		memcpy(&value, (char *)fpregs.xmm_space + 16 * atoi(text + 4),
		       sizeof(value));
		return value;
	}
	for (size_t i = 0; i < sizeof(registers) / sizeof(*registers); i++) {
		size_t len = strlen(registers[i].name);

		if (strncmp(text + 1, registers[i].name, len) ||
		    isalnum((unsigned char)text[1 + len]))
			continue;
		memcpy(&value, (char *)&regs + registers[i].offset,
		       sizeof(value));
		return value;
	}
	errx(1, "%s is not understood", text);
}

static void print(unsigned long value, const char *type)
{
	unsigned int bits = atoi(type + 1), at, size;
	double d;
	float f;

	if (type[0] == 'b' && sscanf(type, "b%u@%u/%u", &bits, &at, &size) == 3) {
		value = value << (64 - bits - at) >> (64 - bits);
		printf("%llu", (unsigned long long)value);
	} else if (!strcmp(type, "f64")) {
		memcpy(&d, &value, sizeof(d));
		printf("%g", d);
	} else if (!strcmp(type, "f32")) {
		memcpy(&f, &value, sizeof(f));
		printf("%g", f);
	} else if (!strcmp(type, "char")) {
		printf("%d", (signed char)value);
	} else if (type[0] == 's' && bits) {
		printf("%lld", (long long)(value << (64 - bits)) >> (64 - bits));
	} else if (bits) {
		value = value << (64 - bits) >> (64 - bits);
		printf(type[0] == 'x' ? "0x%llx" : "%llu",
		       (unsigned long long)value);
	} else {
		errx(1, "type %s is not understood", type);
	}
}

static void print_arguments(char *args)
{
	for (char *arg = strtok(args, "\n "); arg; arg = strtok(NULL, "\n ")) {
		char *type = strrchr(arg, ':'), *equals = strchr(arg, '=');

		if (!type || !equals)
			errx(1, "%s is not understood", arg);
		*type = '\0';
		printf("%.*s=", (int)(equals - arg), arg);
		print(fetch(equals + 1), type + 1);
		putchar('\n');
	}
	fflush(stdout);
}

/* Add the place of a line "p:EVENT FILE:0xOFFSET ARGUMENT...". */
static void add_place(char *line)
{
	struct place *place = &places[nplaces++];
	char *file = strchr(line, ' '), *colon, *args;

	colon = file ? strstr(file, ":0x") : NULL;
	if (!colon || nplaces > PLACES_MAX)
		errx(1, "%s is not understood", line);
	*colon = '\0';
	place->addr = mapped(file + 1, strtoull(colon + 1, &args, 0), true);
	place->args = strdup(args);
	place->text = ptrace(PTRACE_PEEKTEXT, pid, place->addr, NULL);
	for (size_t i = 0; i + 1 < nplaces; i++)
		if (places[i].addr == place->addr)
			return;
	ptrace(PTRACE_POKETEXT, pid, place->addr, (place->text & ~0xffl) | 0xcc);
}

static void on_trap(void)
{
	bool known = false;
	long text;

	ptrace(PTRACE_GETREGS, pid, NULL, &regs);
	ptrace(PTRACE_GETFPREGS, pid, NULL, &fpregs);
	regs.rip--;
	for (size_t i = 0; i < nplaces; i++) {
		if (places[i].addr != regs.rip)
			continue;
		/* Restore only one byte: the following bytes may be breakpoints, too. */
		if (!known) {
			text = ptrace(PTRACE_PEEKTEXT, pid, regs.rip, NULL);
			text = (text & ~0xffl) | (places[i].text & 0xff);
			ptrace(PTRACE_POKETEXT, pid, regs.rip, text);
			ptrace(PTRACE_SETREGS, pid, NULL, &regs);
		}
		known = true;
		print_arguments(places[i].args);
	}
	if (!known)
		errx(1, "stopped at %#llx", (unsigned long long)regs.rip);
}

int main(int argc, char **argv)
{
	char line[4096];
	int status;

	if (argc != 2)
		errx(2, "usage: fetch PROGRAM < DEFINITIONS");
	program = argv[1];
	pid = fork();
	if (!pid) {
		personality(ADDR_NO_RANDOMIZE);
		if (!freopen("/dev/null", "w", stdout))
			err(1, "/dev/null");
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(argv[1], argv[1], NULL);
		err(1, "%s", argv[1]);
	}
	waitpid(pid, &status, 0);
	while (fgets(line, sizeof(line), stdin))
		add_place(line);
	while (WIFSTOPPED(status)) {
		if (ptrace(PTRACE_CONT, pid, NULL, NULL) ||
		    waitpid(pid, &status, 0) < 0)
			err(1, "%s", argv[1]);
		if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP)
			on_trap();
		else if (WIFSTOPPED(status))
			errx(1, "signal %d", WSTOPSIG(status));
	}
	return 0;
}
