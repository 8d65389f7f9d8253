// SPDX-License-Identifier: GPL-2.0
/*
 * The filters of events.
 */
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filtering.h"
#include "conditions.h"
#include "pids.h"
#include "trace/parse/parse.h"

/* As in tracefs, the filter file shows a rejected filter with its error. */
static char *explain(const char *text, size_t len, const struct tracer_diag *diag)
{
	size_t column = min_t(size_t, diag->column, len);

	return kasprintf(GFP_KERNEL, "%.*s\n%*s\nparse_error: %s", (int)len, text,
			 (int)column + 1, "^", tracer_err_text(diag->err));
}

/**
 * struct change - a change of an event's filter
 * @event: the event
 * @filter: the new filter, or NULL for none; after the exchange, the old filter
 * @text: likewise, the content of the filter file
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

/* Prepare a change.  Return 0, or -EINVAL or -ENOMEM with @diag set and nothing to be freed. */
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

/* Make changes.  Wait for handlers once for all of them: a group may have thousands of filters. */
static void carry_out(struct change *changes, unsigned int n)
{
	struct tracer_site *site;
	bool any = false;
	unsigned int i;

	/* Hits until now are judged by the filters until now. */
	uprobes_empty_rings();
	for (i = 0; i < n; i++) {
		struct tracer_event *event = changes[i].event;

		changes[i].filter = rcu_replace_pointer(event->filter, changes[i].filter, true);
		swap(event->filter_text, changes[i].text);
		any |= !!changes[i].filter;
		list_for_each_entry(site, &event->sites, node)
			tracer_site_conditions(site);
	}
	if (any)
		synchronize_rcu_expedited();
	release(changes, n);
}

/**
 * tracer_event_set_filter() - set the filter of an event
 * @t: the tracer
 * @event: the event
 * @text: the filter; "0" for none
 * @len: its length
 *
 * As in tracefs, if the filter is wrong, the event has no filter afterwards.  The filter file and
 * error_log show the error.  If there is no memory, the event keeps its old filter.
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
 * @event: the event, disabled: no handler uses the filter
 */
void tracer_event_drop_filter(struct tracer_event *event)
{
	free_filter(rcu_dereference_protected(event->filter, true));
	kfree(event->filter_text);
}

/**
 * tracer_group_set_filter() - set the filter of the events of a group
 * @t: the tracer
 * @group: the group
 * @text: the filter; "0" for none
 * @len: its length
 *
 * Set it for each event that has the fields of the filter.  If no event has them, fail.  After an
 * error, all events keep their filters.
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
		/* No event could take the filter.  Log the error of the last one. */
		tracer_errlog_add(t->errors, text, len, 0, &diag);
		release(changes, n);
	}
	kvfree(changes);
	return ret;
}
