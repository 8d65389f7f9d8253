/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The places that the torture probes, and its random numbers.
 */
#ifndef _TESTS_TORTURE_TARGET_H
#define _TESTS_TORTURE_TARGET_H

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/moduleparam.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#define TARGETS		512

static struct target {
	struct file *file;
	const char *path;
	const char *name;
	loff_t offset;
	unsigned long vaddr;
	int function;
	unsigned long k;
	loff_t ref;
	bool spanned, by_inode;
} targets[TARGETS];

static unsigned int nr_targets;

static unsigned int draw(u64 *random, unsigned int limit)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*random >> 33) % limit;
}

/* Choose a process that executes the target's file: its name is that of the file. */
static pid_t process_of(const struct target *t, u64 *random)
{
	unsigned int n = 0, which;
	struct task_struct *task;
	pid_t pid = 0;

	rcu_read_lock();
	for_each_process(task)
		n += task->mm && !strncmp(task->comm, t->name, TASK_COMM_LEN - 1);
	which = n ? draw(random, n) : 0;
	for_each_process(task) {
		if (task->mm && !strncmp(task->comm, t->name, TASK_COMM_LEN - 1) &&
		    (!which-- || !pid))
			pid = task->pid;
	}
	rcu_read_unlock();
	return pid;
}

static int target_set(const char *line, const struct kernel_param *kp)
{
	struct target t = {};
	unsigned int spanned;
	char path[128];

	if (nr_targets == TARGETS)
		return -ENOSPC;
	if (sscanf(line, "%127s %lli %lx %d %lu %lli %u", path, &t.offset, &t.vaddr, &t.function,
		   &t.k, &t.ref, &spanned) != 7)
		return -EINVAL;
	t.spanned = spanned;
	t.path = kstrdup(path, GFP_KERNEL);
	t.file = t.path ? filp_open(path, O_RDONLY, 0) : ERR_PTR(-ENOMEM);
	if (IS_ERR(t.file)) {
		kfree(t.path);
		return PTR_ERR(t.file);
	}
	t.name = kbasename(t.path);
	/*
	 * The guest's libraries are files of the host on 9p, below an overlay.  9p cannot read them
	 * without an open file.
	 */
	t.by_inode = d_real_inode(t.file->f_path.dentry)->i_sb->s_magic != V9FS_MAGIC;
	targets[nr_targets++] = t;
	return 0;
}

static void targets_put(void)
{
	while (nr_targets--) {
		fput(targets[nr_targets].file);
		kfree(targets[nr_targets].path);
	}
}

static const struct kernel_param_ops target_ops = { .set = target_set };

#endif /* _TESTS_TORTURE_TARGET_H */
