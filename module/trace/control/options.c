// SPDX-License-Identifier: GPL-2.0
/*
 * trace_options, and options/ with a file for each option.
 */
#include <linux/string.h>

#include "options.h"
#include "files.h"
#include "trace/event/pids.h"
#include "trace/event/event_types.h"
#include "trace/lib/space.h"

static int follow(struct tracer *t, bool on)
{
	int ret = tracer_pids_follow(&t->pids[TRACER_PIDS_ONLY], on);

	if (ret)
		return ret;
	ret = tracer_pids_follow(&t->pids[TRACER_PIDS_NEVER], on);
	if (ret)
		tracer_pids_follow(&t->pids[TRACER_PIDS_ONLY], false);
	return ret;
}

static int set(struct tracer *t, enum tracer_option option, bool on)
{
	unsigned long bit = 1UL << option;
	int ret = 0;

	lockdep_assert_held(&t->lock);

	if (option == TRACER_OPT_EVENT_FORK)
		ret = follow(t, on);
	if (option == TRACER_OPT_OVERWRITE)
		ring_buffer_change_overwrite(t->buffer.rb, on);
	/* The stack of a hit is there only when the hit happens. */
	if (option == TRACER_OPT_USERSTACKTRACE && on != t->no_rings) {
		uprobes_disable_rings(on);
		t->no_rings = on;
	}
	if (!ret)
		WRITE_ONCE(t->options, on ? t->options | bit : t->options & ~bit);
	return ret;
}

static int option_show(struct seq_file *m, const struct tracer_opened *f)
{
	return tracer_switch_show(m, tracer_option(f->of, f->row->which));
}

static int option_store(const struct tracer_opened *f, char *text)
{
	struct tracer *t = f->of;
	bool on;
	int ret;

	ret = tracer_switch_parse(text, &on);
	if (ret)
		return ret;
	mutex_lock(&t->lock);
	ret = set(t, f->row->which, on);
	mutex_unlock(&t->lock);
	return ret;
}

#define OPTION(title, option)							\
	{ title, 0640, .session = true, .which = option, .show = option_show,	\
	  .store = option_store }

/* The files of options/.  Their object is the tracer. */
const struct tracer_file tracer_option_files[] = {
	OPTION("overwrite", TRACER_OPT_OVERWRITE),
	OPTION("context-info", TRACER_OPT_CONTEXT_INFO),
	OPTION("irq-info", TRACER_OPT_IRQ_INFO),
	OPTION("record-tgid", TRACER_OPT_RECORD_TGID),
	OPTION("userstacktrace", TRACER_OPT_USERSTACKTRACE),
	OPTION("event-fork", TRACER_OPT_EVENT_FORK),
	OPTION("nanoseconds", TRACER_OPT_NANOSECONDS),
	{}
};

static int options_show(struct seq_file *m, const struct tracer_opened *f)
{
	const struct tracer_file *option;

	for (option = tracer_option_files; option->name; option++)
		seq_printf(m, "%s%s\n", tracer_option(f->of, option->which) ? "" : "no",
			   option->name);
	return 0;
}

static int options_store(const struct tracer_opened *f, char *text)
{
	char *name = tracer_trim(text);
	bool on = strncmp(name, "no", 2);
	struct tracer_opened option = *f;

	option.row = tracer_file_of_session(tracer_option_files, on ? name : name + 2);
	return option.row ? option_store(&option, on ? "1" : "0") : -EINVAL;
}

/* Its object is the tracer. */
static const struct tracer_file options_files[] = {
	{ "trace_options", 0640, .show = options_show, .store = options_store },
	{}
};

/**
 * tracer_options_init() - create trace_options and options/
 * @t: the tracer, with its directory
 *
 * Return: 0 or -errno.
 */
int tracer_options_init(struct tracer *t)
{
	struct dentry *dir;

	return tracer_files_create(t->dirs.dir, options_files) ?:
	       tracer_dir_create("options", t->dirs.dir, t, tracer_option_files, &dir);
}
