// SPDX-License-Identifier: GPL-2.0
#include "suggest.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "demangle.h"
#include "util/util.h"

/* Longer names are compared by their parts only. */
#define DISTANCE_LEN_MAX 127

/**
 * edit_distance() - count the letters to insert, delete, replace or swap with their neighbour
 * @a: a name
 * @b: another one
 * @limit: the largest number of interest
 *
 * Return: the number; @limit + 1 as soon as it is certain to be above @limit.
 */
unsigned int edit_distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int rows[3][DISTANCE_LEN_MAX + 1];
	size_t n = strlen(a), m = strnlen(b, DISTANCE_LEN_MAX + 1);

	if (n > DISTANCE_LEN_MAX || m > DISTANCE_LEN_MAX ||
	    (n > m ? n - m : m - n) > limit)
		return limit + 1;
	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		unsigned int *row = rows[i % 3], *prev = rows[(i + 2) % 3];
		unsigned int *prev2 = rows[(i + 1) % 3], least;

		row[0] = i;
		least = i;
		for (size_t j = 1; j <= m; j++) {
			unsigned int d = prev[j - 1] + (a[i - 1] != b[j - 1]);

			if (prev[j] + 1 < d)
				d = prev[j] + 1;
			if (row[j - 1] + 1 < d)
				d = row[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && prev2[j - 2] + 1 < d)
				d = prev2[j - 2] + 1;
			row[j] = d;
			if (d < least)
				least = d;
		}
		if (least > limit)
			return limit + 1;
	}
	return rows[n % 3][m];
}

#define NO_MATCH 1000u

/* Return how many letters of a name may be wrong. */
static unsigned int distance_limit(size_t len)
{
	return len < 4 ? 1 : len < 9 ? 2 : 3;
}

/* Rank a symbol's name by its distance from the wanted name; lower is nearer. */
static unsigned int rank(const char *candidate, const char *name, size_t len)
{
	unsigned int limit = distance_limit(len), d;
	const char *bare = candidate;

	if (!strcasecmp(candidate, name))
		return 0;
	while (*bare == '_')
		bare++;
	if (!strcmp(bare, name))
		return 1;
	d = edit_distance(name, candidate, limit);
	if (d <= limit)
		return 1 + d;
	if (len < 3)
		return NO_MATCH;
	/* If one name contains the other, a smaller difference in length is nearer. */
	if (!strncmp(candidate, name, len))
		return 10 + strlen(candidate + len);
	if (strstr(candidate, name))
		return 100 + strlen(candidate) - len;
	return NO_MATCH;
}

/*
 * Check whether a mangled name contains an identifier similar to @base.  Each
 * identifier is in the mangled name literally, after its length.
 */
static bool has_similar_part(const char *mangled, const char *base)
{
	unsigned int limit = distance_limit(strlen(base));
	char part[DISTANCE_LEN_MAX + 1];

	while (*(mangled += strcspn(mangled, "123456789"))) {
		char *text;
		size_t len = strtoul(mangled, &text, 10);

		if (len > strlen(text))
			return false;
		if (len <= DISTANCE_LEN_MAX) {
			memcpy(part, text, len);
			part[len] = '\0';
			if (edit_distance(base, part, limit) <= limit)
				return true;
		}
		mangled = text + len;
	}
	return false;
}

/* Rank a C++ or Rust name by its last part, and slightly by the length of the whole name. */
static unsigned int rank_mangled(const char *mangled, const char *base)
{
	unsigned int limit = distance_limit(strlen(base)), d;
	char *pretty, *own;

	if (!strstr(mangled, base) && !has_similar_part(mangled, base))
		return NO_MATCH;
	pretty = demangle(mangled, DEMANGLE_NAME);
	own = pretty ? name_base(pretty) : NULL;
	d = own ? edit_distance(base, own, limit) : limit + 1;
	if (own && !strcmp(own, base))
		d = 0;
	d = d > limit ? NO_MATCH : 5 + d + strlen(pretty) / 16;
	free(own);
	free(pretty);
	return d;
}

static unsigned int rank_symbol(const struct symbol *sym, const char *name,
				const char *base)
{
	unsigned int r = rank(sym->name, name, strlen(name)), mangled;

	if (base && r > 10 && is_mangled(sym->name)) {
		mangled = rank_mangled(sym->name, base);
		if (mangled < r)
			r = mangled;
	}
	return r;
}

/**
 * suggest() - find the functions whose names are nearest to a name
 * @syms: the symbols to choose from
 * @name: the name that the user asked for
 * @best: filled in, nearest first
 *
 * Return: number of entries in @best.
 */
size_t suggest(const struct symbols *syms, const char *name,
	       const struct symbol *best[SUGGESTIONS_MAX])
{
	_cleanup_free_ char *base = name_base(name);
	unsigned int ranks[SUGGESTIONS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < syms->n; i++) {
		const struct symbol *sym = &syms->v[i];
		unsigned int r;
		size_t at, k;

		if (!symbol_is_function(syms, sym))
			continue;
		r = rank_symbol(sym, name, base);
		if (r >= NO_MATCH || (n == SUGGESTIONS_MAX && r >= ranks[n - 1]))
			continue;
		for (k = 0; k < n; k++)
			if (!strcmp(best[k]->name, sym->name))
				break;
		if (k < n)
			continue;
		for (at = 0; at < n && ranks[at] <= r; at++)
			;
		if (n < SUGGESTIONS_MAX)
			n++;
		memmove(best + at + 1, best + at,
			(n - 1 - at) * sizeof(*best));
		memmove(ranks + at + 1, ranks + at,
			(n - 1 - at) * sizeof(*ranks));
		best[at] = sym;
		ranks[at] = r;
	}
	return n;
}
