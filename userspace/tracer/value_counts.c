// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel has eight buckets for each power of two, and one for each number below 8.  A bucket is
 * named by its number that is nearest to 0.
 */
#include "value_counts.h"

#include <stdlib.h>
#include <string.h>

#include "histogram.h"

/* The largest number of ranges to print, unless there are more powers of two. */
#define RANGES_MAX 20

/* Characters of a time in such a range. */
#define TIME_WIDTH 8

/* Find the bucket of a number that is not negative. */
static unsigned int bucket_of(u64 magnitude)
{
	unsigned int power;

	if (magnitude < 8)
		return magnitude;
	power = 60 - __builtin_clzll(magnitude);
	return power * 8 + (magnitude >> power);
}

/* Return the least number in such a bucket; that of the bucket behind the last one is 2^64. */
static value_t bucket_begin(unsigned int bucket)
{
	return bucket < 8 ? bucket : (value_t)(8 + bucket % 8) << (bucket / 8 - 1);
}

/**
 * value_bucket_ends() - find the numbers of a bucket
 * @bucket: the bucket, an index of value_counts::buckets
 * @first: set to the least one
 * @last: set to the largest one
 */
void value_bucket_ends(unsigned int bucket, value_t *first, value_t *last)
{
	if (bucket >= VALUE_BUCKETS) {
		*first = bucket_begin(bucket - VALUE_BUCKETS);
		*last = bucket_begin(bucket - VALUE_BUCKETS + 1) - 1;
	} else {
		*first = 1 - bucket_begin(VALUE_BUCKETS - bucket);
		*last = -bucket_begin(VALUE_BUCKETS - 1 - bucket);
		/* 0 is in the next bucket.  The one here has no number. */
		*last -= !*last;
	}
}

/** value_bucket_power() - find n for a bucket of numbers from 2^n on; 0 for all numbers below 2 */
unsigned int value_bucket_power(unsigned int bucket)
{
	value_t first, last;

	value_bucket_ends(bucket, &first, &last);
	return first < 2 ? 0 : 63 - __builtin_clzll((u64)first);
}

static value_t number(const char *text, char **end)
{
	while (*text == ' ')
		text++;
	return *text == '-' ? -(value_t)strtoull(text + 1, end, 10) :
			      (value_t)strtoull(text, end, 10);
}

/**
 * value_counts_take() - add what a line has
 * @values: the values so far
 * @text: the rest of the line: " SUM LEAST LARGEST FROM:N...", or "" if it has no value
 *
 * All values are in buckets; a line may be about more calls, whose times are just being counted.
 */
void value_counts_take(struct value_counts *values, const char *text)
{
	value_t least, largest, from;
	u64 n;
	char *p;

	if (!*text)
		return;
	values->sum += number(text, &p);
	least = number(p, &p);
	largest = number(p, &p);
	if (!values->hits || least < values->least)
		values->least = least;
	if (!values->hits || largest > values->largest)
		values->largest = largest;
	while (*p == ' ') {
		unsigned int bucket;

		from = number(p, &p);
		if (*p != ':')
			break;
		bucket = from < 0 ? VALUE_BUCKETS - 1 - bucket_of(-from) :
				    VALUE_BUCKETS + bucket_of(from);
		n = strtoull(p + 1, &p, 10);
		values->buckets[bucket] += n;
		values->hits += n;
	}
}

/**
 * value_counts_since() - subtract what was there before
 * @values: the values; their least and largest one stay those of the whole run
 * @before: the values before
 */
void value_counts_since(struct value_counts *values, const struct value_counts *before)
{
	values->hits -= before->hits;
	values->sum -= before->sum;
	for (unsigned int i = 0; i < 2 * VALUE_BUCKETS; i++)
		values->buckets[i] -= before->buckets[i];
}

/* Return the middle of a bucket, but nothing outside of the least and the largest value. */
static value_t bucket_middle(const struct value_counts *values, unsigned int bucket)
{
	value_t first, last, middle;

	value_bucket_ends(bucket, &first, &last);
	middle = first + (last - first) / 2;
	if (middle > values->largest)
		return values->largest;
	return middle < values->least ? values->least : middle;
}

/**
 * value_counts_percentile() - get the number that a percentage of the values did not exceed
 * @values: the values
 * @percent: the percentage
 *
 * Return: the middle of the bucket that contains this number, but nothing outside of the least and
 * the largest value: the error is at most 1/16. 0 if there is no value.
 */
