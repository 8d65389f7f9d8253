// SPDX-License-Identifier: GPL-2.0
#include "histogram.h"

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
