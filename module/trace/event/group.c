// SPDX-License-Identifier: GPL-2.0
/*
 * Groups of events.
 */
#include <linux/debugfs.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "group.h"

/**
 * tracer_group_find() - look up a group by its name
 * @t: the tracer
 * @name: its name
 *
 * Context: under @t->define.
 * Return: the group, or NULL.
 */
struct tracer_group *tracer_group_find(struct tracer *t, const char *name)
{
	struct tracer_group *g;

	lockdep_assert_held(&t->define);

	list_for_each_entry(g, &t->groups, node) {
		if (!strcmp(g->name, name))
			return g;
	}
	return NULL;
}

/**
 * tracer_group_add() - find or create the group of a new event
 * @t: the tracer
 * @name: name of the group
 * @group: set to the group, which has one more event now
 *
 * Context: under @t->define.
 * Return: 0 or -errno.
 */
int tracer_group_add(struct tracer *t, const char *name,
		     struct tracer_group **group)
{
	struct tracer_group *g;
	int ret;

	g = tracer_group_find(t, name);
	if (g) {
		g->events++;
		*group = g;
		return 0;
	}

	g = kzalloc(sizeof(*g), GFP_KERNEL);
	if (!g)
		return -ENOMEM;
	g->tracer = t;
	g->events = 1;
	strscpy(g->name, name, sizeof(g->name));
	ret = t->dirs.ops ? t->dirs.ops->add_group(g) : 0;
	if (ret) {
		kfree(g);
		return ret;
	}
	list_add_tail(&g->node, &t->groups);
	*group = g;
	return 0;
}

/**
 * tracer_group_remove() - remove an event from its group
 * @group: the group, which is freed with its last event
 *
 * Context: under tracer.define.
 */
void tracer_group_remove(struct tracer_group *group)
{
	lockdep_assert_held(&group->tracer->define);

	if (--group->events)
		return;
	list_del(&group->node);
	debugfs_remove(group->dir);
	kfree(group);
}