value_t value_counts_percentile(const struct value_counts *values, unsigned int percent)
{
	u64 wanted = ((value_t)values->hits * percent + 99) / 100, seen = 0;

	for (unsigned int i = 0; i < 2 * VALUE_BUCKETS; i++) {
		seen += values->buckets[i];
		if (seen && seen >= wanted)
			return bucket_middle(values, i);
	}
	return 0;
}

/**
 * value_counts_mean() - get the mean of the values
 * @values: the values
 *
 * It is exact, unless the sum may exceed 64 bits: then it is that of the middles of the buckets.
 */
double value_counts_mean(const struct value_counts *values)
{
	double low = values->least, high = values->largest, sum = 0;
	const double limit = 0x1p63;

	if (!values->hits)
		return 0;
	if (low >= 0 && high * values->hits < 2 * limit)
		return (double)values->sum / values->hits;
	if (low * values->hits > -limit && high * values->hits < limit)
		return (double)(long long)values->sum / values->hits;
	for (unsigned int i = 0; i < 2 * VALUE_BUCKETS; i++)
		if (values->buckets[i])
			sum += (double)bucket_middle(values, i) * values->buckets[i];
	return sum / values->hits;
}

/** value_text() - format a number in decimal */
void value_text(value_t value, char text[VALUE_LEN])
{
	if (value < 0)
		snprintf(text, VALUE_LEN, "-%llu", (unsigned long long)-value);
	else
		snprintf(text, VALUE_LEN, "%llu", (unsigned long long)value);
}

static u64 count_range(const struct value_counts *values, unsigned int range, unsigned int log)
{
	u64 n = 0;

	for (unsigned int i = 0; i < 1U << log; i++)
		n += values->buckets[(range << log) + i];
	return n;
}

static void end_text(value_t value, bool times, char text[DURATION_LEN])
{
	if (times)
		duration_text(value, text);
	else
		value_text(value, text);
}

/* Find the ends of a range of 2^@log buckets.  Return false if it has no number. */
static bool range_text(unsigned int range, unsigned int log, bool times, char low[DURATION_LEN],
		       char high[DURATION_LEN])
{
	value_t first, last, unused;

	value_bucket_ends(range << log, &first, &unused);
	value_bucket_ends(((range + 1) << log) - 1, &unused, &last);
	end_text(first, times, low);
	end_text(last, times, high);
	return first <= last;
}

/* Return the characters of the longest end.  Numbers are longest in the outer ranges. */
static int ends_width(unsigned int first, unsigned int last, unsigned int log, bool times)
{
	char low[DURATION_LEN], high[DURATION_LEN];
	int width;

	if (times)
		return TIME_WIDTH;
	range_text(first, log, false, low, high);
	width = strlen(low);
	range_text(last, log, false, low, high);
	return (int)strlen(high) > width ? (int)strlen(high) : width;
}

/**
 * value_counts_print() - draw the values
 * @out: the output file
 * @values: the values
 * @times: they are times of calls
 *
 * Each line is a range of numbers: of a bucket, of two or four of these, or all from one power of
 * two to the next, if there would be too many lines.
 */
void value_counts_print(FILE *out, const struct value_counts *values, bool times)
{
	unsigned int first = 0, last = 2 * VALUE_BUCKETS - 1, log = 0;
	char low[DURATION_LEN], high[DURATION_LEN];
	u64 most = 0;
	int width;

	while (first < last && !values->buckets[first])
		first++;
	while (last > first && !values->buckets[last])
		last--;
	if (!values->buckets[first])
		return;
	while (log < 3 && (last >> log) - (first >> log) >= RANGES_MAX)
		log++;
	first >>= log;
	last >>= log;
	for (unsigned int i = first; i <= last; i++)
		if (count_range(values, i, log) > most)
			most = count_range(values, i, log);
	width = ends_width(first, last, log, times);
	fprintf(out, "%*s  %10s  distribution\n", 2 * width + 3, times ? "time" : "value",
		times ? "calls" : "hits");
	for (unsigned int i = first; i <= last; i++) {
		if (!range_text(i, log, times, low, high))
			continue;
		if (!strcmp(low, high))
			fprintf(out, "%*s", 2 * width + 3, low);
		else
			fprintf(out, "%*s - %*s", width, low, width, high);
		histogram_print_bar(out, count_range(values, i, log), most);
	}
}
