// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that belong to one process: PATH is the mem file of its directory in
 * procfs, whose offsets are addresses.  That is how code is named that no file
 * holds, such as the vDSO's or what a JIT compiler has made.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/magic.h>
#include <linux/namei.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "process.h"
#include "trace/parse/parse.h"

#define MEM_FILE "/mem"

/* The directory that a file of procfs is in is called by the process's id. */
static struct pid *owner_of(struct dentry *mem)
{
	struct dentry *dir = dget_parent(mem);
	struct name_snapshot name;
	struct pid *pid = NULL;
	int nr;

	take_dentry_name_snapshot(&name, dir);
	if (!kstrtoint(name.name.name, 10, &nr)) {
		rcu_read_lock();
		pid = get_pid(find_pid_ns(nr, proc_pid_ns(dir->d_sb)));
		rcu_read_unlock();
	}
	release_dentry_name_snapshot(&name);
	dput(dir);
	return pid;
}

static bool is_mem_file(const struct path *path)
{
	return path->dentry->d_sb->s_magic == PROC_SUPER_MAGIC &&
	       d_is_reg(path->dentry);
}

/**
 * tracer_process_find() - the process whose memory PATH is
 * @path: PATH as it was written
 *
 * Context: may sleep.
 * Return: its id, or that of one of its threads, to be put by put_pid(); NULL
 * when PATH is another file, or none; -ENOMEM.
 */
struct pid *tracer_process_find(const char *path)
{
	const char *end = strrchr(path, '/');
	struct pid *pid = NULL;
	struct path found;
	char *name;
	int ret = -ENOENT;

	if (!end || strcmp(end, MEM_FILE))
		return NULL;
	name = kmalloc(PATH_MAX, GFP_KERNEL);
	if (!name)
		return ERR_PTR(-ENOMEM);
	if (tracer_path_unescape(path, name, PATH_MAX) < PATH_MAX)
		ret = kern_path(name, LOOKUP_FOLLOW, &found);
	if (!ret) {
		if (is_mem_file(&found))
			pid = owner_of(found.dentry);
		path_put(&found);
	}
	/* Whoever opens PATH as a file finds out what else is wrong with it. */
	if (ret == -ENOMEM)
		pid = ERR_PTR(ret);
	kfree(name);
	return pid;
}

/**
 * tracer_site_aim() - say which process a site is in
 * @site: the site
 *
 * The number of a process is another one in each namespace, and may be
 * another process's one day: it is looked up when the site is registered.
 *
 * Context: may sleep.
 * Return: 0, also for a site in a file; -ESRCH when the process is gone.
 */
int tracer_site_aim(struct tracer_site *site)
{
	bool lives;

	if (!site->process)
		return 0;
	rcu_read_lock();
	lives = pid_task(site->process, PIDTYPE_PID);
	rcu_read_unlock();
	site->rp.u.pid = pid_vnr(site->process);
	return lives && site->rp.u.pid ? 0 : -ESRCH;
}
