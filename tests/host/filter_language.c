// SPDX-License-Identifier: GPL-2.0
// test: filters mean the same as in tracefs; the message for an error has its column
// cflags: -fsanitize=address,undefined -fno-sanitize-recover=all
// cflags: -Itests/host/parse_shim -Imodule
// cflags: module/trace/parse/parse.c module/trace/parse/argument.c module/trace/parse/argument_fetch.c module/trace/parse/type.c module/trace/parse/regs.c
// cflags: module/trace/parse/filter.c module/trace/parse/match.c module/trace/lib/decimal.c
#include <linux/kernel.h>
#include <linux/slab.h>

#include <time.h>

#include "trace/parse/match.h"
#include "trace/parse/parse.h"
#include "filter_event.h"
#include "insn/ktap.h"

long shim_fail_after;

/* Filters and whether the record of filter_event.h passes them. */
static const struct {
	const char *text;
	bool passes;
} filters[] = {
	{ "u8 == 200", true }, { "u8 == 0xc8", true }, { "u8==0310", true },
	{ "u8 != 200", false }, { "u8 == 456", false }, { "u8 < 201", true },
	{ "u8 <= 200", true }, { "u8 <= 199", false }, { "u8 > 199", true },
	{ "u8 >= 201", false }, { "u8 & 8", true }, { "u8 & 0x37", false },
	{ "s8 == -56", true }, { "s8 == 200", false }, { "s8 < 0", true },
	{ "s8 > -57", true }, { "s8 & 0x80", true },
	{ "u64 == 0xfedcba9876543210", true }, { "u64 > 0x7fffffffffffffff", true },
	{ "u64 < 1", false }, { "s64 == -5000000000", true },
	{ "s64 < -4999999999", true }, { "s64 <= 0x7fffffffffffffff", true },
	{ "s64 >= -9223372036854775808", true },
	{ "x32 == 0x80000001", true }, { "x32 > 0", true }, { "c == 120", true },
	{ "common_pid == 4321", true }, { "common_pid != 4321", false },
	{ "tid == 4321", true }, { "pid == 4320", true }, { "pid == 4321", false },
	{ "common_type == 7", true }, { "common_flags & 1", true },
	{ "common_preempt_count == 2", true }, { "__probe_ip == 0x401000", true },
	{ "cpu == 3", true }, { "CPU < 3", false },
	{ "comm == \"some comm\"", true }, { "COMM == 'some comm'", true },
	{ "comm ~ \"some*\"", true }, { "comm != \"bash\"", true },
	{ "comm2 ~ '*comm'", true },
	{ "s == 'a string, with \"quotes\"'", true }, { "s != \"a string\"", true },
	{ "s == \"a string*\"", false }, { "s ~ \"a string*\"", true },
	{ "s ~ \"*string*\"", true }, { "s ~ \"string\"", false },
	{ "s ~ \"*\"", true }, { "s ~ \"? [rs]tring*\"", true },
	{ "s ~ \"*[!a-z]string*\"", true }, { "s ~ '*\"quotes\"'", true },
	{ "s ~ \"*q*q*\"", false }, { "s ~ \"a\\\\ string*\"", false },
	{ "s ~ \"a\\ string*\"", true }, { "s ~ \"\"", false },
	{ "bad == \"(fault)\"", true }, { "bad ~ \"*x*\"", false },
	{ "a[0] == -1", true }, { "a[2] == 300 && a[1] == 0", true },
	{ "ss[0] == \"first\" && ss[1] == \"\"", true },
	{ "f32 == 0.1", true }, { "f32 > 0.0999", true }, { "f32 < 1", true },
	{ "f64 < -2.4e300", true }, { "f64 == -2.5e+300", true }, { "f64 >= 0", false },
	{ "f64 != 2.5e300", true }, { "nan == 0", false }, { "nan != 0", true },
	{ "nan < 0 || nan >= 0", false },
	{ "gone == 0", false }, { "gone != 0", false }, { "gone < 1", false },
	{ "gone == 0 || gone != 0", false }, { "!(gone == 0)", true },
	{ "fgone == 0 || fgone != 0", false }, { "agone[1] == 0", false },
	{ "gone == 0 || u8 == 200", true },
	{ "u8 == 200 && s8 == -56", true }, { "u8 == 1 && s8 == -56", false },
	{ "u8 == 1 || s8 == -56", true }, { "u8 == 1 || s8 == 1", false },
	{ "u8 == 1 && u8 == 1 || u8 == 200", true },
	{ "u8 == 200 || u8 == 1 && u8 == 1", true },
	{ "(u8 == 200 || u8 == 1) && u8 == 1", false },
	{ "!(u8 == 200)", false }, { "!u8 == 200", false }, { "!!(u8==200)", true },
	{ "!(u8 == 1) && !(u8 == 2 || u8 == 3)", true },
	{ "  ( ( u8==200 ) )  ", true }, { "u8 & 8 && u8 & 0x80", true },
};

