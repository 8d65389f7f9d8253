// SPDX-License-Identifier: GPL-2.0
#include "help.h"

#include <string.h>

#include "util/util.h"

enum {
	TRACE = 1 << 0,
	COUNT = 1 << 1,
	LAT = 1 << 2,
	FLOW = 1 << 3,
	STACKS = 1 << 4,
	LIST = 1 << 5,
	SDT = 1 << 6,
	VARS = 1 << 7,
	LINES = 1 << 8,
	OFFSET = 1 << 9,
	RESOLVE = 1 << 10,
	STATUS = 1 << 11,
	CLEAN = 1 << 12,
	DOCTOR = 1 << 13,
	/* For the whole help only; not for the whole help. */
	GENERAL = 1 << 14,
	DETAIL = 1 << 15,
};

#define MEASURES	(COUNT | LAT)
#define RUNS		(TRACE | MEASURES | FLOW | STACKS)
#define FINDS		(RUNS | LIST | SDT | VARS | LINES | OFFSET | RESOLVE)
#define CONTROLS	(RUNS | STATUS | CLEAN | DOCTOR)

/**
 * struct topic - a command
 * @name: as it is typed
 * @bit: its bit above
 * @usage: what follows "uprobe "
 * @what: what it does
 * @examples: two of them
 */
struct topic {
	const char *name;
	unsigned int bit;
	const char *usage;
	const char *what;
	const char *examples[2];
};

static const struct topic topics[] = {
	{ "trace", TRACE,
	  "[trace] [OPTIONS] 'p:TARGET:FUNCTION [ARGS]'... ['FILTER']\n"
	  "       uprobe [trace] [OPTIONS] 'r:TARGET:FUNCTION [ARGS]'... ['FILTER']\n"
	  "       uprobe [trace] [OPTIONS] 'u:TARGET:PROBE [NAME=argN[:TYPE]]'... ['FILTER']",
	  "show calls (p) or returns (r) of a function, or a probe that the target comes with\n"
	  "(u); p:[GROUP/]EVENT TARGET:... names the event",
	  { "uprobe 'r:bash:readline +0($retval):string'",
	    "uprobe -c 'ls /' 'p:libc:malloc bytes=%di:u64' 'bytes > 4096'" } },
	{ "count", COUNT, "count [OPTIONS] PROBE...",
	  "count hits in the kernel; FUNCTION may be a pattern",
	  { "uprobe count -c 'ls /' 'p:libc:mem*'", "uprobe count -v -p 4711 libc:malloc" } },
	{ "lat", LAT, "lat [OPTIONS] TARGET:FUNCTION...",
	  "draw how long calls take; FUNCTION may be a pattern; -o x.svg draws a picture",
	  { "uprobe lat -i 5 libc:read", "uprobe lat --heat -c 'ls -lR /etc' libc:malloc" } },
	{ "flow", FLOW, "flow [OPTIONS] TARGET:FUNCTION...",
	  "show calls as they nest, with their times; FUNCTION may be a pattern; -o x.json\n"
	  "writes them for Perfetto and chrome://tracing",
	  { "uprobe flow -c 'bash -c true' --depth 4 'bash:*'",
	    "uprobe flow -p 4711 --min 1ms 'redis-server:*'" } },
	{ "stacks", STACKS, "stacks [OPTIONS] PROBE...",
	  "count the call paths to a place; -o x.svg draws a flame graph",
	  { "uprobe stacks -d 5 libc:malloc", "uprobe stacks -c 'ls /' -o ls.svg libc:malloc" } },
	{ "list", LIST, "list TARGET ['GLOB']",
	  "list functions; -v: file offset, size, binding, full name",
	  { "uprobe list libc 'mem*'", "uprobe list -v bash readline" } },
	{ "sdt", SDT, "sdt TARGET ['GLOB'] | -p PID",
	  "list the probes that it comes with; -v: each site",
	  { "uprobe sdt libstdc++.so.6", "uprobe sdt -v -p 4711" } },
	{ "vars", VARS, "vars TARGET PLACE",
	  "variables that are visible there, and the arguments they make",
	  { "uprobe vars ./prog main", "uprobe vars ./prog prog.c:42" } },
	{ "lines", LINES, "lines TARGET [FUNCTION|FILE|FILE:LINE]",
	  "source lines that have code, and where it is",
	  { "uprobe lines ./prog", "uprobe lines ./prog main" } },
	{ "offset", OFFSET, "offset TARGET FUNCTION",
	  "print PATH:0xOFFSET, ready for uprobe_events; needs no root",
	  { "uprobe offset bash readline", "uprobe offset libc malloc" } },
	{ "resolve", RESOLVE, "resolve SPEC...",
	  "print the lines for uprobe_events, write nothing",
	  { "uprobe resolve 'p:bash:readline'", "uprobe resolve 'r:libc:fopen $retval'" } },
	{ "status", STATUS, "status",
	  "what is defined, and by whom",
	  { "uprobe status", "uprobe --control /sys/kernel/tracing status" } },
	{ "clean", CLEAN, "clean [--all]",
	  "remove what killed runs have left",
	  { "uprobe clean", "uprobe clean --all" } },
	{ "doctor", DOCTOR, "doctor",
	  "say what this machine offers and lacks, and how to mend it",
	  { "uprobe doctor", "uprobe doctor > report" } },
};

