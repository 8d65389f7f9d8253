// SPDX-License-Identifier: GPL-2.0
/*
 * The directory events/: a directory per group, in it one per event.
 *
 * The removal of a directory waits for the reads and writes of its files.  So directories are
 * removed under tracer.define, which these reads and writes never take.  The objects that a file
 * refers to are freed only after the removal.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "events_dir.h"
#include "files.h"
#include "trace/event/enable.h"
#include "trace/event/filtering.h"
#include "trace/event/publish.h"
#include "trace/lib/space.h"
#include "trace/output/synth.h"

/* Show "0" or "1"; "X" if only some of the events are enabled, "?" if there are no events. */
static int show_enabled(struct seq_file *m, struct tracer *t, const struct tracer_group *group)
{
	static const char states[] = "?01X";
	struct tracer_event *event;
	unsigned int seen = 0;

	mutex_lock(&t->lock);
	list_for_each_entry(event, &t->events, node) {
		if (!group || event->group == group)
			seen |= event->enabled ? 2 : 1;
	}
	mutex_unlock(&t->lock);
	seq_printf(m, "%c\n", states[seen]);
	return 0;
}

typedef int event_switch_fn(struct tracer *t, struct tracer_event *event, bool on);

/* Handle a write to a switch of one event: call @set, under the tracer's lock. */
static int event_switch(struct tracer_event *event, const char *text, event_switch_fn *set)
{
	struct tracer *t = event->group->tracer;
	bool on;
	int ret;

	ret = tracer_switch_parse(text, &on);
	if (ret)
		return ret;
	mutex_lock(&t->lock);
	ret = event->removed ? -ENODEV : set(t, event, on);
	mutex_unlock(&t->lock);
	return ret;
}

static int enable_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer_event *event = f->of;

	return tracer_switch_show(m, READ_ONCE(event->enabled));
}

static int enable_store(const struct tracer_opened *f, char *text)
{
	return event_switch(f->of, text, tracer_event_switch);
}

#ifdef TRACER_SYNTH
static int synthetic_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer_event *event = f->of;

	return tracer_switch_show(m, rcu_access_pointer(event->synth));
}

static int synthetic_store(const struct tracer_opened *f, char *text)
{
	return event_switch(f->of, text, tracer_event_publish);
}
#endif

static int id_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer_event *event = f->of;

	seq_printf(m, "%u\n", event->format->id);
	return 0;
}

static int format_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer_text text = tracer_seq_text(m);
	struct tracer_event *event = f->of;

	tracer_render_format(&text, event->format->def, event->format->id);
	tracer_seq_commit(m, &text);
	return 0;
}

/* Maximum number of hits that are recorded per second; 0 for no limit. */
static int rate_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer_event *event = f->of;

	seq_printf(m, "%u\n", READ_ONCE(event->rate.limit));
	return 0;
}

static int rate_store(const struct tracer_opened *f, char *text)
{
	struct tracer_event *event = f->of;
	unsigned int limit;
	int ret;

	ret = kstrtouint(text, 10, &limit);
	if (!ret)
		WRITE_ONCE(event->rate.limit, limit);
	return ret;
}

static int filter_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer_event *event = f->of;
	struct tracer *t = event->group->tracer;

	mutex_lock(&t->lock);
	seq_printf(m, "%s\n", event->filter_text ?: "none");
	mutex_unlock(&t->lock);
	return 0;
}

static int filter_store(const struct tracer_opened *f, char *text)
{
	struct tracer_event *event = f->of;
	struct tracer *t = event->group->tracer;
	int ret = -ENODEV;

	if (strlen(text) > TRACER_FILTER_MAX + 1)
		return -EINVAL;
	text = tracer_trim(text);
	mutex_lock(&t->lock);
	if (!event->removed)
		ret = tracer_event_set_filter(t, event, text, strlen(text));
	mutex_unlock(&t->lock);
	return ret;
}

/* A group has no filter of its own: a write sets the filters of its events. */
static int group_filter_show(struct seq_file *m, const struct tracer_opened *f)
{
	seq_puts(m, "### global filter ###\n"
		    "# Use this to set filters for multiple events.\n"
		    "# Only events with the given fields will be affected.\n"
		    "# If no events are modified, an error message will be displayed here\n");
	return 0;
}

static int group_filter_store(const struct tracer_opened *f, char *text)
{
	struct tracer_group *group = f->of;
	struct tracer *t = group->tracer;
	int ret;

	if (strlen(text) > TRACER_FILTER_MAX + 1)
		return -EINVAL;
	text = tracer_trim(text);
	mutex_lock(&t->lock);
	ret = tracer_group_set_filter(t, group, text, strlen(text));
	mutex_unlock(&t->lock);
	return ret;
}

static int group_enable_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer_group *group = f->of;

	return show_enabled(m, group->tracer, group);
}

static int group_enable_store(const struct tracer_opened *f, char *text)
{
	struct tracer_group *group = f->of;
	bool on;
	int ret = tracer_switch_parse(text, &on);

	return ret ?: tracer_events_switch(group->tracer, group, on);
}

static int all_enable_show(struct seq_file *m, const struct tracer_opened *f)
{
	return show_enabled(m, f->of, NULL);
}

static int all_enable_store(const struct tracer_opened *f, char *text)
{
	bool on;
	int ret = tracer_switch_parse(text, &on);

	return ret ?: tracer_events_switch(f->of, NULL, on);
}

const struct tracer_file tracer_event_files[] = {
	{ "enable", 0640, .session = true, .show = enable_show, .store = enable_store },
	{ "id", 0440, .show = id_show },
	{ "format", 0440, .show = format_show },
	{ "filter", 0640, .session = true, .show = filter_show, .store = filter_store },
	{ "rate_limit", 0640, .session = true, .show = rate_show, .store = rate_store },
#ifdef TRACER_SYNTH
	{ "synthetic", 0640, .show = synthetic_show, .store = synthetic_store },
#endif
	{}
};

const struct tracer_file tracer_group_files[] = {
	{ "enable", 0640, .session = true, .show = group_enable_show, .store = group_enable_store },
	{ "filter", 0640, .show = group_filter_show, .store = group_filter_store },
	{}
};

const struct tracer_file tracer_all_events_files[] = {
	{ "enable", 0640, .session = true, .show = all_enable_show, .store = all_enable_store },
	{}
};

static int make_group_dir(struct tracer_group *g)
{
	return tracer_dir_create(g->name, g->tracer->dirs.events, g, tracer_group_files, &g->dir);
}

static int make_event_dir(struct tracer_event *event)
{
	return tracer_dir_create(event->format->def->event, event->group->dir, event,
				 tracer_event_files, &event->dir);
}

static const struct tracer_dir_ops dir_ops = {
	.add_group = make_group_dir,
	.add_event = make_event_dir,
};

/**
 * tracer_events_dir_create() - create events/
 * @t: the tracer, with its directory; its groups and events get directories from now on
 *
 * Return: 0 or -errno.
 */
int tracer_events_dir_create(struct tracer *t)
{
	t->dirs.ops = &dir_ops;
	return tracer_dir_create("events", t->dirs.dir, t, tracer_all_events_files,
				 &t->dirs.events);
}
