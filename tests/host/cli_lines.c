// SPDX-License-Identifier: GPL-2.0
// test: lines of trace_pipe are parsed, whatever name a program has; filters are checked against
//       the values that events record
// cflags: -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined
// cflags: -Iuserspace -Iarch/x86 userspace/tracer/event_line.c userspace/probe/filter.c
// cflags: userspace/probe/fields.c userspace/util/json.c userspace/util/utf8.c userspace/util/util.c userspace/util/error.c
// cflags: userspace/host/library.c userspace/host/ldcache.c
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "insn/ktap.h"
#include "util/error.h"
#include "util/json.h"
#include "tracer/event_line.h"
#include "probe/fields.h"
#include "probe/filter.h"
#include "util/util.h"

/* Write an event as JSON into memory. */
static char *json_of(const struct event_line *event)
{
	size_t size;
	char *text;
	struct json json = { .out = open_memstream(&text, &size) };

	event_line_json(event, "ev", &json);
	json_close(&json, '}');
	fclose(json.out);
	return text;
}

static void check_json(const char *line, const char *wanted, const char *what)
{
	struct event_line event;
	char *json = NULL;
	bool ok;

	ok = event_line_parse(line, &event);
	if (ok) {
		json = json_of(&event);
		ok = !strcmp(json, wanted);
	}
	if (!ktap_ok(ok, "%s", what))
		printf("# got:    %s\n# wanted: %s\n", json ? json : "no event", wanted);
	free(json);
	event_line_free(&event);
}

#define LINE "            bash-42      [001] d....    12.345678: ev: (0x1000) "

/* The start of the JSON object for such a line. */
#define ARGS "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"bash\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":"

/* Return: the filter that the tracer gets; NULL if the filter is refused. */
static char *fitted(const char *text)
{
	struct fields fields = { 0 };
	struct filter *filter;
	char *out = NULL;
	struct error *err;

	fields_add(&fields, "a", "s32");
	fields_add(&fields, "p", "x64");
	fields_add(&fields, "s", "string");
	fields_add(&fields, "c", "char");
	fields_add(&fields, "f", "f64");
	fields_add(&fields, "v", "u8[3]");
	fields_add(&fields, "cv", "char[2]");
	fields_add(&fields, "b", "b4@2/32");
	err = filter_parse(text, &filter);
	if (!err)
		err = filter_fit(filter, "ev", &fields, &out);
	error_free(err);
	filter_free(filter);
	fields_free(&fields);
	return out;
}

#define SAME ((const char *)-1)

