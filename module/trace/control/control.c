// SPDX-License-Identifier: GPL-2.0
/*
 * The files that define and list events: uprobe_events, uprobe_profile, instrumentation,
 * error_log.
 */
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "control.h"
#include "files.h"
#include "trace/event/define.h"
#include "trace/event/enable.h"

#define WRITE_MAX	65536	/* bytes that one write takes at most */

static_assert(WRITE_MAX > TRACER_LINE_MAX);

/* Find site number @n, counted over all events. */
static struct tracer_site *nth_site(struct tracer *t, loff_t n)
{
	struct tracer_event *event;
	struct tracer_site *site;

	list_for_each_entry(event, &t->events, node) {
		list_for_each_entry(site, &event->sites, node) {
			if (!n--)
				return site;
		}
	}
	return NULL;
}

static void *sites_start(struct seq_file *m, loff_t *pos)
{
	struct tracer *t = tracer_seq_object(m);

	mutex_lock(&t->lock);
	return nth_site(t, *pos);
}

static void *sites_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct tracer_event *event;
	struct tracer *t = tracer_seq_object(m);
	struct tracer_site *site = v;

	++*pos;
	event = site->event;
	if (!list_is_last(&site->node, &event->sites))
		return list_next_entry(site, node);
	if (list_is_last(&event->node, &t->events))
		return NULL;
	event = list_next_entry(event, node);
	return list_first_entry(&event->sites, struct tracer_site, node);
}

static void sites_stop(struct seq_file *m, void *v)
{
	struct tracer *t = tracer_seq_object(m);

	mutex_unlock(&t->lock);
}

static int events_show(struct seq_file *m, void *v)
{
	struct tracer_text text = tracer_seq_text(m);
	struct tracer_site *site = v;

	tracer_render_def(&text, site->def);
	tracer_seq_commit(m, &text);
	return 0;
}

static const struct seq_operations events_seq_ops = {
	.start = sites_start,
	.next = sites_next,
	.stop = sites_stop,
	.show = events_show,
};

static int events_truncate(const struct tracer_opened *f)
{
	return tracer_remove_all(f->of);
}

/*
 * Carry out the lines in the @len bytes of @buf.  If @whole is not set, do not carry out a last
 * line that has no newline, unless it is the only line.
 *
 * Return the number of bytes that were carried out, or the error of the first bad line.  The lines
 * before that one stay in effect.
 */
static ssize_t run_lines(struct tracer *t, const char *buf, size_t len,
			 bool whole, tracer_line_fn *fn)
{
	const char *line = buf, *end = buf + len, *newline;
	unsigned int lineno = 0;
	bool alone;
	size_t n;
	int ret;

	newline = memchr(buf, '\n', len);
	alone = !newline || newline == end - 1;

	while (line < end) {
		newline = memchr(line, '\n', end - line);
		/* Leave an unfinished line, unless it is alone: then it is too long. */
		if (!newline && !whole && line != buf)
			break;
		n = (newline ?: end) - line;
		lineno++;
		ret = fn(t, line, n, alone ? 0 : lineno);
		if (ret)
			return ret;
		line += n + !!newline;
		cond_resched();
	}
	return line - buf;
}

/**
 * tracer_write_lines() - carry out the lines of a write()
 * @t: the tracer
 * @ubuf: the lines
 * @count: number of bytes in @ubuf
 * @fn: carries out a line
 *
 * Return: the result of write().
 */
ssize_t tracer_write_lines(struct tracer *t, const char __user *ubuf,
			   size_t count, tracer_line_fn *fn)
{
	size_t len = min_t(size_t, count, WRITE_MAX);
	ssize_t ret;
	char *buf;
	int err;

	if (!len)
		return 0;
	buf = vmemdup_user(ubuf, len);
	if (IS_ERR(buf))
		return PTR_ERR(buf);
	mutex_lock(&t->define);
	ret = run_lines(t, buf, len, len == count, fn);
	/* Definitions before a line that failed stay in effect. */
	err = tracer_start(t);
	mutex_unlock(&t->define);
	kvfree(buf);
	return err ?: ret;
}

static ssize_t events_write(const struct tracer_opened *f, const char __user *ubuf, size_t count)
{
	return tracer_write_lines(f->of, ubuf, count, tracer_define);
}

static void show_counts(struct seq_file *m, struct tracer_site *site,
			const char *mark)
{
	struct uprobe_counts counts = uprobe_counts(&site->rp.u);

	seq_printf(m, "%s  %s %-44s %15llu %15llu\n", mark, site->def->path,
		   site->def->event, counts.hits,
		   counts.missed + atomic64_read(&site->missed));
}

