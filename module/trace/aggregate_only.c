// SPDX-License-Identifier: GPL-2.0
/*
 * Whose hits are counted: a line "only WHAT VALUE", WHAT being pid, tree (the
 * process and those it started), tid, uid or comm.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "aggregate.h"

/* Processes above one another; nobody nests deeper on purpose. */
#define TREE_MAX 64

static struct pid *find_pid(const char *value)
{
	struct pid *pid;
	pid_t nr;

	if (kstrtoint(value, 10, &nr) || nr <= 0)
		return ERR_PTR(-EINVAL);
	pid = find_get_pid(nr);
	return pid ?: ERR_PTR(-ESRCH);
}

static struct mm_struct *find_mm(struct pid *tgid)
{
	struct task_struct *task = get_pid_task(tgid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? get_task_mm(task) : NULL;

	if (task)
		put_task_struct(task);
	if (!mm)
		return ERR_PTR(-ESRCH);
	mmgrab(mm);
	mmput(mm);
	return mm;
}

static void forget_process(struct aggregate_only *only)
{
	if (only->mm)
		mmdrop(only->mm);
	put_pid(only->tgid);
}

/* The later of two such lines counts, but one that fails changes nothing. */
static int take_process(const char *value, bool tree, struct aggregate_only *only)
{
	struct pid *tgid = find_pid(value);
	/* Of one process, only the address space need be probed. */
	struct mm_struct *mm = IS_ERR(tgid) || tree ? NULL : find_mm(tgid);

	if (IS_ERR(tgid))
		return PTR_ERR(tgid);
	if (IS_ERR(mm)) {
		put_pid(tgid);
		return PTR_ERR(mm);
	}
	forget_process(only);
	only->tgid = tgid;
	only->mm = mm;
	only->tree = tree;
	return 0;
}

static int take_tid(const char *value, struct aggregate_only *only)
{
	struct pid *tid = find_pid(value);

	if (IS_ERR(tid))
		return PTR_ERR(tid);
	put_pid(only->tid);
	only->tid = tid;
	return 0;
}

static int take_uid(const char *value, struct aggregate_only *only)
{
	kuid_t uid;
	uid_t nr;

	if (kstrtouint(value, 10, &nr))
		return -EINVAL;
	uid = make_kuid(current_user_ns(), nr);
	if (!uid_valid(uid))
		return -EINVAL;
	only->uid = uid;
	only->has_uid = true;
	return 0;
}

/**
 * aggregate_only_parse() - take a restriction
 * @only: what it is added to
 * @words: "WHAT VALUE"
 *
 * Context: may sleep.
 * Return: 0, -EINVAL, or -ESRCH for a process that is not there.
 */
int aggregate_only_parse(struct aggregate_only *only, const char *words)
{
	const char *value = strchr(words, ' ');
	size_t len;

	if (!value || !value[1])
		return -EINVAL;
	len = value++ - words;
	if (len == 3 && !strncmp(words, "pid", len))
		return take_process(value, false, only);
	if (len == 4 && !strncmp(words, "tree", len))
		return take_process(value, true, only);
	if (len == 3 && !strncmp(words, "tid", len))
		return take_tid(value, only);
	if (len == 3 && !strncmp(words, "uid", len))
		return take_uid(value, only);
	if (len == 4 && !strncmp(words, "comm", len)) {
		strscpy(only->comm, value, sizeof(only->comm));
		return 0;
	}
	return -EINVAL;
}

static bool is_below(struct pid *tgid)
{
	struct task_struct *task = current;
	unsigned int i;
	bool below = false;

	rcu_read_lock();
	for (i = 0; i < TREE_MAX && task && task->pid && !below; i++) {
		below = task_tgid(task) == tgid;
		task = rcu_dereference(task->real_parent);
	}
	rcu_read_unlock();
	return below;
}

/**
 * aggregate_only_matches() - does the hit of the current task count?
 * @only: whose hits count
 *
 * Context: any.
 */
bool aggregate_only_matches(const struct aggregate_only *only)
{
	if (only->tid && task_pid(current) != only->tid)
		return false;
	if (only->tgid && !(only->tree ? is_below(only->tgid) :
			    task_tgid(current) == only->tgid))
		return false;
	if (only->has_uid && !uid_eq(current_euid(), only->uid))
		return false;
	return !only->comm[0] || !strncmp(current->comm, only->comm,
					  sizeof(only->comm));
}

void aggregate_only_release(struct aggregate_only *only)
{
	forget_process(only);
	put_pid(only->tid);
}
