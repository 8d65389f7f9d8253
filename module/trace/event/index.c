// SPDX-License-Identifier: GPL-2.0
/*
 * Look up events by their names, and find out whether an event has a probe already.  Tools define
 * tens of thousands of both, so tables are used.
 */
#include <linux/jhash.h>
#include <linux/rhashtable.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "index.h"

/* The key of an event. */
struct names {
	const char *group;
	const char *event;
};

static u32 hash_text(const char *text, u32 seed)
{
	return jhash(text, strlen(text), seed);
}

static u32 names_hash(const void *data, u32 len, u32 seed)
{
	const struct names *names = data;

	return hash_text(names->event, hash_text(names->group, seed));
}

static struct names names_of(const struct tracer_event *event)
{
	return (struct names){ .group = event->group->name, .event = event->format->def->event };
}

static u32 event_hash(const void *data, u32 len, u32 seed)
{
	struct names names = names_of(data);

	return names_hash(&names, len, seed);
}

/* Return 0 if the names are the same. */
static int event_differs(struct rhashtable_compare_arg *arg, const void *obj)
{
	const struct names *names = arg->key;
	struct names have = names_of(obj);

	return strcmp(have.event, names->event) || strcmp(have.group, names->group);
}

static const struct rhashtable_params event_params = {
	.head_offset = offsetof(struct tracer_event, by_name),
	.hashfn = names_hash,
	.obj_hashfn = event_hash,
	.obj_cmpfn = event_differs,
	.automatic_shrinking = true,
};

/* The key of a site is its event, its place and the arguments that it fetches. */
static u32 site_hash(const void *data, u32 len, u32 seed)
{
	const struct tracer_site *site = data;
	const struct tracer_def *def = site->def;
	const void *where = site->process;
	unsigned int i;

	if (!where)
		where = file_inode(site->rp.u.file);
	seed = jhash(&site->event, sizeof(site->event), seed);
	seed = jhash(&where, sizeof(where), seed);
	seed = jhash(&def->offset, sizeof(def->offset), seed);
	for (i = 0; i < def->nargs; i++)
		seed = hash_text(def->args[i].body, seed);
	return seed;
}

static bool same_fetches(const struct tracer_def *a, const struct tracer_def *b)
{
	unsigned int i;

	if (a->nargs != b->nargs)
		return false;
	for (i = 0; i < a->nargs; i++) {
		if (strcmp(a->args[i].body, b->args[i].body))
			return false;
	}
	return true;
}

static bool same_place(const struct tracer_site *a, const struct tracer_site *b)
{
	if (a->process != b->process || a->def->offset != b->def->offset)
		return false;
	return a->process || file_inode(a->rp.u.file) == file_inode(b->rp.u.file);
}

static int site_differs(struct rhashtable_compare_arg *arg, const void *obj)
{
	const struct tracer_site *have = obj, *site = arg->key;

	return have->event != site->event || !same_place(have, site) ||
	       !same_fetches(have->def, site->def);
}

static const struct rhashtable_params site_params = {
	.head_offset = offsetof(struct tracer_site, by_place),
	.hashfn = site_hash,
	.obj_hashfn = site_hash,
	.obj_cmpfn = site_differs,
	.automatic_shrinking = true,
};

/**
 * tracer_index_init() - create the tables of a tracer
 * @t: the tracer
 *
 * Return: 0 or -ENOMEM.
 */
int tracer_index_init(struct tracer *t)
{
	int ret;

	ret = rhashtable_init(&t->by_name, &event_params);
	if (ret)
		return ret;
	ret = rhashtable_init(&t->by_place, &site_params);
	if (ret)
		rhashtable_destroy(&t->by_name);
	return ret;
}

/**
 * tracer_index_destroy() - free the tables of a tracer
 * @t: the tracer, without events
 */
void tracer_index_destroy(struct tracer *t)
{
	rhashtable_destroy(&t->by_place);
	rhashtable_destroy(&t->by_name);
}

/**
 * tracer_event_find() - look up an event by its names
 * @t: the tracer
 * @group: name of its group
 * @name: name of the event
 *
 * Context: under @t->define or @t->lock.
 * Return: the event, or NULL.
 */
struct tracer_event *tracer_event_find(struct tracer *t, const char *group,
				       const char *name)
{
	struct names names = { .group = group, .event = name };

	return rhashtable_lookup_fast(&t->by_name, &names, event_params);
}

/**
 * tracer_index_add_event() - add an event to the table
 * @t: the tracer
 * @event: the event
 *
 * Context: under @t->define.
 * Return: 0 or -ENOMEM.
 */
int tracer_index_add_event(struct tracer *t, struct tracer_event *event)
{
	int ret;

	/* The table is busy while it is being rehashed. */
	while ((ret = rhashtable_insert_fast(&t->by_name, &event->by_name, event_params)) == -EBUSY)
		cond_resched();
	return ret;
}

/**
 * tracer_index_del_event() - remove an event from the table
 * @t: the tracer
 * @event: the event, which is in the table
 *
 * Context: under @t->define and @t->lock: a look-up holds only one of them.
 */
void tracer_index_del_event(struct tracer *t, struct tracer_event *event)
{
	rhashtable_remove_fast(&t->by_name, &event->by_name, event_params);
}

/**
 * tracer_index_add_site() - add a probe to the table, unless its event has the same one
 * @t: the tracer
 * @site: the probe, with its event
 *
 * Context: under @t->define.
 * Return: 0; -EEXIST if the event has the same probe already; -ENOMEM.
 */
int tracer_index_add_site(struct tracer *t, struct tracer_site *site)
{
	int ret;

	if (rhashtable_lookup_fast(&t->by_place, site, site_params))
		return -EEXIST;
	while ((ret = rhashtable_insert_fast(&t->by_place, &site->by_place, site_params)) == -EBUSY)
		cond_resched();
	site->indexed = !ret;
	return ret;
}

/**
 * tracer_index_del_site() - remove a probe from the table
 * @t: the tracer
 * @site: the probe; need not be in the table
 *
 * Context: under @t->define.
 */
void tracer_index_del_site(struct tracer *t, struct tracer_site *site)
{
	if (site->indexed)
		rhashtable_remove_fast(&t->by_place, &site->by_place, site_params);
	site->indexed = false;
}
