// SPDX-License-Identifier: GPL-2.0
/*
 * The directory events/: a directory per group, in it one per event.
 *
 * Removing a directory waits until nobody is inside a read or write of its
 * files, so it happens under tracer.define, which they never take, and what a
 * file refers to is freed only afterwards.
 */
#include <linux/debugfs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "files.h"
#include "trace/event/tracer.h"

/* "0", "1", "X" for some of each, "?" for no events at all. */
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

static ssize_t event_enable_read(struct file *file, char __user *ubuf,
				 size_t count, loff_t *ppos)
{
	struct tracer_event *event = file->private_data;

	return tracer_switch_read(ubuf, count, ppos, READ_ONCE(event->enabled));
}

/**
 * tracer_event_switch_write() - a switch of one event has been written
 * @file: the file, whose private data is the event
 * @ubuf: 0 or 1
 * @count: how many bytes
 * @ppos: position in the file
 * @set: what there is to be done, under the tracer's lock
 *
 * Return: what write() returns.
 */
ssize_t tracer_event_switch_write(struct file *file, const char __user *ubuf, size_t count,
				  loff_t *ppos, tracer_event_switch_fn *set)
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

static ssize_t event_enable_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *ppos)
{
	return tracer_event_switch_write(file, ubuf, count, ppos, tracer_event_switch);
}

static const struct file_operations event_enable_fops = {
	.owner = THIS_MODULE,
	.open = tracer_private_open,
	.read = event_enable_read,
	.write = event_enable_write,
	.llseek = default_llseek,
};

static ssize_t event_id_read(struct file *file, char __user *ubuf,
			     size_t count, loff_t *ppos)
{
	struct tracer_event *event = file->private_data;
	char text[16];
	int len = scnprintf(text, sizeof(text), "%u\n", event->format->id);

	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

static const struct file_operations event_id_fops = {
	.owner = THIS_MODULE,
	.open = tracer_private_open,
	.read = event_id_read,
	.llseek = default_llseek,
};

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
	int ret = tracer_files_allowed();

	return ret ?: single_open(file, event_format_show, inode->i_private);
}

/* Hits a second that are recorded at most; 0 for all. */
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

static const struct file_operations event_rate_fops = {
	.owner = THIS_MODULE,
	.open = tracer_private_open,
	.read = event_rate_read,
	.write = event_rate_write,
	.llseek = default_llseek,
};

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

static const struct file_operations group_enable_fops = {
	.owner = THIS_MODULE,
	.open = tracer_private_open,
	.read = group_enable_read,
	.write = group_enable_write,
	.llseek = default_llseek,
};

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

static const struct file_operations all_enable_fops = {
	.owner = THIS_MODULE,
	.open = tracer_private_open,
	.read = all_enable_read,
	.write = all_enable_write,
	.llseek = default_llseek,
};

/* Make directory @name in @parent with a file "enable". */
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

/**
 * tracer_dirs_init() - make events/
 * @t: the tracer, with its directory
 *
 * Return: 0 or -errno.
 */
int tracer_dirs_init(struct tracer *t)
{
	return make_dir("events", t->dir, t, &all_enable_fops, &t->events_dir);
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

/**
 * tracer_group_find() - a group by its name
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
 * tracer_group_add() - find or make the group of a new event
 * @t: the tracer
 * @name: name of the group
 * @group: the group, with one event more
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
	ret = t->dir ? make_group_dir(g) : 0;
	if (ret) {
		kfree(g);
		return ret;
	}
	list_add_tail(&g->node, &t->groups);
	*group = g;
	return 0;
}

/**
 * tracer_group_remove() - one event less
 * @group: its group, which goes with its last event
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

/**
 * tracer_event_dir_add() - make the directory of an event
 * @event: with its group and format
 *
 * Context: under tracer.define.
 * Return: 0 or -errno.
 */
int tracer_event_dir_add(struct tracer_event *event)
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
#if IS_ENABLED(CONFIG_SYNTH_EVENTS)
		{ "synthetic", 0640, &tracer_event_synthetic_fops },
#endif
	};
	struct dentry *file;
	unsigned int i;
	int ret;

	lockdep_assert_held(&event->group->tracer->define);

	if (!event->group->dir)
		return 0;
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

/**
 * tracer_event_dir_remove() - remove the directory of an event
 * @event: the event, of which nobody uses a file when this returns
 *
 * Context: under tracer.define, not under tracer.lock.
 */
void tracer_event_dir_remove(struct tracer_event *event)
{
	lockdep_assert_held(&event->group->tracer->define);

	debugfs_remove(event->dir);
}
