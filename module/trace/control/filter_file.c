// SPDX-License-Identifier: GPL-2.0
/*
 * The files "filter" of events and groups.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "files.h"
#include "trace/event/filtering.h"
#include "trace/lib/space.h"

/* Copy the written text; set *@text to it, without white space around it.  Return the memory. */
static char *copy_text(const char __user *ubuf, size_t count, char **text)
{
	char *buf;

	if (count > TRACER_FILTER_MAX + 1)
		return ERR_PTR(-EINVAL);
	buf = memdup_user_nul(ubuf, count);
	if (!IS_ERR(buf))
		*text = tracer_trim(buf);
	return buf;
}

static ssize_t event_filter_read(struct file *file, char __user *ubuf,
				 size_t count, loff_t *ppos)
{
	struct tracer_event *event = file->private_data;
	struct tracer *t = event->group->tracer;
	ssize_t ret;
	char *text;

	mutex_lock(&t->lock);
	text = kasprintf(GFP_KERNEL, "%s\n", event->filter_text ?: "none");
	mutex_unlock(&t->lock);
	if (!text)
		return -ENOMEM;
	ret = simple_read_from_buffer(ubuf, count, ppos, text, strlen(text));
	kfree(text);
	return ret;
}

/* Set the filter of @what, which is an event or a group.  Called under @t->lock. */
typedef int set_filter_fn(struct tracer *t, void *what, const char *text);

static ssize_t filter_write(struct tracer *t, void *what, set_filter_fn *set,
			    const char __user *ubuf, size_t count, loff_t *ppos)
{
	char *buf, *text;
	int ret;

	buf = copy_text(ubuf, count, &text);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	mutex_lock(&t->lock);
	ret = set(t, what, text);
	mutex_unlock(&t->lock);
	kfree(buf);
	return tracer_written(ret, count, ppos);
}

static int set_event_filter(struct tracer *t, void *what, const char *text)
{
	struct tracer_event *event = what;

	return event->removed ? -ENODEV :
	       tracer_event_set_filter(t, event, text, strlen(text));
}

static ssize_t event_filter_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *ppos)
{
	struct tracer_event *event = file->private_data;

	return filter_write(event->group->tracer, event, set_event_filter, ubuf, count, ppos);
}

const struct file_operations tracer_event_filter_fops =
	TRACER_FILE(event_filter_read, event_filter_write);

/* A group has no filter of its own: a write sets the filters of its events. */
static ssize_t group_filter_read(struct file *file, char __user *ubuf,
				 size_t count, loff_t *ppos)
{
	static const char text[] =
		"### global filter ###\n"
		"# Use this to set filters for multiple events.\n"
		"# Only events with the given fields will be affected.\n"
		"# If no events are modified, an error message will be displayed here\n";

	return simple_read_from_buffer(ubuf, count, ppos, text, strlen(text));
}

static int set_group_filter(struct tracer *t, void *what, const char *text)
{
	return tracer_group_set_filter(t, what, text, strlen(text));
}

static ssize_t group_filter_write(struct file *file, const char __user *ubuf,
				  size_t count, loff_t *ppos)
{
	struct tracer_group *group = file->private_data;

	return filter_write(group->tracer, group, set_group_filter, ubuf, count, ppos);
}

const struct file_operations tracer_group_filter_fops =
	TRACER_FILE(group_filter_read, group_filter_write);
