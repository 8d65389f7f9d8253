// SPDX-License-Identifier: GPL-2.0
/*
 * To add an option: a row here, its member of struct options, and its description in uprobe.8.
 * Parsing, help, completion, and the refusal of options without an effect follow.
 */
#include "option_table.h"

#include <string.h>

#include "command.h"
#include "probe/place.h"
#include "util/util.h"

#define ANY		((1U << NR_COMMANDS) - 1)
#define MEASURES	(COUNT | LAT)
#define PROBES_PLAINLY	(RUNS & ~FLOW)
#define FINDS		(RUNS | LIST | SDT | VARS | LINES | OFFSET | RESOLVE)
#define CONTROLS	(RUNS | STATUS | CLEAN | DOCTOR)
#define M(member)	offsetof(struct options, member)

const struct option_row option_rows[] = {
	{ "-p, --pid PID", M(pid), FINDS, "only this process; TARGET as it has it mapped",
	  .meant = " P process " },
	{ "-L TID", M(tid), RUNS, "only this thread", .meant = " tid thread thread-id " },
	{ "-f", M(follow), RUNS, "with -p also processes that it starts",
	  .meant = " follow children inherit " },
	{ "-c CMD", M(command), RUNS, "run a command; trace it and what it starts until it ends",
	  .meant = " cmd command exec run " },
	{ "--uid UID", M(uid), RUNS, "only tasks of this user", .meant = " u user " },
	{ "--comm NAME", M(comm), RUNS, "only tasks of this name",
	  .meant = " name process-name task-name " },
	{ "--self", M(self), RUNS, "also uprobe itself and the readers of its output" },
	{ "--no-follow", M(no_follow), RUNS,
	  "if a probed file is replaced, do not probe the new one" },
	{ "-d SECONDS", M(seconds), RUNS, "stop after this time",
	  .meant = " duration seconds timeout " },
	{ "-i SECONDS", M(interval), MEASURES | HIST, "print and reset every interval",
	  .instead = "print counts again and again: uprobe count -i", .meant = " interval " },
	{ "--top N", M(top), MEASURES | HIST | FLOW | STACKS,
	  "print at most N functions, keys or paths (default: 20)",
	  .instead = "show so many events: -M" },
	{ "--heat", M(heat), LAT | HIST, "a heat map in the terminal; a line per second, or per -i",
	  .instead = "time calls: uprobe lat --heat" },
	{ "--by VALUE", M(by), HIST, "a histogram for each of its values; 64 of these, then others",
	  .instead = "draw values: uprobe hist --by", .meant = " key group-by by " },
	{ "--depth N", M(depth), FLOW, "show at most N levels of calls",
	  .instead = "follow calls: uprobe flow", .meant = " D max-depth level " },
	{ "--min TIME", M(min), FLOW,
	  "show only calls of at least TIME, such as 100us, and their callers",
	  .instead = "follow calls: uprobe flow",
	  .meant = " threshold time-filter slower at-least " },
	{ "--summary", M(summary), FLOW,
	  "a table of functions, sorted by the time in the function itself",
	  .instead = "follow calls: uprobe flow" },
	{ "--apart", M(apart), FLOW, "print each thread separately, at the end",
	  .instead = "follow calls: uprobe flow" },
	{ "--folded", M(folded), STACKS, "one line per path, for other tools",
	  .instead = "count stacks: uprobe stacks" },
	{ "-M N", M(max_events), TRACE | FLOW | STACKS, "stop after N events",
	  .instead = "stop after a time: -d",
	  .meant = " n N number events max-events limit count " },
	{ "--str N", M(string_max), TRACE, "show at most N characters of each string",
	  .meant = " S Z string string-size strlen " },
	{ "--max-probes N", M(max_probes), RUNS | RESOLVE,
	  "probe nothing if there are more than N places" },
	{ "--buffer KB", M(buffer_kb), TRACE | FLOW | STACKS,
	  "size of the event buffer of each processor" },
	{ "-o FILE", M(output), 0,
	  "write results to FILE; lat, hist, stacks: a picture if it ends\n"
	  "in .svg; flow: objects if it ends in .json", .meant = " output out-file " },
	{ "-o FILE", 0, TRACE | COUNT, "write results to FILE" },
	{ "-o FILE", 0, LAT | HIST | STACKS,
	  "write results to FILE; a picture if it ends in .svg" },
	{ "-o FILE", 0, FLOW, "write results to FILE; objects if it ends in .json" },
	{ "--json", M(json), ANY & ~(CLEAN | HELP), "one object per event, line, or call",
	  .meant = " j format js " },
	{ "--color=WHEN", M(color), TRACE | FLOW,
	  "when to use colours: auto, always, never; NO_COLOR in the\n"
	  "environment is never", .words = "auto always never", .first = COLOR_AUTO },
	{ "--time=HOW", M(time), TRACE,
	  "how to write times: kernel, relative (to the first event), clock",
	  .words = "kernel relative clock", .first = TIME_KERNEL,
	  .meant = " T timestamp timestamps " },
	{ "-H", M(header), TRACE, "column headers", .meant = " header headers " },
	{ "--long", M(long_lines), TRACE,
	  "also flags and addresses, as in the tracer's own lines" },
	{ "-s", M(stacks), TRACE, "user stacks, where the tracer has them", .instead = "trace",
	  .meant = " U g stack stacks call-graph callchain backtrace " },
	{ "-v", M(verbose), 0,
	  "more; trace: the format of the events, without tracing;\n"
	  "count, hist: how many places count without a trap, and why others do\n"
	  "not; list, sdt, resolve: more about each", .meant = " verbose " },
	{ "-v", 0, TRACE, "the format of the events, without tracing" },
	{ "-v", 0, COUNT | HIST, "how many places count without a trap, and why others do not" },
	{ "-v", 0, LIST | SDT, "more about each" },
	{ "-v", 0, RESOLVE, "also the bytes that the kernel must find there" },
	{ "-l TARGET", M(list), LIST, "the same as: list TARGET" },
	{ "--return=HOW", M(returns), PROBES_PLAINLY | RESOLVE,
	  "how returns are probed; trampoline: replace the return address;\n"
	  "sites: probe each return instruction; auto: sites if exact",
	  .words = "trampoline sites auto", .first = RETURN_TRAMPOLINE },
	{ "--all", M(all), 0, "all functions of a name; with clean: all events",
	  .instead = "write a pattern" },
	{ "--all", 0, PROBES_PLAINLY | OFFSET | RESOLVE, "all functions of a name" },
	{ "--all", 0, CLEAN, "also events that were made by hand" },
	{ "--force=WHAT,...", M(force), PROBES_PLAINLY | OFFSET | RESOLVE,
	  "skip checks; align (the place starts an instruction), size (the\n"
	  "function's size is known), range (inside the function), ifunc, go",
	  .words = "align size range ifunc go" },
	{ "--force=go", 0, FLOW, "replace return addresses in Go, OCaml, a VM" },
	{ "-F", M(force), PROBES_PLAINLY | OFFSET | RESOLVE, "skip all checks",
	  .words = FORCE_ALL },
	{ "--debug-dir DIR", M(debug_dir), FINDS,
	  "where separate debug files are (default: /usr/lib/debug)" },
	{ "--control DIR", M(control), CONTROLS,
	  "use the tracer in DIR (default: /sys/kernel/debug/uprobes)" },
	{ "-h, --help", M(help), ANY, "print this help" },
	{ "--version", M(version), ANY, "print the version", .meant = " V " },
};

const size_t nr_option_rows = ARRAY_SIZE(option_rows);

_Static_assert(ARRAY_SIZE(option_rows) <= OPTION_ROWS_MAX, "there are too many options");

/** option_name() - find the length of the first name in option_row::spelling */
int option_name(const struct option_row *row)
{
	return strcspn(row->spelling, " =,");
}

/** option_letter() - find the letter of an option; 0 if it has none */
char option_letter(const struct option_row *row)
{
	return row->spelling[1] == '-' ? '\0' : row->spelling[1];
}

/**
 * option_word() - find the word of an option
 * @row: the option
 * @len: set to its length
 *
 * Return: the word without dashes; NULL if it has none.
 */
const char *option_word(const struct option_row *row, int *len)
{
	const char *word = strstr(row->spelling, "--");

	*len = word ? strcspn(word + 2, " =") : 0;
	return word ? word + 2 : NULL;
}

/** option_value() - find the value that an option takes, as its spelling calls it; "" if none */
const char *option_value(const struct option_row *row)
{
	const char *end = row->spelling + strlen(row->spelling);

	while (end > row->spelling && !strchr(" =", end[-1]))
		end--;
	return *end == '-' ? "" : end;
}
