// SPDX-License-Identifier: GPL-2.0
/*
 * The sizes of the buffer, its records, and its state per CPU: buffer_size_kb,
 * buffer_total_size_kb, trace, trace_pipe, per_cpu/.
 */
#include <linux/debugfs.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "percpu.h"
#include "files.h"
#include "trace/buffer/buffer_read.h"

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

/* Get the CPUs of a file: its object is the tracer, or the view of one CPU. */
static struct tracer_view *view_of(const struct tracer_opened *f)
{
	struct tracer *t = f->of;

	return f->row->which == TRACER_ALL_CPUS ? &t->view : f->of;
}

static int size_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer_view *view = view_of(f);
	unsigned long kb = common_kb(view);

	if (!kb)
		seq_puts(m, "X\n");
	else if (READ_ONCE(view->t->buffer.expanded) || view->cpu != TRACER_ALL_CPUS)
		seq_printf(m, "%lu\n", kb);
	else
		seq_printf(m, "%lu (expanded: %lu)\n", UNEXPANDED_KB, kb);
	return 0;
}

static int size_store(const struct tracer_opened *f, char *text)
{
	struct tracer_view *view = view_of(f);
	unsigned int kb;
	int ret;

	ret = kstrtouint(text, 10, &kb);
	if (ret)
		return ret;
	return kb ? tracer_buffer_resize(&view->t->buffer, kb * 1024UL, view->cpu) : -EINVAL;
}

static int total_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer *t = f->of;
	unsigned long kb = 0, cpus = 0;
	int cpu;

	for_each_online_cpu(cpu) {
		kb += READ_ONCE(t->buffer.size[cpu]) / 1024;
		cpus++;
	}
	if (READ_ONCE(t->buffer.expanded))
		seq_printf(m, "%lu\n", kb);
	else
		seq_printf(m, "%lu (expanded: %lu)\n", UNEXPANDED_KB * cpus, kb);
	return 0;
}

/* Their object is the tracer. */
const struct tracer_file tracer_size_files[] = {
	{ "buffer_size_kb", 0640, .session = true, .which = TRACER_ALL_CPUS,
	  .show = size_show, .store = size_store },
	{ "buffer_total_size_kb", 0440, .show = total_show },
	{}
};

static void show_time(struct seq_file *m, const char *what, u64 ns)
{
	u64 us = div_u64(ns, 1000);
	u32 rest;

	us = div_u64_rem(us, USEC_PER_SEC, &rest);
	seq_printf(m, "%s: %5llu.%06u\n", what, us, rest);
}

static int stats_show(struct seq_file *m, const struct tracer_opened *f)
{
	struct tracer_view *view = f->of;
	struct trace_buffer *rb = view->t->buffer.rb;
	struct tracer_entries entries;
	int cpu = view->cpu, ret;
	u64 oldest;

	uprobes_empty_rings();
	ret = tracer_buffer_count(&view->t->buffer, cpu, &entries);
	if (ret)
		return ret;
	seq_printf(m, "entries: %llu\n", entries.there);
	seq_printf(m, "overrun: %llu\n", entries.overrun);
	seq_printf(m, "commit overrun: %lu\n",
		   ring_buffer_commit_overrun_cpu(rb, cpu));
	seq_printf(m, "bytes: %lu\n", ring_buffer_bytes_cpu(rb, cpu));
	oldest = ring_buffer_oldest_event_ts(rb, cpu);
	show_time(m, "oldest event ts", oldest);
	show_time(m, "now ts", ring_buffer_time_stamp(rb));
	seq_printf(m, "dropped events: %llu\n", entries.dropped);
	seq_printf(m, "read events: %llu\n", entries.taken);
	return 0;
}

/* Their object is the view of the CPU. */
static const struct tracer_file cpu_files[] = {
	{ "buffer_size_kb", 0640, .show = size_show, .store = size_store },
	{ "stats", 0440, .show = stats_show },
	{}
};

/* Create the files of records of one CPU, or of all, in @dir. */
static int make_views(struct tracer_view *view, struct dentry *dir)
{
	struct dentry *file;

	file = debugfs_create_file("trace", 0640, dir, view, &tracer_trace_fops);
	if (!IS_ERR(file))
		file = debugfs_create_file("trace_pipe", 0440, dir, view, &tracer_pipe_fops);
	return PTR_ERR_OR_ZERO(file);
}

static int make_cpu_dir(struct tracer_view *view, struct dentry *parent)
{
	struct dentry *dir;
	char name[16];
	int ret;

	snprintf(name, sizeof(name), "cpu%d", view->cpu);
	ret = tracer_dir_create(name, parent, view, cpu_files, &dir);
	return ret ?: make_views(view, dir);
}

/**
 * tracer_percpu_init() - create per_cpu/, and the files of records of all CPUs
 * @t: the tracer, with its directory
 *
 * Return: 0 or -errno.
 */
int tracer_percpu_init(struct tracer *t)
{
	struct dentry *dir;
	int cpu, ret;

	ret = make_views(&t->view, t->dirs.dir);
	if (ret)
		return ret;
	t->dirs.cpus = kcalloc(nr_cpu_ids, sizeof(*t->dirs.cpus), GFP_KERNEL);
	if (!t->dirs.cpus)
		return -ENOMEM;
	dir = debugfs_create_dir("per_cpu", t->dirs.dir);
	if (IS_ERR(dir))
		return PTR_ERR(dir);
	for_each_present_cpu(cpu) {
		t->dirs.cpus[cpu].t = t;
		t->dirs.cpus[cpu].cpu = cpu;
		ret = make_cpu_dir(&t->dirs.cpus[cpu], dir);
		if (ret)
			return ret;
	}
	return 0;
}
