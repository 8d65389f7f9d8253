// SPDX-License-Identifier: GPL-2.0
#include "heat.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "histogram.h"
#include "util/svg.h"
#include "util/util.h"

/* In a picture: of an interval, and of a range of times. */
#define CELL_WIDTH	12
#define CELL_HEIGHT	11
#define LEFT		70
#define TITLE		30

/* So many functions are drawn at most. */
#define MAPS_MAX	20

static const char style[] =
	"<style>\n"
	"svg{font:10px sans-serif;background:#fff;color:#222}\n"
	"text{fill:currentColor}\n"
	"rect{fill:#c22}\n"
	"@media(prefers-color-scheme:dark){svg{background:#1b1b1f;color:#ddd}rect{fill:#fa4}}\n"
	"</style>\n";

/**
 * struct scale - what a map shows
 * @first: from 2^first on
 * @text: writes a number
 * @things: what is counted, for sentences
 * @title: and for the title of a column
 */
struct scale {
	unsigned int first;
	void (*text)(u64 number, char text[DURATION_LEN]);
	const char *things;
	const char *title;
};

static void number_text(u64 number, char text[DURATION_LEN])
{
	snprintf(text, DURATION_LEN, "%llu", (unsigned long long)number);
}

static const struct scale *scale_of(enum aggregate_what what)
{
	static const struct scale times = { 5, duration_text, "calls", "CALLS" };
	static const struct scale values = { 0, number_text, "hits", "HITS" };

	return what == AGGREGATE_VALUES ? &values : &times;
}

static void columns_of(const struct scale *scale, const struct value_counts *values, u64 *columns)
{
	const unsigned int first = scale->first, last = first + HEAT_COLUMNS - 1;
	unsigned int power;

	memset(columns, 0, HEAT_COLUMNS * sizeof(*columns));
	for (unsigned int i = 0; i < 2 * VALUE_BUCKETS; i++) {
		if (!values->buckets[i])
			continue;
		power = value_bucket_power(i);
		columns[power < first ? 0 : power > last ? HEAT_COLUMNS - 1 : power - first] +=
			values->buckets[i];
	}
}

/**
 * heat_add() - remember an interval
 * @heat: the intervals of the function
 * @what: what is counted
 * @values: its times, or values, in this one
 * @nr: number of the interval
 */
void heat_add(struct heat *heat, enum aggregate_what what, const struct value_counts *values,
	      size_t nr)
{
	struct heat_row *row;

	if (!values->hits)
		return;
	heat->v = grow(heat->v, heat->n, &heat->cap, sizeof(*heat->v));
	row = &heat->v[heat->n++];
	row->nr = nr;
	columns_of(scale_of(what), values, row->columns);
	heat->hits += values->hits;
}

/** heat_print_scale() - print which column is which time or value, above the rows */
void heat_print_scale(FILE *out, enum aggregate_what what)
{
	const struct scale *scale = scale_of(what);

	fprintf(out, "%8s  ", "");
	for (unsigned int i = 0; i < HEAT_COLUMNS; i += 5) {
		char text[DURATION_LEN];

		scale->text(1ull << (scale->first + i), text);
		fprintf(out, "%-10s", text);
	}
	fprintf(out, "  %10s %9s %9s\n", scale->title, "50% ~", "99% ~");
}

/**
 * heat_print_row() - print an interval that ends now
 * @out: the output file
 * @what: what is counted
 * @values: its times, or values
 * @label: the function, or ""
 */
void heat_print_row(FILE *out, enum aggregate_what what, const struct value_counts *values,
		    const char *label)
{
	const struct scale *scale = scale_of(what);
	static const char shades[] = " .:-=+*#%@";
	const unsigned int darkest = sizeof(shades) - 2;
	char clock[16], text[2][DURATION_LEN];
	u64 columns[HEAT_COLUMNS], most = 0;
	time_t now = time(NULL);
	struct tm tm;

	columns_of(scale, values, columns);
	for (unsigned int i = 0; i < HEAT_COLUMNS; i++)
		if (columns[i] > most)
			most = columns[i];
	strftime(clock, sizeof(clock), "%H:%M:%S", localtime_r(&now, &tm));
	fprintf(out, "%8s |", clock);
	for (unsigned int i = 0; i < HEAT_COLUMNS; i++) {
		/* Round up, so that every range with calls is seen. */
		char c = shades[most ? (columns[i] * darkest + most - 1) / most : 0];

		fprintf(out, "%c%c", c, c);
	}
	scale->text(value_counts_percentile(values, 50), text[0]);
	scale->text(value_counts_percentile(values, 99), text[1]);
	fprintf(out, "| %10llu %9s %9s%s%s\n", (unsigned long long)values->hits, text[0], text[1],
		*label ? "  " : "", label);
}

