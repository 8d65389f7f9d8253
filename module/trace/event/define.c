// SPDX-License-Identifier: GPL-2.0
/*
 * Define and remove events.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "define.h"
#include "blocks.h"
#include "enable.h"
#include "event.h"
#include "index.h"
#include "publish.h"
#include "site.h"
#include "trace/parse/parse.h"

static const struct tracer_def *event_def(const struct tracer_event *event)
{
	return event->format->def;
}

static void add_site(struct tracer_event *event, struct tracer_site *site)
{
	site->format = event->format;
	tracer_blocks_allow(site);
	list_add_tail(&site->node, &event->sites);
}

/* Check the arguments of a further definition: all records of an event have the same fields. */
static int compare_args(const struct tracer_def *have,
			const struct tracer_def *def, struct tracer_diag *diag)
{
	const struct tracer_arg *a, *b;
	unsigned int i;

	for (i = 0; i < def->nargs; i++) {
		if (i == have->nargs)
			return tracer_diag_fail(diag, TRACER_ERR_DIFF_ARG_TYPE,
				    def->args[i].column, -EEXIST);
		a = &have->args[i];
		b = &def->args[i];
		if (a->type != b->type || a->count != b->count ||
		    strcmp(a->name, b->name))
			return tracer_diag_fail(diag, TRACER_ERR_DIFF_ARG_TYPE, b->column,
				    -EEXIST);
	}
	if (i < have->nargs)
		return tracer_diag_fail(diag, TRACER_ERR_DIFF_ARG_TYPE,
			    def->length, -EEXIST);
	return 0;
}

static int index_site(struct tracer *t, struct tracer_event *event,
		      struct tracer_site *site, struct tracer_diag *diag)
{
	int ret;

	site->event = event;
	ret = tracer_index_add_site(t, site);
	return ret ? tracer_diag_fail(diag, ret == -EEXIST ? TRACER_ERR_SAME_PROBE :
						 TRACER_ERR_NO_MEMORY, 0, ret) : 0;
}

/* Check whether @site may join @event.  If so, enter it in the index. */
static int check_site(struct tracer *t, struct tracer_event *event,
		      struct tracer_site *site, struct tracer_diag *diag)
{
	const struct tracer_def *have = event_def(event), *def = site->def;
	int ret;

	if (have->kind != def->kind)
		return tracer_diag_fail(diag, TRACER_ERR_DIFF_PROBE_TYPE, 0, -EEXIST);
	ret = compare_args(have, def, diag);
	return ret ?: index_site(t, event, site, diag);
}

static int join_event(struct tracer *t, struct tracer_event *event,
		      struct tracer_site *site, struct tracer_diag *diag)
{
	int ret;

	ret = check_site(t, event, site, diag);
	if (ret)
		return ret;

	mutex_lock(&t->lock);
	add_site(event, site);
	if (event->enabled && t->live) {
		list_add_tail(&site->batch, &t->starting);
	} else if (event->enabled) {
		diag->column = site->def->path_column;
		ret = tracer_site_register(site, diag);
		site->registered = !ret;
		if (ret)
			list_del(&site->node);
	}
	mutex_unlock(&t->lock);
	return ret;
}

/* Enter a new event and its first site in the index. */
static int index_event(struct tracer *t, struct tracer_event *event,
		       struct tracer_site *site, struct tracer_diag *diag)
{
	int ret;

	ret = tracer_index_add_event(t, event);
	if (ret)
		return tracer_diag_fail(diag, TRACER_ERR_NO_MEMORY, 0, ret);
	ret = index_site(t, event, site, diag);
	if (ret)
		tracer_index_del_event(t, event);
	return ret;
}

static int define_probe(struct tracer *t, struct tracer_def *def,
			unsigned int lineno, struct tracer_diag *diag)
{
	struct tracer_event *event;
	struct tracer_site *site;
	int ret;

	site = tracer_site_create(t, def, diag);
	if (IS_ERR(site)) {
		tracer_def_free(def);
		return PTR_ERR(site);
	}

	site->lineno = lineno;
	event = tracer_event_find(t, def->group, def->event);
	if (event) {
		ret = join_event(t, event, site, diag);
		if (ret)
			tracer_site_destroy(site);
		return ret;
	}

	event = tracer_event_create(t, def, diag);
	if (IS_ERR(event)) {
		tracer_site_destroy(site);
		return PTR_ERR(event);
	}
	ret = index_event(t, event, site, diag);
	if (ret) {
		/* The format owns the definition, and frees it. */
		site->format = event->format;
		tracer_site_destroy(site);
		tracer_event_destroy(t, event);
		return ret;
	}
	mutex_lock(&t->lock);
	add_site(event, site);
	list_add_tail(&event->node, &t->events);
	event->removed = false;
	if (t->live) {
		event->enabled = true;
		list_add_tail(&site->batch, &t->starting);
	}
	mutex_unlock(&t->lock);
	return 0;
}

static bool event_matches(const struct tracer_event *event,
			  const struct tracer_def *def)
{
	return (!def->group[0] || !strcmp(event->group->name, def->group)) &&
	       (!def->event[0] || !strcmp(event_def(event)->event, def->event));
}

static bool site_matches(const struct tracer_site *site,
			 const struct tracer_def *def)
{
	return !def->has_path || (site->def->offset == def->offset &&
				  !strcmp(site->def->path, def->path));
}

