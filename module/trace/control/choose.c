// SPDX-License-Identifier: GPL-2.0
/*
 * The files that name events: available_events, and set_event, which enables them by name.
 *
 * set_event accepts words:
 *
 *	[!]GROUP:EVENT, [!]GROUP:*, [!]*:EVENT, [!]*:*		a * may be left out
 *	[!]NAME							of a group, or of events
 *
 * A word with a '!' disables its events.
 */
#include <linux/string.h>

#include "files.h"
#include "trace/event/enable.h"
#include "trace/lib/space.h"

static void *any_start(struct seq_file *m, loff_t *pos)
{
	struct tracer *t = tracer_seq_object(m);

	mutex_lock(&t->lock);
	return seq_list_start(&t->events, *pos);
}

static void *any_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct tracer *t = tracer_seq_object(m);

	return seq_list_next(v, &t->events, pos);
}

static void any_stop(struct seq_file *m, void *v)
{
	struct tracer *t = tracer_seq_object(m);

	mutex_unlock(&t->lock);
}

static int any_show(struct seq_file *m, void *v)
{
	const struct tracer_event *event = list_entry(v, struct tracer_event, node);

	seq_printf(m, "%s:%s\n", event->group->name, event->format->def->event);
	return 0;
}

static int enabled_show(struct seq_file *m, void *v)
{
	const struct tracer_event *event = list_entry(v, struct tracer_event, node);

	return event->enabled ? any_show(m, v) : 0;
}

static const struct seq_operations any_seq_ops = {
	.start = any_start,
	.next = any_next,
	.stop = any_stop,
	.show = any_show,
};

static const struct seq_operations enabled_seq_ops = {
	.start = any_start,
	.next = any_next,
	.stop = any_stop,
	.show = enabled_show,
};

static const char *given(const char *name)
{
	return *name && strcmp(name, "*") ? name : NULL;
}

static int set_word(struct tracer *t, char *word)
{
	struct tracer_choice choice = {};
	bool on = *word != '!';
	char *colon;

	word += !on;
	colon = strchr(word, ':');
	if (colon) {
		*colon = '\0';
		choice.group_name = given(word);
		choice.event_name = given(colon + 1);
	} else {
		choice.either = given(word);
	}
	return tracer_events_choose(t, &choice, on);
}

/* Carry out the written words, up to the first one that fails. */
static int set_store(const struct tracer_opened *f, char *text)
{
	char *p, *word;
	int ret = 0;

	for (p = tracer_skip_space(text); *p && !ret; p = tracer_skip_space(p)) {
		word = p;
		while (*p && !tracer_is_space(*p))
			p++;
		if (*p)
			*p++ = '\0';
		ret = set_word(f->of, word);
	}
	return ret;
}

static int set_truncate(const struct tracer_opened *f)
{
	return tracer_events_switch(f->of, NULL, false);
}

/* Their object is the tracer. */
const struct tracer_file tracer_choice_files[] = {
	{ "available_events", 0440, .list = &any_seq_ops },
	{ "set_event", 0640, .list = &enabled_seq_ops, .store = set_store,
	  .truncate = set_truncate },
	{}
};