/**
 * struct option_text - an option
 * @option: how it is written
 * @what: what it does; each further line after a newline
 * @topics: the commands that have it
 */
struct option_text {
	const char *option;
	const char *what;
	unsigned int topics;
};

static const struct option_text option_texts[] = {
	{ "-p, --pid PID", "only this process; TARGET as it has it mapped", FINDS },
	{ "-L TID", "only this thread", RUNS },
	{ "-f", "with -p: processes that it starts, too", RUNS },
	{ "-c CMD", "run a command; trace it and what it starts until it ends", RUNS },
	{ "--uid UID, --comm NAME", "only tasks of this user, of this name", RUNS },
	{ "--self", "uprobe itself, too, and who reads its output", RUNS },
	{ "--no-follow", "probe no new file where a probed one is replaced meanwhile", RUNS },
	{ "-d SECONDS", "stop after this time", RUNS },
	{ "-i SECONDS", "print and begin anew each time", MEASURES },
	{ "--top N", "that many functions or paths (20)", MEASURES | FLOW | STACKS },
	{ "--heat", "a heat map in the terminal, a line each second, or each -i", LAT },
	{ "--depth N", "only so many levels of calls", FLOW },
	{ "--min TIME", "only calls that take so long, as 100us, and those around them", FLOW },
	{ "--summary", "a table of functions by the time of their own", FLOW },
	{ "--apart", "each thread by itself, at the end", FLOW },
	{ "--folded", "a line for each path, for other tools", STACKS },
	{ "-M N", "stop after N events", TRACE | FLOW | STACKS },
	{ "--str N", "show at most N characters of a string", TRACE },
	{ "--max-probes N", "stop where more places than that would be probed", RUNS | RESOLVE },
	{ "--buffer KB", "room for events that are not printed yet, per processor",
	  TRACE | FLOW | STACKS },
	{ "-o FILE", "write results there; lat, stacks: a picture if it ends in .svg;\n"
		     "flow: objects if it ends in .json", GENERAL },
	{ "-o FILE", "write results there", DETAIL | TRACE | COUNT },
	{ "-o FILE", "write results there; a picture if it ends in .svg", DETAIL | LAT | STACKS },
	{ "-o FILE", "write results there; objects if it ends in .json", DETAIL | FLOW },
	{ "--json", "an object per event, line, or call",
	  ~(unsigned int)(GENERAL | DETAIL | CLEAN) },
	{ "--color WHEN", "auto, always, never; NO_COLOR in the environment is never",
	  TRACE | FLOW },
	{ "--time HOW", "kernel, relative (to the first event), clock", TRACE },
	{ "-H", "column headers", TRACE },
	{ "--long", "also flags and addresses, as the tracer's lines have them", TRACE },
	{ "-s", "user stacks, where the tracer has them", TRACE },
	{ "-v", "trace: the format of the events, without tracing; count: how\n"
		"many places count without a trap, and why others do not;\n"
		"list, sdt, resolve: more of each", GENERAL },
	{ "-v", "the format of the events, without tracing", DETAIL | TRACE },
	{ "-v", "how many places count without a trap, and why others do not", DETAIL | COUNT },
	{ "-v", "more of each", DETAIL | LIST | SDT },
	{ "-v", "the bytes that must be there, too", DETAIL | RESOLVE },
	{ "-l TARGET", "the same as: list TARGET", LIST },
	{ "--return=HOW", "trampoline: replace the return address; sites: probe each\n"
			  "return instruction; auto: sites where that is exact",
	  TRACE | MEASURES | RESOLVE },
	{ "--all", "all functions of a name; with clean: all events", GENERAL },
	{ "--all", "all functions of a name",
	  DETAIL | (RUNS & ~FLOW) | OFFSET | RESOLVE },
	{ "--all", "events that were made by hand, too", DETAIL | CLEAN },
	{ "--force=WHAT,...", "skip checks: align (start of an instruction), size (of the\n"
			      "function known), range (inside the function), ifunc, go",
	  (RUNS & ~FLOW) | OFFSET | RESOLVE },
	{ "--force=go", "replace return addresses in Go, OCaml, a VM", DETAIL | FLOW },
	{ "-F", "skip all of them", (RUNS & ~FLOW) | OFFSET | RESOLVE },
	{ "--debug-dir DIR", "where separate debug files are (/usr/lib/debug)", FINDS },
	{ "--control DIR", "drive the tracer in DIR (/sys/kernel/debug/uprobes)", CONTROLS },
	{ "-h, --help", "this text", ~(GENERAL | DETAIL) },
	{ "--version", "the version", ~(GENERAL | DETAIL) },
};

