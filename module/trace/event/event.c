// SPDX-License-Identifier: GPL-2.0
/*
 * Create and free events.
 */
#include <linux/debugfs.h>
#include <linux/slab.h>

#include "event.h"
#include "filtering.h"
#include "format.h"
#include "group.h"
#include "index.h"
#include "site.h"

/* Set the error.  For example, a group called "enable" would hide the file events/enable. */
static void dir_failed(struct tracer_diag *diag, int error)
{
	tracer_diag_fail(diag, error == -EEXIST ? TRACER_ERR_EVENT_EXIST :
				      TRACER_ERR_NO_MEMORY, 2, error);
}

/**
 * tracer_event_create() - create an event without sites
 * @t: the tracer
 * @def: its first definition, which its format takes over
 * @diag: set to the error
 *
 * Context: under @t->define.
 * Return: the event, which is in no list yet, or ERR_PTR.
 */
struct tracer_event *tracer_event_create(struct tracer *t, struct tracer_def *def,
					 struct tracer_diag *diag)
{
	struct tracer_event *event;
	int ret;

	event = kzalloc(sizeof(*event), GFP_KERNEL);
	if (!event)
		return ERR_PTR(tracer_diag_fail(diag, TRACER_ERR_NO_MEMORY, 0, -ENOMEM));
	INIT_LIST_HEAD(&event->node);
	INIT_LIST_HEAD(&event->sites);
	/* Its files exist before it is in the list. */
	event->removed = true;

	ret = tracer_group_add(t, def->group, &event->group);
	if (ret) {
		dir_failed(diag, ret);
		goto free_event;
	}

	event->format = tracer_format_create(t, def);
	if (IS_ERR(event->format)) {
		ret = PTR_ERR(event->format);
		tracer_diag_fail(diag, ret == -ENOSPC ? TRACER_ERR_TOO_MANY_EVENTS :
					    TRACER_ERR_NO_MEMORY, 0, ret);
		goto remove_group;
	}

	ret = t->dirs.ops ? t->dirs.ops->add_event(event) : 0;
	if (ret) {
		dir_failed(diag, ret);
		goto release_format;
	}
	return event;

release_format:
	tracer_format_discard(t, event->format);
remove_group:
	tracer_group_remove(event->group);
free_event:
	kfree(event);
	return ERR_PTR(ret);
}

/**
 * tracer_event_destroy() - free an event
 * @t: the tracer
 * @event: the event, in no list and without sites
 *
 * Context: under @t->define.
 */
void tracer_event_destroy(struct tracer *t, struct tracer_event *event)
{
	lockdep_assert_held(&t->define);

	/* When this returns, none of the event's files is in use. */
	debugfs_remove(event->dir);
	tracer_group_remove(event->group);
	tracer_format_release(t, event->format);
	tracer_event_drop_filter(event);
	kfree(event);
}

/**
 * tracer_site_discard() - undo a definition
 * @t: the tracer
 * @site: the site that it has made, not registered
 *
 * Context: under @t->define.
 */
void tracer_site_discard(struct tracer *t, struct tracer_site *site)
{
	struct tracer_event *event = site->event;
	bool last;

	lockdep_assert_held(&t->define);

	mutex_lock(&t->lock);
	list_del(&site->node);
	last = list_empty(&event->sites);
	if (last) {
		event->removed = true;
		tracer_index_del_event(t, event);
		list_del(&event->node);
	}
	mutex_unlock(&t->lock);
	tracer_site_destroy(site);
	if (last)
		tracer_event_destroy(t, event);
}
