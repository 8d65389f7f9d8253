// SPDX-License-Identifier: GPL-2.0
/*
 * The directory events/: a directory per group, in it one per event.
 *
 * The removal of a directory waits for the reads and writes of its files.  So directories are
 * removed under tracer.define, which these reads and writes never take.  The objects that a file
 * refers to are freed only after the removal.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/uaccess.h>

#include "events_dir.h"
#include "files.h"
#include "trace/event/enable.h"
#include "trace/event/publish.h"
#include "trace/output/synth.h"

/* Show "0" or "1"; "X" if only some of the events are enabled, "?" if there are no events. */
static ssize_t show_events(struct tracer *t, const struct tracer_group *group,
			   char __user *ubuf, size_t count, loff_t *ppos)
{
	static const char states[] = "?01X";
	struct tracer_event *event;
	unsigned int seen = 0;
	char text[2];

	mutex_lock(&t->lock);
	list_for_each_entry(event, &t->events, node) {
		if (!group || event->group == group)
			seen |= event->enabled ? 2 : 1;
	}
	mutex_unlock(&t->lock);
	text[0] = states[seen];
	text[1] = '\n';
	return simple_read_from_buffer(ubuf, count, ppos, text, sizeof(text));
}

typedef int event_switch_fn(struct tracer *t, struct tracer_event *event, bool on);

/* Handle a write to a switch of one event: call @set, under the tracer's lock. */
static ssize_t event_switch_write(struct file *file, const char __user *ubuf, size_t count,
				  loff_t *ppos, event_switch_fn *set)
{
	struct tracer_event *event = file->private_data;
	struct tracer *t = event->group->tracer;
	bool on;
	int ret;

	ret = tracer_switch_parse(ubuf, count, &on);
	if (ret)
		return ret;
	mutex_lock(&t->lock);
	ret = event->removed ? -ENODEV : set(t, event, on);
	mutex_unlock(&t->lock);
	return tracer_written(ret, count, ppos);
}

static ssize_t event_enable_read(struct file *file, char __user *ubuf,
				 size_t count, loff_t *ppos)
{
	struct tracer_event *event = file->private_data;

	return tracer_switch_read(ubuf, count, ppos, READ_ONCE(event->enabled));
}

static ssize_t event_enable_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *ppos)
{
	return event_switch_write(file, ubuf, count, ppos, tracer_event_switch);
}

static const struct file_operations event_enable_fops =
	TRACER_FILE(event_enable_read, event_enable_write);

#ifdef TRACER_SYNTH
static ssize_t event_synthetic_read(struct file *file, char __user *ubuf,
				    size_t count, loff_t *ppos)
{
	struct tracer_event *event = file->private_data;

	return tracer_switch_read(ubuf, count, ppos,
				  rcu_access_pointer(event->synth));
}

static ssize_t event_synthetic_write(struct file *file, const char __user *ubuf,
				     size_t count, loff_t *ppos)
{
	return event_switch_write(file, ubuf, count, ppos, tracer_event_publish);
}

static const struct file_operations event_synthetic_fops =
	TRACER_FILE(event_synthetic_read, event_synthetic_write);
#endif

