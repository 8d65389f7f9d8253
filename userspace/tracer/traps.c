// SPDX-License-Identifier: GPL-2.0
/*
 * How the hits of an aggregate are found.  The kernel lists the places, one line each, in the
 * fdinfo of the tracer's file: "kN PID ADDRESS WHY".
 */
#include "traps.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "aggregate.h"
#include "util/error.h"
#include "util/util.h"

/* The module's word for a place that needs no trap. */
#define NO_TRAP "no trap"

static void add(struct traps *traps, const char *why)
{
	size_t i;

	for (i = 0; i < traps->n && strcmp(traps->v[i].why, why); i++)
		;
	if (i == traps->n) {
		traps->v = xreallocarray(traps->v, traps->n + 1, sizeof(*traps->v));
		traps->v[traps->n++] = (struct traps_reason) { .why = xstrdup(why) };
	}
	traps->v[i].places++;
	traps->places++;
}

static int by_places(const void *pa, const void *pb)
{
	const struct traps_reason *a = pa, *b = pb;

	return a->places < b->places ? 1 : a->places > b->places ? -1 : strcmp(a->why, b->why);
}

static size_t without_trap(const struct traps *traps)
{
	for (size_t i = 0; i < traps->n; i++)
		if (!strcmp(traps->v[i].why, NO_TRAP))
			return traps->v[i].places;
	return 0;
}

/*
 * Check whether a look tells more than an earlier one.  Processes begin and end between looks, and
 * during one: the look that found the most places without a trap counts, or else that with the
 * most places.
 */
static bool tells_more(const struct traps *now, const struct traps *before)
{
	size_t without = without_trap(now), without_before = without_trap(before);

	if (without != without_before)
		return without > without_before;
	return now->places && now->places >= before->places;
}

/**
 * traps_look() - see how hits are found now
 * @traps: the result; not changed if an earlier look has found more places without a trap
 * @aggregate: attached
 */
void traps_look(struct traps *traps, const struct aggregate *aggregate)
{
	char *file = xasprintf("fdinfo/%d", aggregate->fd), *text = NULL, *line, *save;
	struct traps now = { 0 };

	error_free(control_read("/proc/self", file, &text));
	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned long long address;
		int at = 0;

		if (sscanf(line, "k%*u %*d %llx %n", &address, &at) == 1 && at)
			add(&now, line + at);
	}
	free(text);
	free(file);
	if (!tells_more(&now, traps)) {
		traps_free(&now);
		return;
	}
	qsort(now.v, now.n, sizeof(*now.v), by_places);
	traps_free(traps);
	*traps = now;
}

/**
 * traps_print() - tell the user how hits were found
 * @traps: from traps_look()
 */
void traps_print(const struct traps *traps)
{
	fprintf(stderr, "%zu of %zu places counted without a trap.\n", without_trap(traps),
		traps->places);
	for (size_t i = 0; i < traps->n; i++)
		if (strcmp(traps->v[i].why, NO_TRAP))
			fprintf(stderr, "%zu %s: %s\n", traps->v[i].places,
				traps->v[i].places == 1 ? "traps" : "trap", traps->v[i].why);
}

void traps_free(struct traps *traps)
{
	for (size_t i = 0; i < traps->n; i++)
		free(traps->v[i].why);
	free(traps->v);
	*traps = (struct traps) { 0 };
}