/*
 * Find the next event after @event that @def matches, or the first one if @event is NULL.  If @def
 * is NULL, any event matches.  If you remove @event, look up the next event first.
 */
static struct tracer_event *next_match(struct tracer *t, const struct tracer_def *def,
				       struct tracer_event *event)
{
	lockdep_assert_held(&t->lock);

	if (def && def->group[0] && def->event[0])
		return event ? NULL : tracer_event_find(t, def->group, def->event);
	event = list_prepare_entry(event, &t->events, node);
	list_for_each_entry_continue(event, &t->events, node) {
		if (!def || event_matches(event, def))
			return event;
	}
	return NULL;
}

/*
 * Remove the matches of @def from the tracer's lists.  If all sites of an event match, move the
 * event to @events; otherwise move its matching sites to @sites.  If @def is NULL, all match.
 */
static void unlink_matches(struct tracer *t, const struct tracer_def *def,
			   struct list_head *events, struct list_head *sites)
{
	struct tracer_event *event, *next_event;
	struct tracer_site *site, *next_site;
	bool whole;

	for (event = next_match(t, def, NULL); event; event = next_event) {
		next_event = next_match(t, def, event);
		whole = true;
		list_for_each_entry(site, &event->sites, node) {
			whole = !def || site_matches(site, def);
			if (!whole)
				break;
		}
		if (whole) {
			event->removed = true;
			tracer_index_del_event(t, event);
			list_move_tail(&event->node, events);
			continue;
		}
		list_for_each_entry_safe(site, next_site, &event->sites, node) {
			if (site_matches(site, def))
				list_move_tail(&site->node, sites);
		}
	}
}

/* Check that there is a match, and that no match is enabled, unless this is a session. */
static int check_matches(struct tracer *t, const struct tracer_def *def)
{
	struct tracer_event *event = NULL;
	struct tracer_site *site;
	int ret = -ENOENT;

	while ((event = next_match(t, def, event))) {
		list_for_each_entry(site, &event->sites, node) {
			if (def && !site_matches(site, def))
				continue;
			if (event->enabled && !t->live)
				return -EBUSY;
			ret = 0;
			break;
		}
	}
	return ret;
}

/* Remove the matches of @def, or everything if it is NULL. */
static int remove_matches(struct tracer *t, const struct tracer_def *def)
{
	struct tracer_event *event, *next_event;
	struct tracer_site *site, *next_site;
	LIST_HEAD(events);
	LIST_HEAD(sites);
	int ret;

	lockdep_assert_held(&t->define);

	mutex_lock(&t->lock);
	ret = check_matches(t, def);
	if (!ret) {
		unlink_matches(t, def, &events, &sites);
		/* In a session, their probes are registered. */
		tracer_unlinked_disable(t, &events, &sites);
		list_for_each_entry(event, &events, node)
			tracer_event_publish(t, event, false);
	}
	mutex_unlock(&t->lock);
	if (ret)
		return ret;

	list_for_each_entry_safe(site, next_site, &sites, node)
		tracer_site_destroy(site);
	list_for_each_entry_safe(event, next_event, &events, node) {
		list_for_each_entry_safe(site, next_site, &event->sites, node)
			tracer_site_destroy(site);
		tracer_event_destroy(t, event);
	}
	return 0;
}

static int remove_events(struct tracer *t, const struct tracer_def *def,
			 struct tracer_diag *diag)
{
	int ret = remove_matches(t, def);

	switch (ret) {
	case -ENOENT:
		return tracer_diag_fail(diag, TRACER_ERR_NO_SUCH_EVENT, 2, ret);
	case -EBUSY:
		return tracer_diag_fail(diag, TRACER_ERR_EVENT_BUSY, 2, ret);
	default:
		return ret;
	}
}

/**
 * tracer_define() - carry out a line of uprobe_events
 * @t: the tracer
 * @line: the line, without its newline
 * @len: its length
 * @lineno: number of the line in the write, from 1; 0 if it is the only one
 *
 * In a session, tracer_start() registers the probes.
 *
 * Context: under @t->define.
 * Return: 0, or -errno; then error_log has the details and nothing has changed.
 */
int tracer_define(struct tracer *t, const char *line, size_t len,
		  unsigned int lineno)
{
	struct tracer_diag diag = {};
	struct tracer_def *def;
	int ret;

	lockdep_assert_held(&t->define);

	def = tracer_def_parse(line, len, &diag);
	if (IS_ERR(def)) {
		ret = PTR_ERR(def);
		goto log;
	}

	switch (def->kind) {
	case TRACER_PROBE:
	case TRACER_RETURN:
		ret = define_probe(t, def, lineno, &diag);
		break;
	case TRACER_REMOVE:
		ret = tracer_start(t);
		if (!ret)
			ret = remove_events(t, def, &diag);
		tracer_def_free(def);
		break;
	default:
		ret = 0;
		tracer_def_free(def);
		break;
	}
log:
	if (ret && diag.err)
		tracer_errlog_add(t->errors, line, len, lineno, &diag);
	return ret;
}

/**
 * tracer_remove_all() - remove all events
 * @t: the tracer
 *
 * Return: 0, or -EBUSY if one of them is enabled; then none is removed.
 */
int tracer_remove_all(struct tracer *t)
{
	int ret;

	mutex_lock(&t->define);
	ret = remove_matches(t, NULL);
	mutex_unlock(&t->define);
	return ret == -ENOENT ? 0 : ret;
}
