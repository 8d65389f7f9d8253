// SPDX-License-Identifier: GPL-2.0
/*
 * trace_options, and options/ with a file for each option.
 */
#include <linux/debugfs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "options.h"
#include "files.h"
#include "trace/event/pids.h"
#include "trace/event/tracer.h"
#include "trace/lib/space.h"

static const char * const names[TRACER_OPTIONS] = {
	[TRACER_OPT_OVERWRITE] = "overwrite",
	[TRACER_OPT_CONTEXT_INFO] = "context-info",
	[TRACER_OPT_IRQ_INFO] = "irq-info",
	[TRACER_OPT_RECORD_TGID] = "record-tgid",
	[TRACER_OPT_USERSTACKTRACE] = "userstacktrace",
	[TRACER_OPT_EVENT_FORK] = "event-fork",
	[TRACER_OPT_NANOSECONDS] = "nanoseconds",
};

static int set(struct tracer *t, enum tracer_option option, bool on)
{
	unsigned long bit = 1UL << option;
	int ret = 0;

	lockdep_assert_held(&t->lock);

	if (option == TRACER_OPT_EVENT_FORK)
		ret = tracer_pids_follow(&t->pids, on);
	if (option == TRACER_OPT_OVERWRITE)
		ring_buffer_change_overwrite(t->buffer.rb, on);
	/* The stack of a hit is there only when the hit happens. */
	if (option == TRACER_OPT_USERSTACKTRACE && on != t->holds) {
		uprobes_hold_rings(on);
		t->holds = on;
	}
	if (!ret)
		WRITE_ONCE(t->options, on ? t->options | bit : t->options & ~bit);
	return ret;
}

/**
 * tracer_option_set() - set or clear an option
 * @t: the tracer
 * @name: name of the option
 * @on: true to set it
 *
 * Context: not under @t->lock.
 * Return: 0, -EINVAL if there is no such option, or -errno.
 */
int tracer_option_set(struct tracer *t, const char *name, bool on)
{
	int i = match_string(names, ARRAY_SIZE(names), name), ret;

	if (i < 0)
		return -EINVAL;
	mutex_lock(&t->lock);
	ret = set(t, i, on);
	mutex_unlock(&t->lock);
	return ret;
}

static int options_show(struct seq_file *m, void *v)
{
	struct tracer *t = m->private;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		seq_printf(m, "%s%s\n", tracer_option(t, i) ? "" : "no",
			   names[i]);
	return 0;
}

static int options_open(struct inode *inode, struct file *file)
{
	int ret = tracer_files_allowed(inode);

	return ret ?: single_open(file, options_show, inode->i_private);
}

static ssize_t options_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *ppos)
{
	struct seq_file *m = file->private_data;
	char text[32], *name;
	bool on = true;
	int ret;

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, ubuf, count))
		return -EFAULT;
	text[count] = '\0';
	name = tracer_trim(text);
	if (!strncmp(name, "no", 2)) {
		on = false;
		name += 2;
	}
	ret = tracer_option_set(m->private, name, on);
	return tracer_written(ret, count, ppos);
}

const struct file_operations tracer_options_fops = {
	.owner = THIS_MODULE,
	.open = options_open,
	.read = seq_read,
	.write = options_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static ssize_t switch_read(struct file *file, char __user *ubuf, size_t count,
			   loff_t *ppos)
{
	struct tracer_switch *s = file->private_data;

	return tracer_switch_read(ubuf, count, ppos,
				  tracer_option(s->t, s->option));
}

static ssize_t switch_write(struct file *file, const char __user *ubuf,
			    size_t count, loff_t *ppos)
{
	struct tracer_switch *s = file->private_data;
	bool on;
	int ret;

	ret = tracer_switch_parse(ubuf, count, &on);
	if (ret)
		return ret;
	mutex_lock(&s->t->lock);
	ret = set(s->t, s->option, on);
	mutex_unlock(&s->t->lock);
	return tracer_written(ret, count, ppos);
}

static const struct file_operations switch_fops = TRACER_FILE(switch_read, switch_write);

/**
 * tracer_options_init() - create options/
 * @t: the tracer, with its directory
 *
 * Return: 0 or -errno.
 */
int tracer_options_init(struct tracer *t)
{
	struct dentry *dir = debugfs_create_dir("options", t->dir), *file;
	unsigned int i;

	if (IS_ERR(dir))
		return PTR_ERR(dir);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		t->switches[i].t = t;
		t->switches[i].option = i;
		file = debugfs_create_file(names[i], 0640, dir, &t->switches[i],
					   &switch_fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	return 0;
}