/* Draw a range of an interval: it has @n calls, where the fullest one has @most. */
static void draw_cell(FILE *out, const struct scale *scale, size_t x, unsigned int y,
		      unsigned int column, u64 n, u64 most)
{
	char text[DURATION_LEN];

	scale->text(1ull << (scale->first + column), text);
	fprintf(out, "<rect x=\"%zu\" y=\"%u\" width=\"%d\" height=\"%d\" ", x, y, CELL_WIDTH,
		CELL_HEIGHT);
	fprintf(out, "fill-opacity=\"%.3f\"><title>%llu %s, from %s on</title></rect>\n",
		0.12 + 0.88 * n / most, (unsigned long long)n, scale->things, text);
}

/* Draw the map of a function; @y is where it begins. */
static void draw(FILE *out, const struct scale *scale, const char *label, const struct heat *heat,
		 unsigned int y, double seconds)
{
	u64 most = 1;

	for (size_t i = 0; i < heat->n; i++)
		for (unsigned int k = 0; k < HEAT_COLUMNS; k++)
			if (heat->v[i].columns[k] > most)
				most = heat->v[i].columns[k];
	fprintf(out, "<text x=\"%d\" y=\"%u\" font-size=\"14\">", LEFT, y + 20);
	svg_text(out, label);
	fprintf(out, "<tspan font-size=\"10\">, %llu %s; the darker, the more</tspan></text>\n",
		(unsigned long long)heat->hits, scale->things);
	for (size_t i = 0; i <= heat->v[heat->n - 1].nr; i += 10)
		fprintf(out, "<text x=\"%zu\" y=\"%u\">%g s</text>\n", LEFT + CELL_WIDTH * i,
			y + TITLE + CELL_HEIGHT * HEAT_COLUMNS + 12, seconds * i);
	for (unsigned int k = 0; k < HEAT_COLUMNS; k += 5) {
		char text[DURATION_LEN];

		scale->text(1ull << (scale->first + k), text);
		fprintf(out, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">%s</text>\n", LEFT - 6,
			y + TITLE + CELL_HEIGHT * (HEAT_COLUMNS - k), text);
	}
	for (size_t i = 0; i < heat->n; i++) {
		const u64 *columns = heat->v[i].columns;

		for (unsigned int k = 0; k < HEAT_COLUMNS; k++)
			if (columns[k])
				draw_cell(out, scale, LEFT + CELL_WIDTH * heat->v[i].nr,
					  y + TITLE + CELL_HEIGHT * (HEAT_COLUMNS - 1 - k), k,
					  columns[k], most);
	}
}

/**
 * struct map - the map of a function
 * @label: the function
 * @heat: its intervals
 */
struct map {
	const char *label;
	const struct heat *heat;
};

static int by_hits(const void *pa, const void *pb)
{
	const struct map *a = pa, *b = pb;

	return a->heat->hits < b->heat->hits ? 1 : a->heat->hits > b->heat->hits ? -1 : 0;
}

/**
 * heat_draw() - write a picture: time goes to the right, how long calls take, or the value, goes up
 * @out: the output file
 * @aggregate: the functions
 * @heats: the intervals of each
 * @seconds: how long an interval is
 *
 * Functions without calls are left out, and so are all but those with the most calls.
 */
void heat_draw(FILE *out, const struct aggregate *aggregate, const struct heat *heats,
	       double seconds)
{
	_cleanup_free_ struct map *maps = xcalloc(aggregate->n + 1, sizeof(*maps));
	const unsigned int height = TITLE + CELL_HEIGHT * HEAT_COLUMNS + 20;
	size_t n = 0, last = 40;

	for (size_t i = 0; i < aggregate->n; i++) {
		if (!heats[i].n)
			continue;
		maps[n++] = (struct map) { aggregate->v[i].label, &heats[i] };
		if (heats[i].v[heats[i].n - 1].nr >= last)
			last = heats[i].v[heats[i].n - 1].nr + 1;
	}
	qsort(maps, n, sizeof(*maps), by_hits);
	n = n < MAPS_MAX ? n : MAPS_MAX;
	svg_begin(out, (unsigned int)(LEFT + CELL_WIDTH * last + 10),
		  height * (unsigned int)(n ? n : 1));
	fputs(style, out);
	for (size_t i = 0; i < n; i++)
		draw(out, scale_of(aggregate->what), maps[i].label, maps[i].heat,
		     height * (unsigned int)i, seconds);
	fputs("</svg>\n", out);
}

void heat_free(struct heat *heat)
{
	free(heat->v);
	memset(heat, 0, sizeof(*heat));
}
