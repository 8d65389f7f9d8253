// SPDX-License-Identifier: GPL-2.0
/*
 * The filters of events.
 */
#include <linux/debugfs.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "filtering.h"
#include "pids.h"
#include "trace/lib/space.h"
#include "trace/parse/parse.h"

/* As tracefs has it, a filter that is wrong is shown with what is wrong. */
static char *explain(const char *text, size_t len, const struct tracer_diag *diag)
{
	size_t column = min_t(size_t, diag->column, len);

	return kasprintf(GFP_KERNEL, "%.*s\n%*s\nparse_error: %s", (int)len, text,
			 (int)column + 1, "^", tracer_err_text(diag->err));
}

/**
 * struct change - another filter for an event
 * @event: the event
 * @filter: the filter, or NULL for none; the old one when they have been exchanged
 * @text: what its file shows, in the same way
 */
struct change {
	struct tracer_event *event;
	struct tracer_filter *filter;
	char *text;
};

static void free_filter(struct tracer_filter *filter)
{
	if (filter && filter->ns)
		put_pid_ns(filter->ns);
	tracer_filter_free(filter);
}

/* 0, -EINVAL or -ENOMEM, with what is wrong in @diag; nothing is to be freed then. */
static int prepare(struct change *change, struct tracer_event *event, const char *text,
		   size_t len, struct tracer_diag *diag)
{
	struct pid_namespace *ns = tracer_pids_ns();
	struct tracer_filter *filter;

	*change = (struct change){ .event = event };
	if (len == 1 && *text == '0')
		return 0;
	filter = tracer_filter_parse(event->format->def, text, len, diag);
	if (IS_ERR(filter))
		return PTR_ERR(filter);
	change->text = kstrdup(filter->text, GFP_KERNEL);
	if (!change->text) {
		tracer_filter_free(filter);
		diag->err = TRACER_ERR_NO_MEMORY;
		return -ENOMEM;
	}
	if (ns && ns != event->group->tracer->ns)
		filter->ns = get_pid_ns(ns);
	change->filter = filter;
	return 0;
}

static void release(struct change *changes, unsigned int n)
{
	while (n--) {
		free_filter(changes[n].filter);
		kfree(changes[n].text);
	}
}

/* A group may have thousands of filters: their handlers are waited for once. */
static void carry_out(struct change *changes, unsigned int n)
{
	bool any = false;
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct tracer_event *event = changes[i].event;

		changes[i].filter = rcu_replace_pointer(event->filter, changes[i].filter, true);
		swap(event->filter_text, changes[i].text);
		any |= !!changes[i].filter;
	}
	if (any)
		synchronize_rcu_expedited();
	release(changes, n);
}

/**
 * tracer_event_set_filter() - give an event another filter
 * @t: the tracer
 * @event: the event
 * @text: the filter; "0" for none
 * @len: its length
 *
 * As tracefs has it, a filter that is wrong leaves the event without any; its
 * file and error_log show why.  Without memory the event keeps the one it has.
 *
 * Context: under @t->lock.
 * Return: 0 or -errno.
 */
int tracer_event_set_filter(struct tracer *t, struct tracer_event *event,
			    const char *text, size_t len)
{
	struct tracer_diag diag = {};
	struct change change;
	int ret;

	lockdep_assert_held(&t->lock);

	ret = prepare(&change, event, text, len, &diag);
	if (ret)
		tracer_errlog_add(t->errors, text, len, 0, &diag);
	if (ret == -EINVAL) {
		change.text = explain(text, min_t(size_t, len, TRACER_FILTER_MAX), &diag);
		if (!change.text)
			return -ENOMEM;
	}
	if (ret != -ENOMEM)
		carry_out(&change, 1);
	return ret;
}

/**
 * tracer_event_drop_filter() - free the filter of an event
 * @event: disabled: no handler uses it
 */
void tracer_event_drop_filter(struct tracer_event *event)
{
	free_filter(rcu_dereference_protected(event->filter, true));
	kfree(event->filter_text);
}

/**
 * tracer_group_set_filter() - give the events of a group another filter
 * @t: the tracer
 * @group: the group
 * @text: the filter; "0" for none
 * @len: its length
 *
 * Those events get it that have its fields; one at least.  When it fails, all keep
 * those they have.
 *
 * Context: under @t->lock.
 * Return: 0 or -errno.
 */
int tracer_group_set_filter(struct tracer *t, const struct tracer_group *group,
			    const char *text, size_t len)
{
	unsigned int in_group = 0, n = 0;
	struct tracer_diag diag = {};
	struct tracer_event *event;
	struct change *changes;
	int ret = -EINVAL;

	lockdep_assert_held(&t->lock);

	list_for_each_entry(event, &t->events, node)
		in_group += event->group == group;
	if (!in_group)
		return -EINVAL;
	changes = kvcalloc(in_group, sizeof(*changes), GFP_KERNEL);
	if (!changes)
		return -ENOMEM;

	list_for_each_entry(event, &t->events, node) {
		if (event->group != group)
			continue;
		ret = prepare(&changes[n], event, text, len, &diag);
		n += !ret;
		if (ret == -ENOMEM)
			break;
	}
	if (ret != -ENOMEM && n) {
		carry_out(changes, n);
		ret = 0;
	} else {
		/* None took it, for which the last one's reason stands. */
		tracer_errlog_add(t->errors, text, len, 0, &diag);
		release(changes, n);
	}
	kvfree(changes);
	return ret;
}