static ssize_t event_id_read(struct file *file, char __user *ubuf,
			     size_t count, loff_t *ppos)
{
	struct tracer_event *event = file->private_data;
	char text[16];
	int len = scnprintf(text, sizeof(text), "%u\n", event->format->id);

	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

static const struct file_operations event_id_fops = TRACER_FILE(event_id_read, NULL);

static int event_format_show(struct seq_file *m, void *v)
{
	struct tracer_text text = tracer_seq_text(m);
	struct tracer_event *event = m->private;

	tracer_render_format(&text, event->format->def, event->format->id);
	tracer_seq_commit(m, &text);
	return 0;
}

static int event_format_open(struct inode *inode, struct file *file)
{
	int ret = tracer_files_allowed(inode);

	return ret ?: single_open(file, event_format_show, inode->i_private);
}

/* Maximum number of hits that are recorded per second; 0 for no limit. */
static ssize_t event_rate_read(struct file *file, char __user *ubuf,
			       size_t count, loff_t *ppos)
{
	struct tracer_event *event = file->private_data;
	char text[16];
	int len = scnprintf(text, sizeof(text), "%u\n",
			    READ_ONCE(event->rate.limit));

	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

static ssize_t event_rate_write(struct file *file, const char __user *ubuf,
				size_t count, loff_t *ppos)
{
	struct tracer_event *event = file->private_data;
	unsigned int limit;
	int ret;

	ret = kstrtouint_from_user(ubuf, count, 10, &limit);
	if (!ret)
		WRITE_ONCE(event->rate.limit, limit);
	return tracer_written(ret, count, ppos);
}

static const struct file_operations event_rate_fops =
	TRACER_FILE(event_rate_read, event_rate_write);

static const struct file_operations event_format_fops = {
	.owner = THIS_MODULE,
	.open = event_format_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static ssize_t group_enable_read(struct file *file, char __user *ubuf,
				 size_t count, loff_t *ppos)
{
	struct tracer_group *group = file->private_data;

	return show_events(group->tracer, group, ubuf, count, ppos);
}

static ssize_t group_enable_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *ppos)
{
	struct tracer_group *group = file->private_data;
	bool on;
	int ret;

	ret = tracer_switch_parse(ubuf, count, &on);
	if (!ret)
		ret = tracer_events_switch(group->tracer, group, on);
	return tracer_written(ret, count, ppos);
}

static const struct file_operations group_enable_fops =
	TRACER_FILE(group_enable_read, group_enable_write);

static ssize_t all_enable_read(struct file *file, char __user *ubuf,
			       size_t count, loff_t *ppos)
{
	return show_events(file->private_data, NULL, ubuf, count, ppos);
}

static ssize_t all_enable_write(struct file *file, const char __user *ubuf,
				size_t count, loff_t *ppos)
{
	bool on;
	int ret;

	ret = tracer_switch_parse(ubuf, count, &on);
	if (!ret)
		ret = tracer_events_switch(file->private_data, NULL, on);
	return tracer_written(ret, count, ppos);
}

static const struct file_operations all_enable_fops =
	TRACER_FILE(all_enable_read, all_enable_write);

/* Create directory @name in @parent, with a file "enable". */
static int make_dir(const char *name, struct dentry *parent, void *data,
		    const struct file_operations *enable_fops,
		    struct dentry **dir)
{
	struct dentry *file;

	*dir = debugfs_create_dir(name, parent);
	if (IS_ERR(*dir))
		return PTR_ERR(*dir);
	file = debugfs_create_file("enable", 0640, *dir, data, enable_fops);
	if (IS_ERR(file)) {
		debugfs_remove(*dir);
		return PTR_ERR(file);
	}
	return 0;
}

static int make_group_dir(struct tracer_group *g)
{
	struct dentry *file;
	int ret;

	ret = make_dir(g->name, g->tracer->events_dir, g, &group_enable_fops,
		       &g->dir);
	if (ret)
		return ret;
	file = debugfs_create_file("filter", 0640, g->dir, g,
				   &tracer_group_filter_fops);
	if (IS_ERR(file)) {
		debugfs_remove(g->dir);
		return PTR_ERR(file);
	}
	return 0;
}

static int make_event_dir(struct tracer_event *event)
{
	static const struct {
		const char *name;
		umode_t mode;
		const struct file_operations *fops;
	} files[] = {
		{ "id", 0440, &event_id_fops },
		{ "format", 0440, &event_format_fops },
		{ "filter", 0640, &tracer_event_filter_fops },
		{ "rate_limit", 0640, &event_rate_fops },
#ifdef TRACER_SYNTH
		{ "synthetic", 0640, &event_synthetic_fops },
#endif
	};
	struct dentry *file;
	unsigned int i;
	int ret;

	ret = make_dir(event->format->def->event, event->group->dir, event,
		       &event_enable_fops, &event->dir);
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		file = debugfs_create_file(files[i].name, files[i].mode,
					   event->dir, event, files[i].fops);
		if (IS_ERR(file)) {
			debugfs_remove(event->dir);
			return PTR_ERR(file);
		}
	}
	return 0;
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
	t->dirs = &dir_ops;
	return make_dir("events", t->dir, t, &all_enable_fops, &t->events_dir);
}
