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
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "files.h"
#include "trace/event/enable.h"
#include "trace/lib/space.h"

#define WRITE_MAX	65536	/* bytes that one write takes at most */

static void *any_start(struct seq_file *m, loff_t *pos)
{
	struct tracer *t = m->private;

	mutex_lock(&t->lock);
	return seq_list_start(&t->events, *pos);
}

static void *any_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct tracer *t = m->private;

	return seq_list_next(v, &t->events, pos);
}

static void any_stop(struct seq_file *m, void *v)
{
	struct tracer *t = m->private;

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

static int open_events(struct inode *inode, struct file *file, const struct seq_operations *ops)
{
	int ret = tracer_files_allowed(inode);

	ret = ret ?: seq_open(file, ops);
	if (!ret)
		((struct seq_file *)file->private_data)->private = inode->i_private;
	return ret;
}

static int available_open(struct inode *inode, struct file *file)
{
	return open_events(inode, file, &any_seq_ops);
}

const struct file_operations tracer_available_fops = {
	.owner = THIS_MODULE,
	.open = available_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

static int set_open(struct inode *inode, struct file *file)
{
	int ret = open_events(inode, file, &enabled_seq_ops);

	if (!ret && (file->f_mode & FMODE_WRITE) && (file->f_flags & O_TRUNC))
		tracer_events_switch(inode->i_private, NULL, false);
	return ret;
}

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
static ssize_t set_write(struct file *file, const char __user *ubuf, size_t count, loff_t *ppos)
{
	struct seq_file *m = file->private_data;
	char *text, *p;
	int ret = 0;

	if (count > WRITE_MAX)
		return -E2BIG;
	text = memdup_user_nul(ubuf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	for (p = tracer_skip_space(text); *p && !ret; p = tracer_skip_space(p)) {
		char *word = p;

		while (*p && !tracer_is_space(*p))
			p++;
		if (*p)
			*p++ = '\0';
		ret = set_word(m->private, word);
	}
	kfree(text);
	return tracer_written(ret, count, ppos);
}

const struct file_operations tracer_set_event_fops = {
	.owner = THIS_MODULE,
	.open = set_open,
	.read = seq_read,
	.write = set_write,
	.llseek = seq_lseek,
	.release = seq_release,
};
