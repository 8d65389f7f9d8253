// SPDX-License-Identifier: GPL-2.0
/* The places of an event, and the arguments that it fetches there. */
#include "probe_site.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

/**
 * probe_sites_add() - add a place
 * @sites: the places
 * @path: see struct probe_site; copied
 * @offset: see struct probe_site
 * @counter: see struct probe_site
 * @args: see struct probe_site; copied
 */
void probe_sites_add(struct probe_sites *sites, const char *path, u64 offset, u64 counter,
		     const char *args)
{
	sites->v = grow(sites->v, sites->n, &sites->cap, sizeof(*sites->v));
	sites->v[sites->n++] = (struct probe_site) {
		.path = xstrdup(path),
		.offset = offset,
		.counter = counter,
		.args = xstrdup(args),
		.expected = xstrdup(""),
	};
}

/**
 * probe_sites_move() - move all places to the end of another list
 * @to: the list that gets the places
 * @from: the list that loses its places; empty afterwards
 */
void probe_sites_move(struct probe_sites *to, struct probe_sites *from)
{
	for (size_t i = 0; i < from->n; i++) {
		to->v = grow(to->v, to->n, &to->cap, sizeof(*to->v));
		to->v[to->n++] = from->v[i];
	}
	free(from->v);
	memset(from, 0, sizeof(*from));
}

void probe_sites_free(struct probe_sites *sites)
{
	for (size_t i = 0; i < sites->n; i++) {
		free(sites->v[i].path);
		free(sites->v[i].args);
		free(sites->v[i].expected);
	}
	free(sites->v);
	memset(sites, 0, sizeof(*sites));
}

/**
 * probe_site_place() - write a place in the syntax of uprobe_events
 * @site: the place
 *
 * Return: PATH:OFFSET, with the reference counter if there is one; from malloc().
 */
char *probe_site_place(const struct probe_site *site)
{
	if (site->counter)
		return xasprintf("%s:0x%llx(0x%llx)", site->path,
				 (unsigned long long)site->offset,
				 (unsigned long long)site->counter);
	return xasprintf("%s:0x%llx", site->path, (unsigned long long)site->offset);
}

/**
 * probe_site_file() - get the path of a place in the form for system calls
 * @site: the place
 *
 * Return: the path, from malloc().
 */
char *probe_site_file(const struct probe_site *site)
{
	char *path = xstrdup(site->path);

	path_unescape(path);
	return path;
}
