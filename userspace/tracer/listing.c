// SPDX-License-Identifier: GPL-2.0
#include "listing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/error.h"
#include "util/util.h"

/* Parse "K:GROUP/EVENT REST", a line of uprobe_events; modify the line. */
static bool parse_listed(char *line, struct listed *listed)
{
	char *slash, *blank;

	if ((line[0] != 'p' && line[0] != 'r') || line[1] != ':')
		return false;
	blank = strchr(line, ' ');
	slash = strchr(line, '/');
	if (!blank || !slash || slash > blank)
		return false;
	*slash = '\0';
	*blank = '\0';
	memset(listed, 0, sizeof(*listed));
	listed->kind = line[0];
	listed->group = line + 2;
	listed->event = slash + 1;
	listed->rest = blank + 1;
	return true;
}

/*
 * Parse "PATH EVENT HITS [MISSED]", a line of uprobe_profile.  The path can contain
 * blanks.  The line has no group, but the lines have the order of uprobe_events.
 */
static void parse_counts(const char *line, struct listed *listed)
{
	for (const char *p = line; (p = strchr(p, ' ')); p++) {
		unsigned long long hits, missed = 0;
		char name[128];

		if (sscanf(p, " %127s %llu %llu", name, &hits, &missed) < 2 ||
		    strcmp(name, listed->event))
			continue;
		listed->counted = true;
		listed->counts.hits = hits;
		listed->counts.missed = missed;
	}
}

static void take_counts(struct listing *listing, char *profile)
{
	char *save, *line = strtok_r(profile, "\n", &save);
	size_t n = 0;

	for (; line && n < listing->n; line = strtok_r(NULL, "\n", &save))
		parse_counts(line, &listing->v[n++]);
	/* If events were added or removed meanwhile, the counts may be those of other events. */
	if (line || n < listing->n)
		for (n = 0; n < listing->n; n++)
			listing->v[n].counted = false;
}

/**
 * listing_read() - read the defined events and their counts
 * @dir: the control directory
 * @listing: filled in on success; to be freed with listing_free()
 */
struct error *listing_read(const char *dir, struct listing *listing)
{
	char *profile = NULL, *save, *line;
	struct error *err;

	memset(listing, 0, sizeof(*listing));
	err = control_read(dir, "uprobe_events", &listing->text);
	if (err)
		return err;
	for (line = strtok_r(listing->text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		listing->v = grow(listing->v, listing->n, &listing->cap,
				  sizeof(*listing->v));
		listing->n += parse_listed(line, &listing->v[listing->n]);
	}
	error_free(control_read(dir, "uprobe_profile", &profile));
	if (profile)
		take_counts(listing, profile);
	free(profile);
	return NULL;
}

void listing_free(struct listing *listing)
{
	free(listing->v);
	free(listing->text);
	memset(listing, 0, sizeof(*listing));
}

/**
 * listing_first() - check whether a site is the first one of its event
 * @listing: the sites
 * @i: index of the site
 */
bool listing_first(const struct listing *listing, size_t i)
{
	const struct listed *site = &listing->v[i];

	for (size_t j = 0; j < i; j++)
		if (!strcmp(listing->v[j].event, site->event) &&
		    !strcmp(listing->v[j].group, site->group))
			return false;
	return true;
}
