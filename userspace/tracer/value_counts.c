// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel has eight buckets for each power of two, and one for each number below 8.  A bucket is
 * named by its number that is nearest to 0.
 */
#include "value_counts.h"

#include <stdlib.h>
#include <string.h>

#include "histogram.h"

/* Print at most so many ranges, if ranges from one power of two to the next are no more. */
#define RANGES_MAX 20

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
 * @hits: the number of values in the line
 * @text: the rest of the line: " SUM LEAST LARGEST FROM:N..."
 */
void value_counts_take(struct value_counts *values, u64 hits, const char *text)
{
	value_t least, largest, from;
	char *p;

	if (!hits)
		return;
	values->sum += number(text, &p);
	least = number(p, &p);
	largest = number(p, &p);
	if (!values->hits || least < values->least)
		values->least = least;
	if (!values->hits || largest > values->largest)
		values->largest = largest;
	values->hits += hits;
	while (*p == ' ') {
		unsigned int bucket;

		from = number(p, &p);
		if (*p != ':')
			break;
		bucket = from < 0 ? VALUE_BUCKETS - 1 - bucket_of(-from) :
				    VALUE_BUCKETS + bucket_of(from);
		values->buckets[bucket] += strtoull(p + 1, &p, 10);
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

/* Find the numbers of a range of 2^@log buckets.  Return false if it has none. */
static bool range_text(unsigned int range, unsigned int log, char low[VALUE_LEN],
		       char high[VALUE_LEN])
{
	value_t first, last, unused;

	value_bucket_ends(range << log, &first, &unused);
	value_bucket_ends(((range + 1) << log) - 1, &unused, &last);
	value_text(first, low);
	value_text(last, high);
	return first <= last;
}

/**
 * value_counts_print() - draw the values
 * @out: the output file
 * @values: the values
 *
 * Each line is a range of numbers: of a bucket, of two or four of these, or all from one power of
 * two to the next, if there would be too many lines.
 */
void value_counts_print(FILE *out, const struct value_counts *values)
{
	unsigned int first = 0, last = 2 * VALUE_BUCKETS - 1, log = 0;
	char low[VALUE_LEN], high[VALUE_LEN];
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
	/* The longest numbers are at the ends. */
	range_text(first, log, low, high);
	width = strlen(low);
	range_text(last, log, low, high);
	width = (int)strlen(high) > width ? (int)strlen(high) : width;
	fprintf(out, "%*s  %10s  distribution\n", 2 * width + 3, "value", "hits");
	for (unsigned int i = first; i <= last; i++) {
		if (!range_text(i, log, low, high))
			continue;
		if (!strcmp(low, high))
			fprintf(out, "%*s", 2 * width + 3, low);
		else
			fprintf(out, "%*s - %*s", width, low, width, high);
		histogram_print_bar(out, count_range(values, i, log), most);
	}
}
