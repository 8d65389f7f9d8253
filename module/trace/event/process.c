// SPDX-License-Identifier: GPL-2.0
/*
 * Probes on one process: PATH is the file "mem" in the process's directory in procfs, and OFFSET is
 * an address.  So a definition can name code that is in no file, such as the vDSO or the output of
 * a JIT compiler.
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

/* Find the process of a file in procfs: the name of the file's directory is the process's id. */
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
 * tracer_process_find() - find the process whose memory PATH is
 * @path: PATH as it was written
 *
 * Context: may sleep.
 * Return: the struct pid of the process or of one of its threads, to be put by put_pid(); NULL if
 * PATH is another file, or no file; -ENOMEM.
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
	/* Ignore other errors: the caller gets them when it opens PATH as a file. */
	if (ret == -ENOMEM)
		pid = ERR_PTR(ret);
	kfree(name);
	return pid;
}

/**
 * tracer_site_aim() - set the process id of a site that is about to be registered
 * @site: the site
 *
 * A process has another id in each namespace, and its id may be reused later.  So the id is looked
 * up only when the site is registered.
 *
 * Context: may sleep.
 * Return: 0, also for a site in a file; -ESRCH if the process is gone.
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
