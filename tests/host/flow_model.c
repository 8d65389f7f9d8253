// SPDX-License-Identifier: GPL-2.0
// test: calls and returns are paired by places on stacks: recursion, longjmp(), tail calls, ret n, goroutines, new names
// cflags: -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined
// cflags: -Iuserspace -Iarch/x86 userspace/tracer/flow.c userspace/tracer/flow_print.c
// cflags: userspace/tracer/histogram.c userspace/util/json.c userspace/util/utf8.c userspace/util/util.c
// cflags: userspace/util/error.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tracer/flow.h"
#include "util/util.h"

static int nr, failed;
static struct flow flow;
static char *text;
static size_t size;
static u64 now;

/* Functions: f and g return; t may jump to another one. */
enum { F, G, T };

static void begin(void)
{
	memset(&flow, 0, sizeof(flow));
	flow.out = open_memstream(&text, &size);
	flow_add_function(&flow, xstrdup("f"), false);
	flow_add_function(&flow, xstrdup("g"), false);
	flow_add_function(&flow, xstrdup("t"), true);
	now = 0;
	flow_begin(&flow);
}

static struct flow_event event_of(pid_t tid, size_t function, u64 sp)
{
	return (struct flow_event) {
		.tid = tid, .pid = 1, .comm = "c", .comm_len = 1, .function = function, .sp = sp,
		.time = now += 1000,
	};
}

static void enter(pid_t tid, size_t function, u64 sp)
{
	struct flow_event event = event_of(tid, function, sp);

	flow_enter(&flow, &event);
}

static void leave(pid_t tid, size_t function, u64 sp)
{
	struct flow_event event = event_of(tid, function, sp);

	flow_leave(&flow, &event);
}

static void behind(pid_t tid, size_t function, u64 sp)
{
	struct flow_event event = event_of(tid, function, sp);

	event.behind = true;
	flow_leave(&flow, &event);
}

static void go(pid_t tid, u64 goroutine, size_t function, u64 sp, bool enters)
{
	struct flow_event event = event_of(tid, function, sp);

	event.goroutine = goroutine;
	(enters ? flow_enter : flow_leave)(&flow, &event);
}

/* Compare the calls that were printed: without times, threads and comments, on one line. */
static void is(const char *wanted, const char *what)
{
	char *got = xstrdup(""), *line, *save, *more;

	flow_end(&flow);
	fflush(flow.out);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (*line == '#')
			continue;
		line = strchr(line, ']') + 1;
		more = xasprintf("%s%s%s", got, *got ? " " : "", line + strspn(line, " "));
		free(got);
		got = more;
	}
	printf("%sok %d - %s\n", strcmp(got, wanted) ? "not " : "", ++nr, what);
	if (strcmp(got, wanted)) {
		printf("# got:    %s\n# wanted: %s\n", got, wanted);
		failed = 1;
	}
	free(got);
	fclose(flow.out);
	flow.out = NULL;
	for (size_t i = 0; i < flow.nr_tasks; i++)
		flow.tasks[i]->out = NULL;
	flow_free(&flow);
	free(text);
}

int main(void)
{
	struct flow_event event;

	printf("KTAP version 1\n1..15\n");
	begin();
	enter(7, F, 1000);
	enter(7, F, 900);
	leave(7, F, 900);
	leave(7, F, 1000);
	is("f() { f(); } /* f */", "a recursive call nests");

	begin();
	enter(7, F, 1000);
	enter(7, G, 900);
	enter(7, G, 800);
	leave(7, F, 1000);
	is("f() { g() { g(); /* left without a return */ } /* g, left without a return */ } /* f */",
	   "what longjmp() leaves ends with the call around it");

	begin();
	enter(7, F, 1000);
	enter(7, G, 900);
	enter(7, F, 900);
	leave(7, F, 900);
	leave(7, F, 1000);
	is("f() { g(); /* left without a return */ f(); } /* f */",
	   "at the place of a call that cannot jump, another one means that it was left");

	begin();
	enter(7, T, 1000);
	enter(7, G, 1000);
	leave(7, G, 1000);
	behind(7, T, 1008);
	is("t() { g(); } /* t */", "a tail call nests");

	begin();
	enter(7, T, 1000);
	enter(7, T, 900);
	behind(7, T, 1008);
	is("t() { t(); /* left without a return */ } /* t */",
	   "behind a return, the calls further in are over");

	begin();
	enter(7, T, 1000);
	behind(7, T, 1000 + 4 + 12);
	is("t();", "ret n takes arguments off the stack");

	begin();
	enter(7, F, 1000);
	enter(8, F, 1000000000);
	leave(7, F, 1000);
	leave(8, F, 1000000000);
	is("f(); f();", "threads do not mix");

	begin();
	enter(7, F, 1000);
	event = event_of(7, G, 900);
	event.comm = "other";
	event.comm_len = 5;
	flow_enter(&flow, &event);
	leave(7, G, 900);
	leave(7, F, 1000);
	is("f() { g(); } /* f */", "a thread with a new name goes on");

	begin();
	enter(7, F, 1000);
	event = event_of(7, G, 1 << 30);
	event.comm = "other";
	event.comm_len = 5;
	flow_enter(&flow, &event);
	leave(7, G, 1 << 30);
	is("f(); /* left without a return */ g();", "with a new stack, it has executed another program");

	begin();
	enter(7, F, 1000);
	event = event_of(7, G, 900);
	event.pid = 2;
	flow_enter(&flow, &event);
	is("f(); /* left without a return */ g(); /* not finished */",
	   "a thread whose id is used again begins anew");

	begin();
	enter(7, F, 1000);
	enter(7, G, 900);
	enter(7, F, 800);
	flow.ending = true;
	leave(7, G, 900);
	is("f() { g() { f(); /* not finished */ } /* g */ } /* f, not finished */",
	   "when returns are not seen any more, a call is not finished");

	begin();
	enter(7, F, 1000);
	enter(7, G, 900);
	leave(7, F, 1000);
	flow.ending = true;
	is("f() { g(); /* left without a return */ } /* f */", "a call that was left before stays so");

	begin();
	go(7, 0x100, F, 1000, true);
	go(7, 0x200, F, 5000000, true);
	go(8, 0x100, G, 900, true);
	go(8, 0x100, G, 900, false);
	go(8, 0x200, F, 5000000, false);
	go(7, 0x100, F, 1000, false);
	is("f() { g(); f(); } /* f */", "goroutines change their threads");

	begin();
	go(7, 0x100, F, 1000, true);
	go(7, 0x100, G, 900, true);
	go(7, 0x100, G, 500900, false);
	go(7, 0x100, F, 501000, false);
	is("f() { g(); } /* f */", "the stack of a goroutine is moved");

	begin();
	go(7, 0x100, F, 1000, true);
	go(7, 0x100, G, 900, true);
	go(7, 0xdeadbeef, G, 900, false);
	go(7, 0xdead, F, 77, false);
	go(7, 0x100, F, 1000, false);
	if (flow.nr_tasks != 1)
		printf("# %zu tasks\n", flow.nr_tasks);
	is("f() { g(); } /* f */", "an exit with another value in the register of the goroutine finds its call");
	return failed;
}