/** help_short() - print the most used forms */
void help_short(FILE *out)
{
	fputs("usage: uprobe COMMAND ...\n"
	      "  uprobe 'p:bash:readline'                      show calls; r: returns, with values\n"
	      "  uprobe count -c 'ls /' 'p:libc:mem*'          count calls of many functions\n"
	      "  uprobe lat -i 5 libc:read                     how long calls take\n"
	      "  uprobe flow -c './prog' './prog:*'            calls as they nest\n"
	      "  uprobe stacks -d 5 -o x.svg libc:malloc       who calls it: a flame graph\n"
	      "\n"
	      "uprobe doctor says whether this machine can trace; uprobe help has all the rest,\n"
	      "and uprobe COMMAND --help that command's options.\n", out);
}

static void print_indented(FILE *out, const char *text, int column)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		fprintf(out, "%.*s\n", (int)len, text);
		text += len + (text[len] == '\n');
		if (*text)
			fprintf(out, "%*s", column, "");
	}
}

/* @whole: for the whole help */
static void print_options(FILE *out, unsigned int wanted, bool whole)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_texts); i++) {
		const struct option_text *text = &option_texts[i];

		if (!(text->topics & wanted) || (whole && text->topics & DETAIL) ||
		    (!whole && text->topics & GENERAL))
			continue;
		if (strlen(text->option) > 18)
			fprintf(out, "  %s\n%21s", text->option, "");
		else
			fprintf(out, "  %-19s", text->option);
		print_indented(out, text->what, 21);
	}
}

static void print_words(FILE *out)
{
	fputs("\n"
	      "TARGET is a path, a program in PATH, or a library (libc, c, libc.so.6).\n"
	      "FUNCTION is NAME[@FILE|@VERSION][+OFFSET], FILE:LINE, 0xOFFSET in the file, or\n"
	      "@0xADDRESS as objdump shows it. ARGS and FILTER are those of uprobe_events and\n"
	      "filter files: %di, +0(%si):string, $retval, name=%dx:u32; 'name > 5'. With debug\n"
	      "information, variables by name: size, path:string, p->next->x, v[2], $params.\n"
	      "$arg1 to $arg6 are the arguments in registers, by the System V calling convention.\n"
	      "In Go programs $go1, $go2, ... are the first integer and pointer arguments.\n"
	      "\n", out);
}

/** help_whole() - print all commands and options */
void help_whole(FILE *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++) {
		fprintf(out, "%s uprobe %s\n%14s", i ? "      " : "usage:", topics[i].usage, "");
		print_indented(out, topics[i].what, 14);
	}
	print_words(out);
	print_options(out, ~0U, true);
	fputs("\n"
	      "Exit status: 0 done, 1 failed, 2 usage, 3 not found or ambiguous, 4 refused for\n"
	      "safety, 5 no permission or module not loaded.\n", out);
}

static const struct topic *find_topic(const char *command)
{
	for (size_t i = 0; i < ARRAY_SIZE(topics); i++)
		if (!strcmp(topics[i].name, command))
			return &topics[i];
	return NULL;
}

/**
 * help_command() - print what a command does, its options and two examples
 * @out: where to
 * @command: the command
 *
 * Return: false if there is no such command.
 */
bool help_command(FILE *out, const char *command)
{
	const struct topic *topic = find_topic(command);

	if (!topic)
		return false;
	fprintf(out, "usage: uprobe %s\n%7s", topic->usage, "");
	print_indented(out, topic->what, 7);
	putc('\n', out);
	print_options(out, topic->bit, false);
	fprintf(out, "\nExamples:\n  %s\n  %s\n", topic->examples[0], topic->examples[1]);
	return true;
}
