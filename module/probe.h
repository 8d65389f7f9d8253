/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is wanted: consumers, and for those that probe a file, the files.
 *
 * A consumer is the module's side of one registered struct uprobe or
 * uretprobe.  It is attached to sites (image.h): to one site when it probes a
 * process, to one in each mapping of its file when it probes a file.
 *
 * Lock order, outermost first:
 *
 *	probe_file::sem		the consumers of one file
 *	image_list_mutex	(image.c) which address spaces have an image
 *	image::lock		the sites of one address space
 *	mmap lock of that address space
 *	ssol_area::lock		the slots of one area
 *	consumer::lock		where a consumer is attached
 *	image::tree_lock	(spinlock) the tree of sites; also taken by the
 *				mmu notifier under the mmap lock
 *
 * mmput() is never called with any of them held, as it may end the address
 * space.  The trap takes none of them: it finds sites and consumers by RCU.
 */
#ifndef _UPROBES_PROBE_H
#define _UPROBES_PROBE_H

#include <linux/completion.h>
#include <linux/list.h>
#include <linux/percpu-refcount.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <uprobes/uprobes.h>

struct file;
struct probe_file;

/**
 * enum consumer_type - what kind of probe a consumer is
 * @CONSUMER_ENTRY: of a struct uprobe
 * @CONSUMER_RETURN: of a struct uretprobe
 */
enum consumer_type {
	CONSUMER_ENTRY,
	CONSUMER_RETURN,
};

/**
 * struct consumer_stats - counters of a consumer, one per CPU
 * @hits: handler calls
 * @missed: handler calls that could not be made
 */
struct consumer_stats {
	u64 hits;
	u64 missed;
};

/**
 * struct consumer - a registered probe
 * @u: the client's structure; only to be followed where @live holds (atomic
 *	handlers, under RCU) or with @active held (handlers that may sleep)
 * @type: what @u is, or lies in
 * @atomic: handlers run in the trap
 * @in_every_process: it probes a file; constant
 * @live: cleared at unregistration; read under RCU
 * @stats: counters
 * @active: running sleepable handlers; killed at unregistration
 * @idle: completed when @active has come to zero
 * @calls: return instances that name this consumer; killed at unregistration,
 *	holds a reference of @refs until then
 * @refs: holds the memory: the registration, each consumer set, @calls
 * @lock: protects @attachments and @dying
 * @attachments: where this consumer is attached
 * @dying: no further attachments
 * @file: the file that it probes, or NULL
 * @offset: where in @file
 * @in_file: in probe_file::consumers, protected by probe_file::sem
 * @expect: bytes that must be found at the instruction
 * @expect_len: how many
 * @free: frees the memory a grace period after the last reference
 */
struct consumer {
	struct uprobe *u;
	enum consumer_type type;
	bool atomic;
	bool in_every_process;
	bool live;
	struct consumer_stats __percpu *stats;
	struct percpu_ref active;
	struct completion idle;
	struct percpu_ref calls;
	refcount_t refs;
	spinlock_t lock;
	struct list_head attachments;
	bool dying;
	struct probe_file *file;
	loff_t offset;
	struct list_head in_file;
	u8 expect[15];
	u8 expect_len;
	struct rcu_work free;
};

/**
 * struct consumer_set - the consumers of one site, as the trap sees them
 * @refs: the site, and each hit that runs sleepable handlers
 * @rcu: for the trap
 * @nr: consumers in all
 * @nr_atomic: entry consumers whose handler runs in the trap
 * @nr_sleepable: entry consumers whose handler runs in task context
 * @nr_return: return consumers
 * @consumers: in the order of registration; the set holds a reference of each
 *
 * Never changes once published; a new set takes its place.
 */
struct consumer_set {
	refcount_t refs;
	struct rcu_head rcu;
	unsigned int nr;
	unsigned int nr_atomic;
	unsigned int nr_sleepable;
	unsigned int nr_return;
	struct consumer *consumers[];
};

/**
 * struct probe_file - a file that is probed in all processes
 * @node: in the table of files, keyed by @inode
 * @inode: the file as processes map it; @file keeps it, and its mount
 * @file: open file description
 * @refs: the consumers, and who found it in the table
 * @sem: protects @consumers
 * @consumers: what is to be attached wherever the file is mapped
 * @rcu: for look-ups
 */
struct probe_file {
	struct rhash_head node;
	struct inode *inode;
	struct file *file;
	refcount_t refs;
	struct rw_semaphore sem;
	struct list_head consumers;
	struct rcu_head rcu;
};

int probe_init(void);
void probe_exit(void);

struct consumer *consumer_create(struct uprobe *u, enum consumer_type type);
void consumer_get(struct consumer *c);
void consumer_put(struct consumer *c);
bool consumer_retire(struct consumer *c);
void consumer_wait(struct consumer *c);
bool consumer_active_get(struct consumer *c);
struct uprobe_counts consumer_counts(const struct consumer *c);

/* A handler that may sleep has returned; undoes consumer_active_get(). */
static inline void consumer_active_put(struct consumer *c)
{
	percpu_ref_put(&c->active);
}

static inline void consumer_hit(struct consumer *c)
{
	this_cpu_inc(c->stats->hits);
}

static inline void consumer_missed(struct consumer *c)
{
	this_cpu_inc(c->stats->missed);
}

struct consumer_set *consumer_set_add(const struct consumer_set *old, struct consumer *c);
struct consumer_set *consumer_set_del(const struct consumer_set *old, struct consumer *c);
void consumer_set_put(struct consumer_set *set);

struct probe_file *probe_file_find(const struct inode *inode);
bool probe_file_wanted(const struct inode *inode);
bool probe_files_any(void);
void probe_file_put(struct probe_file *file);
int probe_file_add(struct file *file, struct consumer *c);
void probe_file_del(struct consumer *c);

#endif /* _UPROBES_PROBE_H */
