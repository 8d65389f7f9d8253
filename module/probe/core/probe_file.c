// SPDX-License-Identifier: GPL-2.0
/*
 * The files that are probed in all processes.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>

#include "probe_file.h"
#include "consumer_types.h"

static const struct rhashtable_params file_params = {
	.key_len = sizeof_field(struct probe_file, inode),
	.key_offset = offsetof(struct probe_file, inode),
	.head_offset = offsetof(struct probe_file, node),
	.automatic_shrinking = true,
};

/* Files that have at least one consumer; changed under file_mutex. */
static struct rhashtable files;
static DEFINE_MUTEX(file_mutex);
static atomic_t file_consumers = ATOMIC_INIT(0);

/**
 * probe_file_find() - look up a probed file
 * @inode: the file
 *
 * Context: any.
 * Return: the probed file with a reference taken, or NULL if the file is not probed.
 */
struct probe_file *probe_file_find(const struct inode *inode)
{
	struct probe_file *file;

	rcu_read_lock();
	file = rhashtable_lookup(&files, &inode, file_params);
	if (file && !refcount_inc_not_zero(&file->refs))
		file = NULL;
	rcu_read_unlock();
	return file;
}

/**
 * probe_file_wanted() - check whether a mapping of a file may need probes or reference counters
 * @inode: the file
 * @as_code: the mapping is executable; otherwise it is private and writable, and may have
 *	reference counters
 *
 * Context: any.
 */
bool probe_file_wanted(const struct inode *inode, bool as_code)
{
	struct probe_file *file;
	bool wanted;

	rcu_read_lock();
	file = rhashtable_lookup(&files, &inode, file_params);
	wanted = file && (as_code || atomic_read(&file->nr_ref_ctrs));
	rcu_read_unlock();
	return wanted;
}

/* Check whether any file is probed.  Context: any. */
bool probe_files_any(void)
{
	return atomic_read(&file_consumers);
}

/* Take a reference to a probed file that has a consumer.  Context: any. */
struct probe_file *probe_file_get(struct probe_file *file)
{
	refcount_inc(&file->refs);
	return file;
}

/**
 * probe_file_put() - drop a reference to a probed file
 * @file: the probed file
 *
 * Context: any that allows iput() and fput().
 */
void probe_file_put(struct probe_file *file)
{
	if (refcount_dec_and_test(&file->refs)) {
		iput(file->inode);
		if (file->file)
			fput(file->file);
		kfree_rcu(file, rcu);
	}
}

/**
 * probe_file_add() - add a consumer to its file
 * @inode: the file as processes map it
 * @opened: the same file, open for reading, or NULL
 * @c: the consumer; @c->file.place.offset is its position in the file
 *
 * From now on, every process that maps the file gets the probe.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int probe_file_add(struct inode *inode, struct file *opened, struct consumer *c)
{
	struct probe_file *file;
	int ret = 0;

	mutex_lock(&file_mutex);
	file = probe_file_find(inode);
	if (!file) {
		file = kzalloc(sizeof(*file), GFP_KERNEL);
		if (!file) {
			ret = -ENOMEM;
			goto unlock;
		}
		ihold(inode);
		file->inode = inode;
		file->file = opened ? get_file(opened) : NULL;
		refcount_set(&file->refs, 1);
		init_rwsem(&file->sem);
		INIT_LIST_HEAD(&file->consumers);
		/* The table is busy while it is being rehashed. */
		while ((ret = rhashtable_insert_fast(&files, &file->node, file_params)) == -EBUSY)
			cond_resched();
		if (ret) {
			probe_file_put(file);
			goto unlock;
		}
	}
	if (opened && !file->file)
		file->file = get_file(opened);
	if (c->file.ref_ctr_offset)
		atomic_inc(&file->nr_ref_ctrs);
	c->file.probed = file;
	c->file.place.inode = inode;
	down_write(&file->sem);
	list_add_tail(&c->file.node, &file->consumers);
	up_write(&file->sem);
	atomic_inc(&file_consumers);
unlock:
	mutex_unlock(&file_mutex);
	return ret;
}

/**
 * probe_file_del() - undo probe_file_add()
 * @c: the consumer
 *
 * When this returns, no mapping of the file is in the middle of attaching @c.
 *
 * Context: may sleep.
 */
void probe_file_del(struct consumer *c)
{
	struct probe_file *file = c->file.probed;

	mutex_lock(&file_mutex);
	down_write(&file->sem);
	list_del_init(&c->file.node);
	if (list_empty(&file->consumers))
		rhashtable_remove_fast(&files, &file->node, file_params);
	up_write(&file->sem);
	if (c->file.ref_ctr_offset)
		atomic_dec(&file->nr_ref_ctrs);
	atomic_dec(&file_consumers);
	mutex_unlock(&file_mutex);
	probe_file_put(file);
	c->file.probed = NULL;
}

int probe_file_init(void)
{
	return rhashtable_init(&files, &file_params);
}

void probe_file_exit(void)
{
	rhashtable_destroy(&files);
}
