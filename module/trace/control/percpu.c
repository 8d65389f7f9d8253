// SPDX-License-Identifier: GPL-2.0
/*
 * The sizes of the buffer and its state per CPU: buffer_size_kb,
 * buffer_total_size_kb, per_cpu/.
 */
#include <linux/debugfs.h>
#include <linux/math64.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "percpu.h"
#include "files.h"

#define UNEXPANDED_KB	(2 * PAGE_SIZE / 1024)

/*
 * Return the size of @view's CPU buffer.
 * For all CPUs: their common size, or 0 if the sizes differ.
 */
static unsigned long common_kb(const struct tracer_view *view)
{
	const unsigned long *size = view->t->buffer.size;
	unsigned long kb;
	int cpu;

	if (view->cpu != TRACER_ALL_CPUS)
		return READ_ONCE(size[view->cpu]) / 1024;
	kb = READ_ONCE(size[cpumask_first(cpu_possible_mask)]) / 1024;
	for_each_possible_cpu(cpu) {
		if (READ_ONCE(size[cpu]) / 1024 != kb)
			return 0;
	}
	return kb;
}

static ssize_t size_read(struct file *file, char __user *ubuf, size_t count,
			 loff_t *ppos)
{
	struct tracer_view *view = file->private_data;
	unsigned long kb = common_kb(view);
	char text[64];
	int len;

	if (!kb)
		len = scnprintf(text, sizeof(text), "X\n");
	else if (READ_ONCE(view->t->buffer.expanded) ||
		 view->cpu != TRACER_ALL_CPUS)
		len = scnprintf(text, sizeof(text), "%lu\n", kb);
	else
		len = scnprintf(text, sizeof(text), "%lu (expanded: %lu)\n",
				UNEXPANDED_KB, kb);
	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

static ssize_t size_write(struct file *file, const char __user *ubuf,
			  size_t count, loff_t *ppos)
{
	struct tracer_view *view = file->private_data;
	unsigned int kb;
	int ret;

	ret = kstrtouint_from_user(ubuf, count, 10, &kb);
	if (ret)
		return ret;
	if (!kb)
		return -EINVAL;
	ret = tracer_buffer_resize(&view->t->buffer, kb * 1024UL, view->cpu);
	return tracer_written(ret, count, ppos);
}

const struct file_operations tracer_size_fops = TRACER_FILE(size_read, size_write);

static ssize_t total_read(struct file *file, char __user *ubuf, size_t count,
			  loff_t *ppos)
{
	struct tracer *t = file->private_data;
	unsigned long kb = 0, cpus = 0;
	char text[64];
	int cpu, len;

	for_each_online_cpu(cpu) {
		kb += READ_ONCE(t->buffer.size[cpu]) / 1024;
		cpus++;
	}
	if (READ_ONCE(t->buffer.expanded))
		len = scnprintf(text, sizeof(text), "%lu\n", kb);
	else
		len = scnprintf(text, sizeof(text), "%lu (expanded: %lu)\n",
				UNEXPANDED_KB * cpus, kb);
	return simple_read_from_buffer(ubuf, count, ppos, text, len);
}

const struct file_operations tracer_total_size_fops = TRACER_FILE(total_read, NULL);

static void show_time(struct seq_file *m, const char *what, u64 ns)
{
	u64 us = div_u64(ns, 1000);
	u32 rest;

	us = div_u64_rem(us, USEC_PER_SEC, &rest);
	seq_printf(m, "%s: %5llu.%06u\n", what, us, rest);
}

static int stats_show(struct seq_file *m, void *v)
{
	struct tracer_view *view = m->private;
	struct trace_buffer *rb = view->t->buffer.rb;
	int cpu = view->cpu;
	u64 oldest;

	uprobes_empty_rings();
	seq_printf(m, "entries: %lu\n", ring_buffer_entries_cpu(rb, cpu));
	seq_printf(m, "overrun: %lu\n", ring_buffer_overrun_cpu(rb, cpu));
	seq_printf(m, "commit overrun: %lu\n",
		   ring_buffer_commit_overrun_cpu(rb, cpu));
	seq_printf(m, "bytes: %lu\n", ring_buffer_bytes_cpu(rb, cpu));
	oldest = ring_buffer_oldest_event_ts(rb, cpu);
	show_time(m, "oldest event ts", oldest);
	show_time(m, "now ts", ring_buffer_time_stamp(rb));
	seq_printf(m, "dropped events: %lu\n",
		   ring_buffer_dropped_events_cpu(rb, cpu));
	seq_printf(m, "read events: %lu\n", ring_buffer_read_events_cpu(rb, cpu));
	return 0;
}

static int stats_open(struct inode *inode, struct file *file)
{
	int ret = tracer_files_allowed(inode);

	return ret ?: single_open(file, stats_show, inode->i_private);
}

static const struct file_operations stats_fops = {
	.owner = THIS_MODULE,
	.open = stats_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int make_cpu_dir(struct tracer_view *view, struct dentry *parent)
{
	static const struct {
		const char *name;
		umode_t mode;
		const struct file_operations *fops;
	} files[] = {
		{ "trace", 0640, &tracer_trace_fops },
		{ "trace_pipe", 0440, &tracer_pipe_fops },
		{ "buffer_size_kb", 0640, &tracer_size_fops },
		{ "stats", 0440, &stats_fops },
	};
	struct dentry *dir, *file;
	unsigned int i;
	char name[16];

	snprintf(name, sizeof(name), "cpu%d", view->cpu);
	dir = debugfs_create_dir(name, parent);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		file = debugfs_create_file(files[i].name, files[i].mode, dir,
					   view, files[i].fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	return 0;
}

/**
 * tracer_percpu_init() - create per_cpu/
 * @t: the tracer, with its directory
 *
 * Return: 0 or -errno.
 */
int tracer_percpu_init(struct tracer *t)
{
	struct dentry *dir;
	int cpu, ret;

	t->cpus = kcalloc(nr_cpu_ids, sizeof(*t->cpus), GFP_KERNEL);
	if (!t->cpus)
		return -ENOMEM;
	dir = debugfs_create_dir("per_cpu", t->dir);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	for_each_present_cpu(cpu) {
		t->cpus[cpu].t = t;
		t->cpus[cpu].cpu = cpu;
		ret = make_cpu_dir(&t->cpus[cpu], dir);
		if (ret)
			return ret;
	}
	return 0;
}
