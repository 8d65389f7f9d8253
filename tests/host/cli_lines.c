// SPDX-License-Identifier: GPL-2.0
// test: lines of trace_pipe are taken apart, whatever programs call themselves
// cflags: -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined
// cflags: -Iuserspace -Iarch/x86 userspace/event_line.c userspace/filter.c
// cflags: userspace/json.c userspace/util.c userspace/error.c userspace/library.c userspace/ldcache.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"
#include "event_line.h"
#include "filter.h"
#include "util.h"

static int nr, failed;

static void check(bool ok, const char *what)
{
	printf("%sok %d - %s\n", ok ? "" : "not ", ++nr, what);
	failed |= !ok;
}

static void check_json(const char *line, const char *wanted, const char *what)
{
	struct event_line event;
	char *json = NULL;
	bool ok;

	ok = event_line_parse(line, &event);
	if (ok) {
		event_line_json(&event, "ev", &json);
		ok = !strcmp(json, wanted);
	}
	check(ok, what);
	if (!ok)
		printf("# got:    %s\n# wanted: %s\n", json ? json : "no event", wanted);
	free(json);
	event_line_free(&event);
}

/* Does a filter let a line pass?  -1 when it is not understood. */
static int passes(const char *text, const char *line)
{
	struct event_line event;
	struct filter *filter;
	struct error *err = filter_parse(text, &filter);
	int result = -1;

	if (err) {
		error_free(err);
		return -1;
	}
	if (event_line_parse(line, &event))
		result = filter_matches(filter, &event);
	event_line_free(&event);
	filter_free(filter);
	return result;
}

#define LINE "            bash-42      [001] d....    12.345678: ev: (0x1000) "

static void check_filters(void)
{
	static const struct {
		const char *filter;
		int passes;
	} tests[] = {
		{ "a == 5", 1 }, { "a != 5", 0 }, { "a < 6", 1 },
		{ "a > 5", 0 }, { "a >= 5", 1 }, { "a <= 4", 0 },
		{ "a & 4", 1 }, { "a & 2", 0 }, { "a == 0x5", 1 },
		{ "h == 16", 1 }, { "h == 0x10", 1 }, { "n < 0", 1 },
		{ "n == -3", 1 }, { "n > 0", 0 }, { "big > 1", 1 },
		{ "big == -1", 1 }, { "s == \"hello\"", 1 },
		{ "s == 'hello'", 1 }, { "s != \"hello\"", 0 },
		{ "s ~ \"hel*\"", 1 }, { "s ~ \"*x*\"", 0 },
		{ "a == 5 && n == -3", 1 }, { "a == 6 && n == -3", 0 },
		{ "a == 6 || n == -3", 1 }, { "!(a == 6) && !(n == 0)", 1 },
		{ "a == 6 || a == 7 && a == 5", 0 },
		{ "(a == 5 || a == 7) && h == 16", 1 },
		{ "COMM == \"bash\"", 1 }, { "common_pid == 42", 1 },
		{ "CPU == 1", 1 }, { "f == 0", 0 }, { "f != 0", 0 },
		{ "nothing == 0", 0 }, { "a == 5 garbage", -1 },
		{ "a =", -1 }, { "a ==", -1 }, { "== 5", -1 }, { "", -1 },
		{ "(a == 5", -1 }, { "a < \"x\"", -1 }, { "a ~ 5", -1 },
		{ "a == \"unclosed", -1 }, { "a == 5 &&", -1 },
	};
	static const char line[] = LINE
		"a=5 h=0x10 n=-3 big=0xffffffffffffffff s=\"hello\" f=(fault)";

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		int got = passes(tests[i].filter, line);
		char *what = xasprintf("filter: %s", tests[i].filter);

		check(got == tests[i].passes, what);
		if (got != tests[i].passes)
			printf("# got %d\n", got);
		free(what);
	}
}

/* Every cut and every changed byte of a line: nothing bad happens. */
static void check_damage(void)
{
	static const char whole[] = LINE "a=\"x \"y\" z\"... b={1,2,\"q\"} c=' ' d=(fault)";
	struct event_line event;

	for (size_t at = 0; at < sizeof(whole) - 1; at++) {
		for (int c = 0; c < 256; c++) {
			char *line = xstrdup(whole), *json;

			line[at] = c;
			if (event_line_parse(line, &event)) {
				event_line_json(&event, "ev", &json);
				free(json);
			}
			event_line_free(&event);
			free(line);
		}
	}
	check(true, "damaged lines do no harm");
}

int main(void)
{
	char deep[2000];
	u64 lost = 0;

	setlinebuf(stdout);
	printf("KTAP version 1\n1..60\n");
	check_json(LINE "arg1=0x5",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"bash\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{\"arg1\":\"0x5\"}}",
		   "an entry");
	check_json("            bash-42      [001] d....    12.345678: ev: (0x1000 <- 0x2000) a=7",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"bash\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"function\":\"0x2000\",\"args\":{\"a\":7}}",
		   "a return");
	check_json(LINE "a=\"echo \"hello world\"\"",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"bash\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{\"a\":\"echo \\\"hello world\\\"\"}}",
		   "quotes in a string");
	check_json(LINE "a=\"x\" b=\"y z\" c=-5",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"bash\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{\"a\":\"x\",\"b\":\"y z\",\"c\":-5}}",
		   "several strings");
	check_json(LINE "a={1,2,-3} b={\"x\",\"y,z\"} c=(fault)",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"bash\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{\"a\":[1,2,-3],\"b\":[\"x\",\"y,z\"],\"c\":null}}",
		   "arrays and a fault");
	check_json(LINE "a=18446744073709551615",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"bash\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{\"a\":\"18446744073709551615\"}}",
		   "a number that a double cannot hold");
	check_json(LINE "a=\"\xc3\xa9\xff\x01\\n\"",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"bash\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{\"a\":\"\xc3\xa9\\u00ff\\u0001\\\\n\"}}",
		   "bytes that are and are not UTF-8");
	check_json("        a b-c-42      [001] .N.1.    12.345678: ev: (0x1000)",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"a b-c\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{}}",
		   "a name with blanks and dashes");
	check_json("  x-7 [000] d..-42      [001] d....    12.345678: ev: (0x1000)",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"x-7 [000] d..\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{}}",
		   "a name that looks like the rest of the line");
	check_json("  1: ev: (0x1) -42      [001] d....    12.345678: ev: (0x1000)",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"1: ev: (0x1) \",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{}}",
		   "a name that looks like an event");
	check_json("    (42)-42      [001] d....    12.345678: ev: (0x1000)",
		   "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"(42)\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{}}",
		   "another name");
	check(event_line_lost("CPU:1 [LOST 123 EVENTS]", &lost) && lost == 123,
	      "lost events are counted");
	check(!event_line_lost("CPU:1 [LOST many EVENTS]", &lost),
	      "what only looks like it is not");
	check(passes("a", LINE) == -1, "half a filter");
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	check(passes(deep, LINE) == -1, "a filter nested without end");
	check_filters();
	check_damage();
	check(nr == 59, "all was tested");
	return failed;
}