static void check_filters(void)
{
	static const struct {
		const char *filter;
		const char *given;
	} tests[] = {
		{ "a == 5", SAME }, { "a != 5", SAME }, { "a < 6", SAME },
		{ "a & 4", SAME }, { "a == -0x5", SAME }, { "a==5", SAME },
		{ "p == 0", SAME }, { "b == 3", SAME },
		{ "s == \"hello\"", SAME }, { "s ~ 'hel*'", SAME },
		{ "s != \"a && b\"", SAME },
		{ "a == 5 && a > -3", SAME }, { "common_pid > -1", SAME },
		{ "p == -3", NULL }, { "b == -1", NULL }, { "c == -1", NULL },
		{ "!(a == 6) && !!(p == 0)", SAME },
		{ "(a == 5 || a == 7) && s == \"\"", SAME },
		{ "COMM == \"bash\"", SAME }, { "common_pid == 42 && CPU == 1", SAME },
		{ "f > 0.5", SAME }, { "f == 5 || f < -2.5e-3", SAME },
		{ "f >= 1e+10", SAME }, { "v[2] == 7", SAME }, { "  a == 5", "a == 5" },
		{ "c == 'x'", "c == 120" }, { "c != \"x\" && a == 1", "c != 120 && a == 1" },
		{ "c >= 'a' && c <= 'z'", "c >= 97 && c <= 122" },
		{ "c == '\xff'", "c == 255" }, { "c == '\"'", "c == 34" },
		{ "c == 120", SAME }, { "cv[1]=='x'", "cv[1]==120" },
		{ "nothing == 0", NULL }, { "a == 5 garbage", NULL },
		{ "a =", NULL }, { "a ==", NULL }, { "== 5", NULL }, { "", NULL },
		{ "a", NULL }, { "(a == 5", NULL }, { "a < \"x\"", NULL },
		{ "a ~ 5", NULL }, { "a ~ \"5\"", NULL }, { "a == \"5\"", NULL },
		{ "a == 1.5", NULL }, { "a == 1e3", NULL }, { "a == 08", NULL },
		{ "a == 99999999999999999999", NULL }, { "a == 5x", NULL },
		{ "a == \"unclosed", NULL }, { "a == 5 &&", NULL },
		{ "s == 5", NULL }, { "s < \"x\"", NULL }, { "s & \"x\"", NULL },
		{ "COMM == 5", NULL }, { "CPU == \"1\"", NULL },
		{ "c == 'xy'", NULL }, { "c == ''", NULL }, { "c ~ 'x'", NULL },
		{ "c == 1.5", NULL }, { "f & 1", NULL }, { "f == \"1\"", NULL },
		{ "f == 0x10", NULL }, { "f == nan", NULL }, { "f == 1e", NULL },
		{ "f == .", NULL }, { "f == 1.2.3", NULL },
		{ "v == 7", NULL }, { "v[3] == 7", NULL }, { "v[x] == 7", NULL },
		{ "v[1 == 7", NULL }, { "a[0] == 5", NULL },
		{ "a == 5\np:x", NULL }, { "s == \"a\nb\"", NULL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		const char *wanted = tests[i].given == SAME ? tests[i].filter :
							      tests[i].given;
		char *got = fitted(tests[i].filter);
		bool ok = got && wanted ? !strcmp(got, wanted) : !got && !wanted;

		if (!ktap_ok(ok, "filter: %.*s", (int)strcspn(tests[i].filter, "\n"),
			     tests[i].filter))
			ktap_note("got %s", got ? got : "a refusal");
		free(got);
	}
}

/* Change each byte of a line to each value; a NUL byte cuts the line. */
static void check_damage(void)
{
	static const char whole[] = LINE "a=\"x \"y\" z\"... b={1,2,\"q\"} c=' ' d=(fault)";
	struct event_line event;

	for (size_t at = 0; at < sizeof(whole) - 1; at++) {
		for (int c = 0; c < 256; c++) {
			char *line = xstrdup(whole);

			line[at] = c;
			if (event_line_parse(line, &event))
				free(json_of(&event));
			event_line_free(&event);
			free(line);
		}
	}
	ktap_ok(true, "damaged lines cause no memory error");
}

static const struct {
	const char *line, *json, *what;
} lines[] = {
	{ LINE "arg1=0x5",
	  ARGS "{\"arg1\":\"0x5\"}}",
	  "an entry is converted to JSON" },
	{ "            bash-42      [001] d....    12.345678: ev: (0x1000 <- 0x2000) a=7",
	  "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"bash\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"function\":\"0x2000\",\"args\":{\"a\":7}}",
	  "a return is converted to JSON" },
	{ LINE "a=\"echo \"hello world\"\"",
	  ARGS "{\"a\":\"echo \\\"hello world\\\"\"}}",
	  "quotes in a string are escaped" },
	{ LINE "a=\"x\" b=\"y z\" c=-5",
	  ARGS "{\"a\":\"x\",\"b\":\"y z\",\"c\":-5}}",
	  "several strings are separate arguments" },
	{ LINE "a={1,2,-3} b={\"x\",\"y,z\"} c=(fault)",
	  ARGS "{\"a\":[1,2,-3],\"b\":[\"x\",\"y,z\"],\"c\":null}}",
	  "arrays become JSON arrays, and a fault becomes null" },
	{ LINE "a=18446744073709551615",
	  ARGS "{\"a\":\"18446744073709551615\"}}",
	  "a number that a double cannot hold becomes a string" },
	{ LINE "a=\"\xc3\xa9\xff\x01\\n\"",
	  ARGS "{\"a\":\"\xc3\xa9\\u00ff\\u0001\\\\n\"}}",
	  "bytes that are not UTF-8 are escaped, UTF-8 is not" },
	{ LINE "a=-0.5 b={1e-45,3.4028235e+38} c=nan d=-inf e=9007199254740992 f=9007199254740993",
	  ARGS "{\"a\":-0.5,\"b\":[1e-45,3.4028235e+38],\"c\":\"nan\",\"d\":\"-inf\",\"e\":9007199254740992,\"f\":\"9007199254740993\"}}",
	  "nan, inf and numbers at the limit of a double become strings" },
	{ LINE "a=1. b=.5 c=1e d=01.5 e=1.5x",
	  ARGS "{\"a\":\"1.\",\"b\":\".5\",\"c\":\"1e\",\"d\":\"01.5\",\"e\":\"1.5x\"}}",
	  "texts that are no JSON numbers become strings" },
	{ LINE "a='x' b=' ' c=''' d='\\' e='\\n' f='\\x1b' g='\xff' h={'\\n','}',' ',',','\\'} i=5",
	  ARGS "{\"a\":\"x\",\"b\":\" \",\"c\":\"'\",\"d\":\"\\\\\",\"e\":\"\\u000a\",\"f\":\"\\u001b\",\"g\":\"\\u00ff\",\"h\":[\"\\u000a\",\"}\",\" \",\",\",\"\\\\\"],\"i\":5}}",
	  "characters become strings" },
	{ LINE "a=\"\xc2\x9b\xc2\xa0\x7f\" b=\"cut\"...",
	  ARGS "{\"a\":\"\\u009b\xc2\xa0\\u007f\",\"b\":\"\\\"cut\\\"...\"}}",
	  "control characters are escaped, and a cut string is marked" },
	{ "        a b-c-42      [001] .N.1.    12.345678: ev: (0x1000)",
	  "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"a b-c\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{}}",
	  "a task name can have spaces and dashes" },
	{ "  x-7 [000] d..-42      [001] d....    12.345678: ev: (0x1000)",
	  "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"x-7 [000] d..\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{}}",
	  "a task name can look like the rest of the line" },
	{ "  1: ev: (0x1) -42      [001] d....    12.345678: ev: (0x1000)",
	  "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"1: ev: (0x1) \",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{}}",
	  "a task name can look like an event" },
	{ "    (42)-42      [001] d....    12.345678: ev: (0x1000)",
	  "{\"time\":12.345678,\"event\":\"ev\",\"comm\":\"(42)\",\"tid\":42,\"cpu\":1,\"address\":\"0x1000\",\"args\":{}}",
	  "a task name can be a number in parentheses" },
};

int main(void)
{
	char deep[2000];
	u64 lost = 0;

	ktap_plan(94);
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
		check_json(lines[i].line, lines[i].json, lines[i].what);
	ktap_ok(event_line_lost("CPU:1 [LOST 123 EVENTS]", &lost) && lost == 123,
		"lost events are counted");
	ktap_ok(!event_line_lost("CPU:1 [LOST many EVENTS]", &lost),
		"a line that only looks like lost events is not counted");
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	ktap_ok(!fitted(deep), "a filter with endless nesting is refused");
	check_filters();
	check_damage();
	ktap_ok(ktap_done == 93, "all results were printed");
	return ktap_finish();
}
