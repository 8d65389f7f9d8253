// SPDX-License-Identifier: GPL-2.0
// test: the values and times that an aggregate file has counted are added up, with percentiles that are at most a sixteenth off
// cflags: -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined
// cflags: -Iuserspace -Iarch/x86 userspace/tracer/value_counts.c userspace/tracer/histogram.c
#include <stdlib.h>
#include <string.h>

#include "insn/ktap.h"
#include "tracer/value_counts.h"

#define TIMES 960

static struct value_counts values;

static void begin(const char *line)
{
	memset(&values, 0, sizeof(values));
	value_counts_take(&values, line);
}

static void is(unsigned int percent, value_t wanted, const char *what)
{
	char text[2][VALUE_LEN];

	value_text(value_counts_percentile(&values, percent), text[0]);
	value_text(wanted, text[1]);
	if (!ktap_ok(!strcmp(text[0], text[1]), "%s", what))
		ktap_note("got %s, wanted %s", text[0], text[1]);
}

/* Check that the buckets have all numbers, each once, and that a middle is at most 1/16 off. */
static bool buckets_are_right(void)
{
	value_t next = 1 - ((value_t)1 << 64);

	for (unsigned int i = 0; i < 2 * VALUE_BUCKETS; i++) {
		value_t first, last, off, least;

		value_bucket_ends(i, &first, &last);
		if (i != VALUE_BUCKETS - 1 && first > last)
			return false;
		if (first > last)
			continue;
		off = last - (first + (last - first) / 2);
		least = first < 0 ? -last : first;
		if (first != next || 16 * off > least)
			return false;
		next = last + 1;
	}
	return next == (value_t)1 << 64;
}

/* Check that each number is taken into the bucket that has it. */
static bool is_in_bucket(value_t value)
{
	char line[4 * VALUE_LEN], text[VALUE_LEN];
	value_t first, last;
	unsigned int i = 0;

	value_text(value, text);
	snprintf(line, sizeof(line), " 0 %s %s %s:1", text, text, text);
	begin(line);
	while (!values.buckets[i])
		i++;
	value_bucket_ends(i, &first, &last);
	return first <= value && value <= last && values.least == value && values.largest == value;
}

static int by_time(const void *pa, const void *pb)
{
	u64 a = *(const u64 *)pa, b = *(const u64 *)pb;

	return a < b ? -1 : a > b;
}

/* Have times from nanoseconds to days; check each percentile of them. */
static bool times_are_right(void)
{
	u64 times[TIMES], total = 0, seed = 1;
	char line[TIMES * 2 * VALUE_LEN];
	int len;

	for (int i = 0; i < TIMES; i++) {
		seed = seed * 6364136223846793005ull + 1442695040888963407ull;
		times[i] = seed >> (16 + i % 48);
		total += times[i];
	}
	qsort(times, TIMES, sizeof(times[0]), by_time);
	len = sprintf(line, " %llu %llu %llu", (unsigned long long)total,
		      (unsigned long long)times[0], (unsigned long long)times[TIMES - 1]);
	for (int i = 0; i < TIMES; i++) {
		/* The four highest bits name the bucket. */
		int low = times[i] < 16 ? 0 : 60 - __builtin_clzll(times[i]);

		len += sprintf(line + len, " %llu:1", (unsigned long long)(times[i] >> low << low));
	}
	begin(line);
	for (unsigned int percent = 1; percent <= 100; percent++) {
		value_t wanted = times[(TIMES * percent + 99) / 100 - 1];
		value_t got = value_counts_percentile(&values, percent);

		if (16 * (got > wanted ? got - wanted : wanted - got) > wanted)
			return false;
	}
	return value_counts_mean(&values) == (double)total / TIMES;
}

static bool drawn_as_times;

static char *printed(void)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	value_counts_print(out, &values, drawn_as_times);
	fclose(out);
	return text;
}

static void prints(const char *wanted, const char *what)
{
	char *text = printed();

	if (!ktap_ok(!strcmp(text, wanted), "%s", what))
		ktap_note("got\n%s", text);
	free(text);
}

static unsigned int lines_of(char *text)
{
	unsigned int lines = 0;

	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	free(text);
	return lines;
}

