/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file that is probed in all processes.
 */
#ifndef _UPROBES_PROBE_FILE_H
#define _UPROBES_PROBE_FILE_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/rhashtable-types.h>
#include <linux/rwsem.h>

struct consumer;
struct file;
struct inode;

/**
 * struct probe_file - a file that is probed in all processes
 * @node: in the table of files, keyed by @inode
 * @inode: the file as processes map it, with a reference
 * @file: open file description, which keeps the file system mounted; NULL if the client keeps
 *	it mounted
 * @refs: one for each consumer, and one for each user that has looked it up
 * @sem: protects @consumers
 * @consumers: consumers to attach in each mapping of the file
 * @nr_ref_ctrs: number of consumers with a reference counter
 * @rcu: frees it after look-ups in flight
 */
struct probe_file {
	struct rhash_head node;
	struct inode *inode;
	struct file *file;
	refcount_t refs;
	struct rw_semaphore sem;
	struct list_head consumers;
	atomic_t nr_ref_ctrs;
	struct rcu_head rcu;
};

int probe_file_init(void);
void probe_file_exit(void);
struct probe_file *probe_file_find(const struct inode *inode);
bool probe_file_wanted(const struct inode *inode, bool as_code);
bool probe_files_any(void);
void probe_file_put(struct probe_file *file);
int probe_file_add(struct inode *inode, struct file *file, struct consumer *c);
void probe_file_del(struct consumer *c);

#endif /* _UPROBES_PROBE_FILE_H */
