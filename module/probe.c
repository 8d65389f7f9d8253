// SPDX-License-Identifier: GPL-2.0
/*
 * Consumers, their sets, and the files that are probed in every process.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/rhashtable.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "probe.h"

/* Consumers whose memory is not freed yet; unloading waits for the last. */
static atomic_t consumers_left = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(consumers_gone);
static struct workqueue_struct *probe_wq;

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

static void consumer_free_work(struct work_struct *work)
{
	struct consumer *c = container_of(to_rcu_work(work), struct consumer, free);

	percpu_ref_exit(&c->active);
	percpu_ref_exit(&c->calls);
	free_percpu(c->stats);
	kfree(c);
	if (atomic_dec_and_test(&consumers_left))
		wake_up_all(&consumers_gone);
}

static void consumer_inactive(struct percpu_ref *ref)
{
	complete(&container_of(ref, struct consumer, active)->idle);
}

static void consumer_uncalled(struct percpu_ref *ref)
{
	consumer_put(container_of(ref, struct consumer, calls));
}

/**
 * consumer_create() - the module's side of a probe that is being registered
 * @u: the client's structure
 * @type: its kind
 *
 * Context: may sleep.
 * Return: the consumer, attached nowhere, or ERR_PTR(-ENOMEM).
 */
struct consumer *consumer_create(struct uprobe *u, enum consumer_type type)
{
	struct consumer *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return ERR_PTR(-ENOMEM);

	c->stats = alloc_percpu(struct consumer_stats);
	if (!c->stats)
		goto free;
	if (percpu_ref_init(&c->active, consumer_inactive, 0, GFP_KERNEL))
		goto free_stats;
	if (percpu_ref_init(&c->calls, consumer_uncalled, 0, GFP_KERNEL))
		goto free_active;

	c->u = u;
	c->type = type;
	c->atomic = u->flags & UPROBE_ATOMIC;
	c->in_every_process = u->path || u->file;
	c->live = true;
	init_completion(&c->idle);
	refcount_set(&c->refs, 2);	/* the registration's and @calls' */
	spin_lock_init(&c->lock);
	INIT_LIST_HEAD(&c->attachments);
	INIT_LIST_HEAD(&c->in_file);
	INIT_RCU_WORK(&c->free, consumer_free_work);
	c->expect_len = u->expect ? u->expect_len : 0;
	memcpy(c->expect, u->expect, c->expect_len);
	atomic_inc(&consumers_left);
	return c;

free_active:
	percpu_ref_exit(&c->active);
free_stats:
	free_percpu(c->stats);
free:
	kfree(c);
	return ERR_PTR(-ENOMEM);
}

void consumer_get(struct consumer *c)
{
	refcount_inc(&c->refs);
}

/**
 * consumer_put() - drop a reference
 * @c: the consumer
 *
 * The memory goes a grace period after the last reference, from a worker.
 *
 * Context: any.
 */
void consumer_put(struct consumer *c)
{
	if (refcount_dec_and_test(&c->refs))
		queue_rcu_work(probe_wq, &c->free);
}

/**
 * consumer_retire() - call no further handlers and attach nowhere else
 * @c: the consumer
 *
 * Handlers may still be running; consumer_wait() waits for them.
 *
 * Context: any that can take a spinlock.
 * Return: false when that has been done before.
 */
bool consumer_retire(struct consumer *c)
{
	bool first;

	spin_lock(&c->lock);
	first = !c->dying;
	c->dying = true;
	spin_unlock(&c->lock);
	if (!first)
		return false;
	WRITE_ONCE(c->live, false);
	percpu_ref_kill(&c->active);
	return true;
}

/**
 * consumer_wait() - wait for the handlers of a retired consumer and release it
 * @c: the consumer; attached nowhere, and a grace period has passed since
 *
 * The counts go to the client's structure, which is not used after this.
 *
 * Context: may sleep.
 */
void consumer_wait(struct consumer *c)
{
	struct uprobe_counts counts;

	wait_for_completion(&c->idle);
	counts = consumer_counts(c);
	c->u->__hits += counts.hits;
	c->u->__missed += counts.missed;
	percpu_ref_kill(&c->calls);
	consumer_put(c);
}

/**
 * consumer_active_get() - begin to call a handler that may sleep
 * @c: the consumer
 *
 * Context: any; the caller holds a reference of @c.
 * Return: false when the consumer is being unregistered.
 */
bool consumer_active_get(struct consumer *c)
{
	return percpu_ref_tryget_live(&c->active);
}

/**
 * consumer_counts() - sum of the counters of all CPUs
 * @c: the consumer
 *
 * Context: any.
 */
struct uprobe_counts consumer_counts(const struct consumer *c)
{
	struct uprobe_counts sum = {};
	int cpu;

	for_each_possible_cpu(cpu) {
		const struct consumer_stats *stats = per_cpu_ptr(c->stats, cpu);

		sum.hits += READ_ONCE(stats->hits);
		sum.missed += READ_ONCE(stats->missed);
	}
	return sum;
}

static struct consumer_set *consumer_set_alloc(unsigned int nr)
{
	struct consumer_set *set;

	set = kzalloc(struct_size(set, consumers, nr), GFP_KERNEL);
	if (set)
		refcount_set(&set->refs, 1);
	return set;
}

static void consumer_set_append(struct consumer_set *set, struct consumer *c)
{
	consumer_get(c);
	set->consumers[set->nr++] = c;
	if (c->type == CONSUMER_RETURN)
		set->nr_return++;
	else if (c->atomic)
		set->nr_atomic++;
	else
		set->nr_sleepable++;
}

