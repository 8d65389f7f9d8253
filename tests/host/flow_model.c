// SPDX-License-Identifier: GPL-2.0
// test: calls and returns are paired by places on stacks: recursion, longjmp(), tail calls, ret n, goroutines, new names
// cflags: -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined
// cflags: -Iuserspace -Iarch/x86 userspace/tracer/flow.c userspace/tracer/flow_print.c
// cflags: userspace/tracer/histogram.c userspace/util/json.c userspace/util/utf8.c userspace/util/util.c
// cflags: userspace/util/error.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insn/ktap.h"
#include "tracer/flow.h"
#include "util/util.h"

/*
 * Functions: f and g return; t may jump to another one.  A word of @events is THREAD[/GOROUTINE],
 * one of + (enter), - (leave) and ^ (leave, the stack pointer is behind the return), the function,
 * the stack pointer, and [:COMM] or [!PROCESS] if the thread has another name or is of another
 * process.  After "ending", the places of returns are being removed.
 */
#define LEFT "left without a return"

static const struct {
	const char *what, *events, *calls;
} cases[] = {
	{ "a recursive call nests",
	  "7+f1000 7+f900 7-f900 7-f1000",
	  "f() { f(); } /* f */" },
	{ "what longjmp() leaves ends with the call around it",
	  "7+f1000 7+g900 7+g800 7-f1000",
	  "f() { g() { g(); /* " LEFT " */ } /* g, " LEFT " */ } /* f */" },
	{ "at the place of a call that cannot jump, another one means that it was left",
	  "7+f1000 7+g900 7+f900 7-f900 7-f1000",
	  "f() { g(); /* " LEFT " */ f(); } /* f */" },
	{ "a tail call nests",
	  "7+t1000 7+g1000 7-g1000 7^t1008",
	  "t() { g(); } /* t */" },
	{ "behind a return, the calls further in are over",
	  "7+t1000 7+t900 7^t1008",
	  "t() { t(); /* " LEFT " */ } /* t */" },
	{ "ret n takes arguments off the stack",
	  "7+t1000 7^t1016",
	  "t();" },
	{ "threads do not mix",
	  "7+f1000 8+f1000000000 7-f1000 8-f1000000000",
	  "f(); f();" },
	{ "a thread with a new name goes on",
	  "7+f1000 7+g900:other 7-g900 7-f1000",
	  "f() { g(); } /* f */" },
	{ "with a new stack, it has executed another program",
	  "7+f1000 7+g1073741824:other 7-g1073741824",
	  "f(); /* " LEFT " */ g();" },
	{ "a thread whose id is used again begins anew",
	  "7+f1000 7+g900!2",
	  "f(); /* " LEFT " */ g(); /* not finished */" },
	{ "when returns are not seen any more, a call is not finished",
	  "7+f1000 7+g900 7+f800 ending 7-g900",
	  "f() { g() { f(); /* not finished */ } /* g */ } /* f, not finished */" },
	{ "a call that was left before stays so",
	  "7+f1000 7+g900 7-f1000 ending",
	  "f() { g(); /* " LEFT " */ } /* f */" },
	{ "goroutines change their threads",
	  "7/0x100+f1000 7/0x200+f5000000 8/0x100+g900 8/0x100-g900 8/0x200-f5000000 7/0x100-f1000",
	  "f() { g(); f(); } /* f */" },
	{ "the stack of a goroutine is moved",
	  "7/0x100+f1000 7/0x100+g900 7/0x100-g500900 7/0x100-f501000",
	  "f() { g(); } /* f */" },
	{ "an exit with another value in the register of the goroutine finds its call",
	  "7/0x100+f1000 7/0x100+g900 7/0xdeadbeef-g900 7/0xdead-f77 7/0x100-f1000",
	  "f() { g(); } /* f */" },
};

static void pass_event(struct flow *flow, const char *word, u64 time)
{
	static const char names[] = "fgt";
	struct flow_event event = { .pid = 1, .comm = "c", .time = time };
	char kind, *at;

	event.tid = strtol(word, &at, 10);
	if (*at == '/')
		event.goroutine = strtoull(at + 1, &at, 16);
	kind = *at++;
	event.function = strchr(names, *at++) - names;
	event.sp = strtoull(at, &at, 10);
	if (*at == ':')
		event.comm = at + 1;
	if (*at == '!')
		event.pid = strtol(at + 1, NULL, 10);
	event.comm_len = strlen(event.comm);
	event.behind = kind == '^';
	(kind == '+' ? flow_enter : flow_leave)(flow, &event);
}

static void pass_events(struct flow *flow, const char *events)
{
	char *words = xstrdup(events), *word, *save;
	u64 now = 0;

	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		if (strcmp(word, "ending"))
			pass_event(flow, word, now += 1000);
		else
			flow->ending = true;
	}
	free(words);
}

/* Return: what was printed, without times, threads and comments, on one line. */
static char *join_calls(char *text)
{
	char *calls = xstrdup(""), *line, *save, *more;

	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line == '#')
			continue;
		line = strchr(line, ']') + 1;
		more = xasprintf("%s%s%s", calls, *calls ? " " : "", line + strspn(line, " "));
		free(calls);
		calls = more;
	}
	return calls;
}

/* Return: the calls that these events make. */
static char *calls_of(const char *events)
{
	static struct flow flow;
	char *text, *calls;
	size_t size;

	memset(&flow, 0, sizeof(flow));
	flow.out = open_memstream(&text, &size);
	flow_add_function(&flow, xstrdup("f"), false);
	flow_add_function(&flow, xstrdup("g"), false);
	flow_add_function(&flow, xstrdup("t"), true);
	flow_begin(&flow);
	pass_events(&flow, events);
	flow_end(&flow);
	fflush(flow.out);
	calls = join_calls(text);
	fclose(flow.out);
	flow.out = NULL;
	for (size_t i = 0; i < flow.nr_tasks; i++)
		flow.tasks[i]->out = NULL;
	flow_free(&flow);
	free(text);
	return calls;
}

int main(void)
{
	ktap_plan(ARRAY_SIZE(cases));
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *calls = calls_of(cases[i].events);

		if (!ktap_ok(!strcmp(calls, cases[i].calls), "%s", cases[i].what))
			printf("# got:    %s\n# wanted: %s\n", calls, cases[i].calls);
		free(calls);
	}
	return ktap_finish();
}