/* A '^' marks the column that the message is about. */
static const struct {
	const char *text;
	enum tracer_err err;
} errors[] = {
	{ "^", TRACER_ERR_FILTER_NO_FILTER },
	{ "nosuch ^== 1", TRACER_ERR_FILTER_FIELD_NOT_FOUND },
	{ "nosuch=^=1", TRACER_ERR_FILTER_FIELD_NOT_FOUND },
	{ "u8 == 1 || nosuch ^", TRACER_ERR_FILTER_FIELD_NOT_FOUND },
	{ "u8 == 1 && nosuch ^== 1", TRACER_ERR_FILTER_FIELD_NOT_FOUND },
	{ "__probe_func ^== 1", TRACER_ERR_FILTER_FIELD_NOT_FOUND },
	{ "__probe_ret_ip ^== 1", TRACER_ERR_FILTER_FIELD_NOT_FOUND },
	{ "^== 1", TRACER_ERR_FILTER_FIELD_NOT_FOUND },
	{ "u8 ^= 1", TRACER_ERR_FILTER_INVALID_OP },
	{ "u8 ^&& u8 == 1", TRACER_ERR_FILTER_INVALID_OP },
	{ "u8 == 1 ^u8 == 2", TRACER_ERR_FILTER_INVALID_OP },
	{ "u8 == 1 ^& u8 == 2", TRACER_ERR_FILTER_INVALID_OP },
	{ "u8 == ^", TRACER_ERR_FILTER_INVALID_VALUE },
	{ "comm == ^bash", TRACER_ERR_FILTER_INVALID_VALUE },
	{ "u8 == ^0xzz", TRACER_ERR_FILTER_ILLEGAL_INTVAL },
	{ "u8 == ^-1", TRACER_ERR_FILTER_ILLEGAL_INTVAL },
	{ "s64 == ^0x8000000000000000", TRACER_ERR_FILTER_ILLEGAL_INTVAL },
	{ "s64 == ^-9223372036854775809", TRACER_ERR_FILTER_ILLEGAL_INTVAL },
	{ "u64 == ^0x10000000000000000", TRACER_ERR_FILTER_ILLEGAL_INTVAL },
	{ "u64 == ^123456789012345678901234", TRACER_ERR_FILTER_OPERAND_TOO_LONG },
	{ "u8 == ^\"1\"", TRACER_ERR_FILTER_EXPECT_DIGIT },
	{ "s == ^1", TRACER_ERR_FILTER_EXPECT_STRING },
	{ "s == ^\"abc", TRACER_ERR_FILTER_MISSING_QUOTE },
	{ "s ^< \"abc\"", TRACER_ERR_FILTER_ILLEGAL_FIELD_OP },
	{ "s ^& \"abc\"", TRACER_ERR_FILTER_ILLEGAL_FIELD_OP },
	{ "u8 ^~ 1", TRACER_ERR_FILTER_ILLEGAL_FIELD_OP },
	{ "f64 == ^0x10", TRACER_ERR_FILTER_ILLEGAL_INTVAL },
	{ "f64 == ^1e999", TRACER_ERR_FILTER_ILLEGAL_INTVAL },
	{ "f64 == ^", TRACER_ERR_FILTER_ILLEGAL_INTVAL },
	{ "f64 ^& 1", TRACER_ERR_FILTER_ILLEGAL_FIELD_OP },
	{ "f64 == ^\"1\"", TRACER_ERR_FILTER_EXPECT_DIGIT },
	{ "^(u8 == 1", TRACER_ERR_FILTER_TOO_MANY_OPEN },
	{ "u8 == 1^)", TRACER_ERR_FILTER_TOO_MANY_CLOSE },
	{ "u8 == 1 && ^", TRACER_ERR_FILTER_NO_FILTER },
	{ "u8 == 1 || !^", TRACER_ERR_FILTER_NO_FILTER },
	{ "(^", TRACER_ERR_FILTER_NO_FILTER },
	{ "a^ == 1", TRACER_ERR_FILTER_NO_ELEMENT },
	{ "a[^3] == 1", TRACER_ERR_FILTER_NO_ELEMENT },
	{ "u8[^0] == 1", TRACER_ERR_FILTER_NO_ELEMENT },
};

