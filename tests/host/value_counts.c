// SPDX-License-Identifier: GPL-2.0
// test: the values that an aggregate file has counted are added up, with percentiles that are at most a sixteenth off
// cflags: -D_GNU_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=undefined
// cflags: -Iuserspace -Iarch/x86 userspace/tracer/value_counts.c userspace/tracer/histogram.c
#include <stdlib.h>
#include <string.h>

#include "insn/ktap.h"
#include "tracer/value_counts.h"

static struct value_counts values;

static void begin(u64 hits, const char *line)
{
	memset(&values, 0, sizeof(values));
	value_counts_take(&values, hits, line);
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
	begin(1, line);
	while (!values.buckets[i])
		i++;
	value_bucket_ends(i, &first, &last);
	return first <= value && value <= last && values.least == value && values.largest == value;
}

static char *printed(void)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	value_counts_print(out, &values);
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

	ktap_plan(21);
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

	begin(0, "");
	is(50, 0, "without a value, a percentile is 0");
	prints("", "and nothing is drawn");
	begin(4, " 4500 0 100 0:1 7:1 96:2");
	is(25, 0, "0 is a value");
	is(50, 7, "small values are exact");
	is(51, 99, "a larger one is the middle of its bucket");
	begin(2, " 194 97 97 96:2");
	is(50, 97, "but not more than the largest value");
	begin(1, " 103 103 103 96:1");
	is(50, 103, "and not less than the least one");
	begin(3, " -103 -100 -1 -96:1 -2:1 -1:1");
	is(1, -100, "a negative value has a bucket");
	is(50, -2, "a small negative value is exact");
	begin(1, " 18446744073709551615 18446744073709551615 18446744073709551615 17293822569102704640:1");
	is(50, ((value_t)1 << 64) - 1, "the largest number without a sign is one of 64 bits");
	begin(1, " -9223372036854775808 -9223372036854775808 -9223372036854775808 -9223372036854775808:1");
	is(50, -((value_t)1 << 63), "the least number with a sign, too");
	ktap_ok(value_counts_mean(&values) == -0x1p63, "it is its own mean");
	begin(4, " 0 0 9223372036854775808 0:2 9223372036854775808:2");
	ktap_ok(value_counts_mean(&values) > 0x1.fp61 && value_counts_mean(&values) < 0x1.2p62,
		"the mean of values whose sum is too large comes from the buckets");
	begin(3, " -6 -7 2 -7:1 -1:1 2:1");
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
	begin(2, " 1000000 0 1000000 0:1 983040:1");
	ktap_ok(lines_of(printed()) == 1 + 18, "values that are far apart have a line for each power of two");
	begin(3, " 0 -9223372036854775808 9223372036854775807 -9223372036854775808:1 8646911284551352320:2");
	ktap_ok(lines_of(printed()) == 1 + 123, "so have the least and the largest number");

	begin(3, " 30 10 10 10:3");
	value_counts_take(&values, 2, " 2 1 1 1:2");
	ktap_ok(values.hits == 5 && values.sum == 32 && values.least == 1 && values.largest == 10,
		"the values of two places are added up");
	before = values;
	value_counts_take(&values, 1, " 5 5 5 5:1");
	value_counts_since(&values, &before);
	is(50, 5, "an interval has its own values only");
	return ktap_finish();
}