/**
 * consumer_set_add() - a set with one consumer more
 * @old: the set to start from, or NULL; stays as it is
 * @c: the consumer
 *
 * Context: may sleep.
 * Return: the new set, or NULL without memory.
 */
struct consumer_set *consumer_set_add(const struct consumer_set *old, struct consumer *c)
{
	unsigned int nr = old ? old->nr : 0;
	struct consumer_set *set = consumer_set_alloc(nr + 1);
	unsigned int i;

	if (!set)
		return NULL;
	for (i = 0; i < nr; i++)
		consumer_set_append(set, old->consumers[i]);
	consumer_set_append(set, c);
	return set;
}

/**
 * consumer_set_del() - a set with one consumer less
 * @old: the set to start from; stays as it is
 * @c: the consumer, a member of @old
 *
 * Taking away must not fail, so the allocation is one that does not.
 *
 * Context: may sleep.
 * Return: the new set, NULL when nobody is left.
 */
struct consumer_set *consumer_set_del(const struct consumer_set *old, struct consumer *c)
{
	struct consumer_set *set;
	unsigned int i;

	if (old->nr == 1)
		return NULL;
	set = kzalloc(struct_size(set, consumers, old->nr - 1), GFP_KERNEL | __GFP_NOFAIL);
	refcount_set(&set->refs, 1);
	for (i = 0; i < old->nr; i++) {
		if (old->consumers[i] != c)
			consumer_set_append(set, old->consumers[i]);
	}
	return set;
}

static void consumer_set_free_rcu(struct rcu_head *head)
{
	struct consumer_set *set = container_of(head, struct consumer_set, rcu);
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		consumer_put(set->consumers[i]);
	kfree(set);
}

/**
 * consumer_set_put() - drop a reference of a set
 * @set: the set, or NULL
 *
 * Context: any; the set and its consumers stay for a grace period.
 */
void consumer_set_put(struct consumer_set *set)
{
	if (set && refcount_dec_and_test(&set->refs))
		call_rcu(&set->rcu, consumer_set_free_rcu);
}

/**
 * probe_file_find() - the probes on a file
 * @inode: the file
 *
 * Context: any.
 * Return: the file with a reference taken, or NULL when nobody probes it.
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

/* Whether anybody probes @inode.  Context: any. */
bool probe_file_wanted(const struct inode *inode)
{
	bool found;

	rcu_read_lock();
	found = rhashtable_lookup(&files, &inode, file_params);
	rcu_read_unlock();
	return found;
}

/* Whether any file is probed.  Context: any. */
bool probe_files_any(void)
{
	return atomic_read(&file_consumers);
}

/**
 * probe_file_put() - drop a reference of a file
 * @file: the file
 *
 * Context: any in which a file can be put.
 */
void probe_file_put(struct probe_file *file)
{
	if (refcount_dec_and_test(&file->refs)) {
		fput(file->file);
		kfree_rcu(file, rcu);
	}
}

/**
 * probe_file_add() - list a consumer under its file
 * @opened: the file, open for reading
 * @c: the consumer; @c->offset says where
 *
 * From here on every process that comes to map the file gets the probe.
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int probe_file_add(struct file *opened, struct consumer *c)
{
	/* What processes map of an overlay is the file below. */
	struct inode *inode = d_real_inode(opened->f_path.dentry);
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
		file->inode = inode;
		file->file = get_file(opened);
		refcount_set(&file->refs, 1);
		init_rwsem(&file->sem);
		INIT_LIST_HEAD(&file->consumers);
		/* Busy while the table is being rehashed. */
		while ((ret = rhashtable_insert_fast(&files, &file->node, file_params)) == -EBUSY)
			cond_resched();
		if (ret) {
			probe_file_put(file);
			goto unlock;
		}
	}
	c->file = file;
	down_write(&file->sem);
	list_add_tail(&c->in_file, &file->consumers);
	up_write(&file->sem);
	atomic_inc(&file_consumers);
unlock:
	mutex_unlock(&file_mutex);
	return ret;
}

/**
 * probe_file_del() - undo probe_file_add()
 * @c: the consumer; no process is having it attached when this returns
 *
 * Context: may sleep.
 */
void probe_file_del(struct consumer *c)
{
	struct probe_file *file = c->file;

	mutex_lock(&file_mutex);
	down_write(&file->sem);
	list_del_init(&c->in_file);
	if (list_empty(&file->consumers))
		rhashtable_remove_fast(&files, &file->node, file_params);
	up_write(&file->sem);
	atomic_dec(&file_consumers);
	mutex_unlock(&file_mutex);
	probe_file_put(file);
	c->file = NULL;
}

int probe_init(void)
{
	int ret;

	probe_wq = alloc_workqueue("uprobes_free", WQ_UNBOUND, 0);
	if (!probe_wq)
		return -ENOMEM;
	ret = rhashtable_init(&files, &file_params);
	if (ret)
		destroy_workqueue(probe_wq);
	return ret;
}

/**
 * probe_exit() - wait until no consumer is left in memory
 *
 * All of them are unregistered and all return instances are gone.
 *
 * Context: may sleep.
 */
void probe_exit(void)
{
	wait_event(consumers_gone, !atomic_read(&consumers_left));
	rcu_barrier();
	destroy_workqueue(probe_wq);
	rhashtable_destroy(&files);
}