static struct tracer_def *def;
static struct tracer_record *record;
static size_t length;

static bool try_filter(const char *text, bool *passes)
{
	struct tracer_filter *filter;
	struct tracer_diag diag;

	filter = tracer_filter_parse(def, text, strlen(text), &diag);
	if (IS_ERR(filter)) {
		ktap_note("%s: %s, column %u", text, tracer_err_text(diag.err),
			  diag.column);
		return false;
	}
	*passes = tracer_filter_match(filter, record, length, FILTER_CPU);
	tracer_filter_free(filter);
	return true;
}

static void test_filters(void)
{
	unsigned int i;
	bool passes;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		bool good = try_filter(filters[i].text, &passes);

		ktap_ok(good && passes == filters[i].passes, "%s is %s",
			filters[i].text, filters[i].passes ? "true" : "false");
	}
}

static void test_errors(void)
{
	struct tracer_filter *filter;
	struct tracer_diag diag;
	const char *caret;
	char text[64];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(errors); i++) {
		caret = strchr(errors[i].text, '^');
		snprintf(text, sizeof(text), "%.*s%s",
			 (int)(caret - errors[i].text), errors[i].text, caret + 1);
		filter = tracer_filter_parse(def, text, strlen(text), &diag);
		if (!IS_ERR(filter))
			tracer_filter_free(filter);
		else if (diag.err != errors[i].err)
			ktap_note("%s, column %u", tracer_err_text(diag.err),
				  diag.column);
		ktap_ok(IS_ERR(filter) && diag.err == errors[i].err &&
			diag.column == caret - errors[i].text,
			"%s: %s", errors[i].text, tracer_err_text(errors[i].err));
	}
}

static void test_limits(void)
{
	char text[TRACER_FILTER_MAX + 2];
	struct tracer_diag diag;
	struct tracer_filter *filter;
	size_t len = 0;

	while (len + 12 < TRACER_FILTER_MAX)
		len += sprintf(text + len, "u8==1 || ");
	len += sprintf(text + len, "u8==200");
	filter = tracer_filter_parse(def, text, len, &diag);
	ktap_ok(!IS_ERR(filter) && tracer_filter_match(filter, record, length, 0),
		"a filter of the maximum length is accepted");
	if (!IS_ERR(filter))
		tracer_filter_free(filter);

	memset(text, '(', sizeof(text));
	filter = tracer_filter_parse(def, text, TRACER_FILTER_MAX, &diag);
	ktap_ok(IS_ERR(filter) && diag.err == TRACER_ERR_FILTER_TOO_MANY_PREDS,
		"a filter with too many open parentheses is refused");
	filter = tracer_filter_parse(def, text, TRACER_FILTER_MAX + 1, &diag);
	ktap_ok(IS_ERR(filter) && diag.err == TRACER_ERR_FILTER_OPERAND_TOO_LONG,
		"a filter that is too long is refused");
}

/*
 * Match a string of many @c against a pattern with a star, many @c and another end. The matcher
 * tries each place of the string. Return: the least processor time of three runs.
 */
