// SPDX-License-Identifier: GPL-2.0
/*
 * The file "aggregate".
 */
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "control.h"
#include "files.h"
#include "trace/aggregate/aggregate.h"
#include "trace/aggregate/buckets.h"
#include "trace/aggregate/stacks.h"
#include "trace/aggregate/values.h"

/* Maximum number of characters to accept from one write. */
#define WRITE_MAX 65536

static void show_refusals(struct seq_file *m, const struct aggregate_probe *probe)
{
	unsigned int i;

	tracer_refusals_show(m, probe->name, &probe->rp.u);
	for (i = 0; probe->exits && i < probe->exits->n; i++)
		tracer_refusals_show(m, probe->name, &probe->exits->exits[i].u);
}

static int aggregate_show(struct seq_file *m, void *v)
{
	const struct aggregate_batch *batch = v;
	struct aggregate_cell sum;
	struct uprobe_values *times;
	unsigned int i;

	times = kmalloc(sizeof(*times), GFP_KERNEL);
	if (!times)
		return -ENOMEM;
	/* seq_file calls again with more room. */
	for (i = 0; i < batch->n && !seq_has_overflowed(m); i++) {
		const struct aggregate_probe *probe = &batch->probes[i];
		u64 missed = uprobe_counts(&probe->rp.u).missed;

		show_refusals(m, probe);
		if (probe->values) {
			aggregate_values_show(probe->values, probe->name, missed, m);
			continue;
		}
		aggregate_sum(batch, i, &sum, times);
		missed += sum.lost;
		if (!sum.hits && !missed)
			continue;
		seq_printf(m, "%s %llu %llu", probe->name, sum.hits, missed);
		if (probe->timer && sum.hits) {
			seq_printf(m, " %llu %llu %llu", times->sum, times->least, times->largest);
			aggregate_buckets_show(m, times->buckets);
		}
		seq_putc(m, '\n');
		if (probe->stack)
			aggregate_stacks_show(batch->set->stacks, probe, probe->name, m);
	}
	kfree(times);
	return 0;
}

static void *aggregate_start(struct seq_file *m, loff_t *pos)
{
	struct aggregate *set = m->private;

	uprobes_empty_rings();
	mutex_lock(&set->lock);
	return seq_list_start(&set->batches, *pos);
}

static void *aggregate_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct aggregate *set = m->private;

	return seq_list_next(v, &set->batches, pos);
}

static void aggregate_stop(struct seq_file *m, void *v)
{
	struct aggregate *set = m->private;

	mutex_unlock(&set->lock);
}

static const struct seq_operations aggregate_seq_ops = {
	.start = aggregate_start,
	.next = aggregate_next,
	.stop = aggregate_stop,
	.show = aggregate_show,
};

static int aggregate_open(struct inode *inode, struct file *file)
{
	struct aggregate *set;
	int ret;

	ret = tracer_files_allowed(inode);
	if (ret)
		return ret;
	set = aggregate_create();
	if (!set)
		return -ENOMEM;
	/* A device comes with a pointer to itself. */
	file->private_data = NULL;
	ret = seq_open(file, &aggregate_seq_ops);
	if (ret) {
		aggregate_destroy(set);
		return ret;
	}
	((struct seq_file *)file->private_data)->private = set;
	return 0;
}

static int aggregate_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	aggregate_destroy(m->private);
	return seq_release(inode, file);
}

/* Keep the file position, so that the next read goes on where the last one has ended. */
static ssize_t aggregate_write(struct file *file, const char __user *ubuf,
			       size_t count, loff_t *ppos)
{
	struct seq_file *m = file->private_data;
	size_t len = min_t(size_t, count, WRITE_MAX);
	const char *newline;
	ssize_t ret;
	char *text;

	if (!len)
		return 0;
	text = kvmalloc(len + 1, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	if (copy_from_user(text, ubuf, len)) {
		ret = -EFAULT;
		goto out;
	}
	text[len] = '\0';
	if (len < count) {
		newline = strrchr(text, '\n');
		if (!newline) {
			ret = -EINVAL;
			goto out;
		}
		len = newline + 1 - text;
	}
	ret = aggregate_add(m->private, text, len);
out:
	kvfree(text);
	return ret;
}

#ifdef CONFIG_PROC_FS
static void aggregate_fdinfo(struct seq_file *m, struct file *file)
{
	struct aggregate *set = ((struct seq_file *)file->private_data)->private;
	struct aggregate_batch *batch;
	unsigned int i;

	mutex_lock(&set->lock);
	list_for_each_entry(batch, &set->batches, node) {
		/* seq_file calls again with more room. */
		for (i = 0; i < batch->n && !seq_has_overflowed(m); i++)
			tracer_places_show(m, batch->probes[i].name, &batch->probes[i].rp.u);
	}
	mutex_unlock(&set->lock);
}
#endif

const struct file_operations tracer_aggregate_fops = {
	.owner = THIS_MODULE,
	.open = aggregate_open,
	.read = seq_read,
	.write = aggregate_write,
	.llseek = seq_lseek,
	.release = aggregate_release,
#ifdef CONFIG_PROC_FS
	.show_fdinfo = aggregate_fdinfo,
#endif
};