int main(void)
{
	struct value_counts before;
	bool right = true;

	ktap_plan(32);
	ktap_ok(buckets_are_right(), "each number has one bucket, whose middle is at most 1/16 off");
	for (int power = 0; power < 64; power++) {
		for (int more = -2; more <= 2; more++) {
			value_t value = ((value_t)1 << power) + more;

			right = right && (value < 0 || is_in_bucket(value));
			right = right && (power == 63 && more > 0 ? true : is_in_bucket(-value));
		}
	}
	right = right && is_in_bucket(((value_t)1 << 64) - 1);
	ktap_ok(right, "each number is taken into its bucket");

	begin("");
	is(50, 0, "without a value, a percentile is 0");
	prints("", "and nothing is drawn");
	begin(" 4500 0 100 0:1 7:1 96:2");
	is(25, 0, "0 is a value");
	is(50, 7, "small values are exact");
	is(51, 99, "a larger one is the middle of its bucket");
	begin(" 194 97 97 96:2");
	is(50, 97, "but not more than the largest value");
	begin(" 103 103 103 96:1");
	is(50, 103, "and not less than the least one");
	begin(" -103 -100 -1 -96:1 -2:1 -1:1");
	is(1, -100, "a negative value has a bucket");
	is(50, -2, "a small negative value is exact");
	begin(" 18446744073709551615 18446744073709551615 18446744073709551615 17293822569102704640:1");
	is(50, ((value_t)1 << 64) - 1, "the largest number without a sign is one of 64 bits");
	begin(" -9223372036854775808 -9223372036854775808 -9223372036854775808 -9223372036854775808:1");
	is(50, -((value_t)1 << 63), "the least number with a sign, too");
	ktap_ok(value_counts_mean(&values) == -0x1p63, "it is its own mean");
	begin(" 0 0 9223372036854775808 0:2 9223372036854775808:2");
	ktap_ok(value_counts_mean(&values) > 0x1.fp61 && value_counts_mean(&values) < 0x1.2p62,
		"the mean of values whose sum is too large comes from the buckets");
	begin(" -6 -7 2 -7:1 -1:1 2:1");
	ktap_ok(value_counts_mean(&values) == -2, "a mean may be negative");

	prints("  value        hits  distribution\n"
	       "     -7           1  |########################################|\n"
	       "     -6           0  |                                        |\n"
	       "     -5           0  |                                        |\n"
	       "     -4           0  |                                        |\n"
	       "     -3           0  |                                        |\n"
	       "     -2           0  |                                        |\n"
	       "     -1           1  |########################################|\n"
	       "      0           0  |                                        |\n"
	       "      1           0  |                                        |\n"
	       "      2           1  |########################################|\n",
	       "small values have a line each");
	begin(" 1000000 0 1000000 0:1 983040:1");
	ktap_ok(lines_of(printed()) == 1 + 18, "values that are far apart have a line for each power of two");
	begin(" 0 -9223372036854775808 9223372036854775807 -9223372036854775808:1 8646911284551352320:2");
	ktap_ok(lines_of(printed()) == 1 + 123, "so have the least and the largest number");

	begin(" 30 10 10 10:3");
	value_counts_take(&values, " 2 1 1 1:2");
	ktap_ok(values.hits == 5 && values.sum == 32 && values.least == 1 && values.largest == 10,
		"the values of two places are added up");
	before = values;
	value_counts_take(&values, " 5 5 5 5:1");
	value_counts_since(&values, &before);
	is(50, 5, "an interval has its own values only");

	ktap_ok(times_are_right(), "percentiles of times are at most 1/16 off, and their mean is exact");
	begin("");
	is(50, 0, "no call took no time");
	begin(" 3 1 1 1:3");
	is(99, 1, "calls of a nanosecond took that");
	begin(" 6100 16 3000 16:50 64:40 2816:10");
	is(50, 16, "exactly half of the calls are in the first bucket");
	is(51, 67, "one call more is in the next one");
	is(90, 67, "nine tenths of the calls end with the second bucket");
	is(91, 2943, "one call more is in the last one");
	begin(" 2830 2830 2830 2816:1");
	is(50, 2830, "no call took more than the longest time");
	begin(" 18446744073709551615 17293822569102704640 18446744073709551615 17293822569102704640:1");
	is(50, ((value_t)31 << 59) - 1, "a time has 64 bits");
	begin(" 4000000 983040 1000000 983040:3");
	drawn_as_times = true;
	prints("               time       calls  distribution\n"
	       "   983us -   1.05ms           3  |########################################|\n",
	       "times have units");
	begin(" 4000000 15 1000000 15:1 16:2");
	prints("               time       calls  distribution\n"
	       "               15ns           1  |####################                    |\n"
	       "    16ns -     17ns           2  |########################################|\n",
	       "a bucket of one time has one");
	return ktap_finish();
}