static clock_t match_many(char c, bool *matches)
{
	static const char event[] = "p:e /b:1 s=+0(%di):string";
	char s[4096] = "", text[300];
	struct tracer_record *many = calloc(1, sizeof(*many) + sizeof(s) + 64);
	struct tracer_filter *filter;
	struct tracer_diag diag;
	clock_t best = 0, took;
	struct tracer_def *one;
	unsigned int i;
	size_t len;
	u8 *entry;

	memset(s, c, sizeof(s) - 1);
	one = tracer_def_parse(event, strlen(event), &diag);
	if (IS_ERR(one))
		abort();
	entry = (u8 *)many + offsetof(struct tracer_record, entry);
	len = offsetof(struct tracer_record, entry) +
	      put_string(one, entry, tracer_strings_offset(one), 0, 0, s);
	sprintf(text, "s ~ \"*%.250s.\"", s);
	filter = tracer_filter_parse(one, text, strlen(text), &diag);
	if (IS_ERR(filter))
		abort();
	for (i = 0; i < 3; i++) {
		took = clock();
		*matches = tracer_filter_match(filter, many, len, 0);
		took = clock() - took;
		if (!i || took < best)
			best = took;
	}
	tracer_filter_free(filter);
	tracer_def_free(one);
	free(many);
	return best;
}

/* Only print the times. If a ']' is missing, the matcher must not search for it at each place. */
static void test_time(void)
{
	bool letters, brackets;
	clock_t usual = match_many('a', &letters), took = match_many('[', &brackets);

	ktap_ok(!letters && !brackets,
		"a string with another end than the pattern does not match it");
	ktap_note("%ld and %ld us", (long)took, (long)usual);
}

/* Let each allocation fail once. The sanitizer finds leaks. */
static void test_memory(void)
{
	struct tracer_filter *filter;
	struct tracer_diag diag;
	unsigned int failures = 0;
	long n;

	for (n = 1; ; n++) {
		shim_fail_after = n;
		filter = tracer_filter_parse(def, "u8 == 1", 7, &diag);
		if (!IS_ERR(filter))
			break;
		failures += PTR_ERR(filter) == -ENOMEM &&
			    diag.err == TRACER_ERR_NO_MEMORY;
	}
	shim_fail_after = 0;
	tracer_filter_free(filter);
	ktap_ok(failures == n - 1 && n > 2, "each of %ld failing allocations gives -ENOMEM", n - 1);
}

/*
 * Make random expressions together with their values. Any mistake in precedence or in the target
 * of a jump leads to another value.
 */
static unsigned int state = 1;

static unsigned int pick(unsigned int below)
{
	state = state * 1103515245 + 12345;
	return (state >> 16) % below;
}

static bool make_expr(char *text, size_t *len, unsigned int depth, bool tight)
{
	unsigned int what = depth ? pick(6) : 0;
	bool value;

	switch (what) {
	case 1:
		*len += sprintf(text + *len, "!");
		return !make_expr(text, len, depth - 1, true);
	case 2:
	case 3:
		*len += sprintf(text + *len, "(");
		value = make_expr(text, len, depth - 1, false);
		*len += sprintf(text + *len, ")");
		return value;
	case 4:
		if (tight)
			break;
		value = make_expr(text, len, depth - 1, true);
		*len += sprintf(text + *len, " && ");
		return make_expr(text, len, depth - 1, true) && value;
	case 5:
		if (tight)
			break;
		value = make_expr(text, len, depth - 1, false);
		*len += sprintf(text + *len, " || ");
		return make_expr(text, len, depth - 1, false) || value;
	}
	value = pick(2);
	*len += sprintf(text + *len, value ? "u8==200" : "u8==1");
	return value;
}

static void test_random(void)
{
	unsigned int i, wrong = 0, truths = 0;
	char text[8192];

	for (i = 0; i < 20000; i++) {
		bool expected, passes;
		size_t len = 0;

		expected = make_expr(text, &len, 6, false);
		if (len > TRACER_FILTER_MAX)
			continue;
		truths += expected;
		if (!try_filter(text, &passes) || passes != expected) {
			ktap_note("%s is %d", text, expected);
			wrong++;
		}
	}
	ktap_ok(!wrong && truths > 5000 && truths < 15000,
		"random expressions have the expected values");
}

int main(void)
{
	def = make_event();
	record = malloc(FILTER_RECORD_MAX);
	length = make_record(def, record);
	ktap_plan(ARRAY_SIZE(filters) + ARRAY_SIZE(errors) + 6);
	test_filters();
	test_errors();
	test_limits();
	test_time();
	test_memory();
	test_random();
	free(record);
	tracer_def_free(def);
	return ktap_finish();
}
