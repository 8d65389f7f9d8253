// SPDX-License-Identifier: GPL-2.0
#include "histogram.h"

#include <stdint.h>
#include <string.h>

/* Characters of the longest bar. */
#define BAR 40

/**
 * duration_text() - format a time for people
 * @ns: the time in nanoseconds
 * @text: set to a number, mostly of three digits, and a unit
 */
void duration_text(u64 ns, char text[DURATION_LEN])
{
	static const struct {
		u64 ns;
		const char *unit;
	} units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double value = (double)ns / units[i].ns;

		if (ns < units[i].ns)
			continue;
		snprintf(text, DURATION_LEN, "%.*f%s",
			 value < 9.995 ? 2 : value < 99.95 ? 1 : 0, value,
			 units[i].unit);
		return;
	}
	snprintf(text, DURATION_LEN, "%lluns", (unsigned long long)ns);
}

/**
 * histogram_percentile() - get the time that a percentage of the calls did not exceed
 * @counts: the calls
 * @percent: the percentage
 *
 * Return: nanoseconds, the upper end of the bucket that contains this time, or the longest time if
 * that is in this bucket, too. 0 if there is no call.
 */
u64 histogram_percentile(const struct aggregate_counts *counts, unsigned int percent)
{
	u64 calls = 0, wanted, seen = 0;

	/* A call that is being counted may be among the hits, but in no bucket yet. */
	for (unsigned int i = 0; i < AGGREGATE_BUCKETS; i++)
		calls += counts->buckets[i];
	wanted = (calls * percent + 99) / 100;
	for (unsigned int i = 0; i < AGGREGATE_BUCKETS; i++) {
		seen += counts->buckets[i];
		if (!seen || seen < wanted)
			continue;
		/* Or it may be in a bucket, but missing in the longest time. */
		if (i == 63 || (counts->max >> i && counts->max < 2ull << i))
			return counts->max;
		return 2ull << i;
	}
	return 0;
}

/**
 * histogram_print_bar() - end a line of a histogram
 * @out: the output file
 * @n: the number of the line
 * @most: the largest number of a line
 */
void histogram_print_bar(FILE *out, u64 n, u64 most)
{
	char bar[BAR + 1];
	/* Round up, so that every range with a number has a bar. */
	int len = ((__int128)n * BAR + most - 1) / most;

	memset(bar, '#', len);
	bar[len] = '\0';
	fprintf(out, "  %10llu  |%-*s|\n", (unsigned long long)n, BAR, bar);
}

/**
 * histogram_print() - draw how long calls took
 * @out: the output file
 * @counts: the calls
 *
 * Each line is a range of times, from one power of two, in nanoseconds, to the next.
 */
void histogram_print(FILE *out, const struct aggregate_counts *counts)
{
	unsigned int first = AGGREGATE_BUCKETS, last = 0;
	u64 most = 0;

	for (unsigned int i = 0; i < AGGREGATE_BUCKETS; i++) {
		if (!counts->buckets[i])
			continue;
		if (first == AGGREGATE_BUCKETS)
			first = i;
		last = i;
		if (counts->buckets[i] > most)
			most = counts->buckets[i];
	}
	if (!most)
		return;
	fprintf(out, "%19s  %10s  distribution\n", "time", "calls");
	for (unsigned int i = first; i <= last; i++) {
		char from[DURATION_LEN], to[DURATION_LEN];

		duration_text(i ? 1ull << i : 0, from);
		duration_text(i < 63 ? 2ull << i : UINT64_MAX, to);
		fprintf(out, "%8s - %8s", from, to);
		histogram_print_bar(out, counts->buckets[i], most);
	}
}