static int profile_show(struct seq_file *m, void *v)
{
	show_counts(m, v, "");
	return 0;
}

/**
 * tracer_refusals_show() - show why a probe is missing at places, unless it is at all of them
 * @m: the output
 * @event: name of the event
 * @u: the probe
 *
 * Context: may sleep.
 */
void tracer_refusals_show(struct seq_file *m, const char *event, const struct uprobe *u)
{
	char why[256];
	unsigned int n = uprobe_refusals(u, why, sizeof(why));

	if (n)
		seq_printf(m, "refused: %s %u %s\n", event, n, why);
}

/**
 * tracer_profile_show() - show the lines of uprobe_profile, and where probes are missing
 * @t: the tracer
 * @m: the output
 * @mark: start of each line
 */
void tracer_profile_show(struct tracer *t, struct seq_file *m, const char *mark)
{
	struct tracer_event *event;
	struct tracer_site *site;

	uprobes_empty_rings();
	mutex_lock(&t->lock);
	list_for_each_entry(event, &t->events, node) {
		list_for_each_entry(site, &event->sites, node) {
			/* seq_file calls again with more room. */
			if (seq_has_overflowed(m))
				break;
			show_counts(m, site, mark);
			tracer_refusals_show(m, site->def->event, &site->rp.u);
		}
	}
	mutex_unlock(&t->lock);
}

static void *profile_start(struct seq_file *m, loff_t *pos)
{
	uprobes_empty_rings();
	return sites_start(m, pos);
}

static const struct seq_operations profile_seq_ops = {
	.start = profile_start,
	.next = sites_next,
	.stop = sites_stop,
	.show = profile_show,
};

/**
 * tracer_places_show() - show how hits of a probe are found, a line for each place
 * @m: the output
 * @event: name of the event
 * @u: the probe
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int tracer_places_show(struct seq_file *m, const char *event, struct uprobe *u)
{
	unsigned int i, n = uprobe_places(u, NULL, 0), all;
	struct uprobe_place *places = kvmalloc_array(n ?: 1, sizeof(*places), GFP_KERNEL);

	if (!places)
		return -ENOMEM;
	/* The probe may come to other processes meanwhile, or leave some. */
	all = uprobe_places(u, places, n);
	for (i = 0; i < min(n, all); i++)
		seq_printf(m, "%s %d 0x%lx %s\n", event, places[i].pid, places[i].vaddr,
			   places[i].trap ?: "no trap");
	kvfree(places);
	return 0;
}

static int instrumentation_show(struct seq_file *m, void *v)
{
	struct tracer_site *site = v;

	return tracer_places_show(m, site->def->event, &site->rp.u);
}

static const struct seq_operations instrumentation_seq_ops = {
	.start = sites_start,
	.next = sites_next,
	.stop = sites_stop,
	.show = instrumentation_show,
};

/* All events here are of one kind, so uprobe_events and dynamic_events are the same file. */
#define EVENTS(title)							\
	{ title, 0640, .list = &events_seq_ops, .write = events_write,	\
	  .truncate = events_truncate }

/* Their object is the tracer. */
const struct tracer_file tracer_definition_files[] = {
	EVENTS("uprobe_events"),
	EVENTS("dynamic_events"),
	{ "uprobe_profile", 0440, .list = &profile_seq_ops },
	{ "instrumentation", 0440, .list = &instrumentation_seq_ops },
	{}
};

static int error_log_show(struct seq_file *m, void *v)
{
	struct tracer *t = m->private;

	tracer_errlog_show(t->errors, m);
	return 0;
}

static int error_log_open(struct inode *inode, struct file *file)
{
	struct tracer *t = tracer_of(inode);
	int ret = tracer_files_allowed(inode);

	if (ret)
		return ret;
	if (tracer_truncates(file))
		tracer_errlog_clear(t->errors);
	/* A device comes with a pointer to itself. */
	file->private_data = NULL;
	return single_open(file, error_log_show, t);
}

/* Ignore the written text: the log was cleared when the file was opened with O_TRUNC. */
static ssize_t error_log_write(struct file *file, const char __user *ubuf,
			       size_t count, loff_t *ppos)
{
	return count;
}

const struct file_operations tracer_error_log_fops = {
	.owner = THIS_MODULE,
	.open = error_log_open,
	.read = seq_read,
	.write = error_log_write,
	.llseek = seq_lseek,
	.release = single_release,
};
