// SPDX-License-Identifier: GPL-2.0
/*
 * Whose hits are counted: a line "only WHAT VALUE", WHAT being pid, tree (the
 * process and those it started), tid, uid or comm.
 */
#include <linux/cred.h>
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

static int take_pid(const char *value, struct pid **pid)
{
	struct pid *found;
	pid_t nr;

	if (kstrtoint(value, 10, &nr) || nr <= 0)
		return -EINVAL;
	found = find_get_pid(nr);
	if (!found)
		return -ESRCH;
	put_pid(*pid);
	*pid = found;
	return 0;
}

/* Only one address space need be probed then. */
static int take_mm(struct aggregate_only *only)
{
	struct task_struct *task = get_pid_task(only->tgid, PIDTYPE_TGID);
	struct mm_struct *mm = task ? get_task_mm(task) : NULL;

	if (task)
		put_task_struct(task);
	if (!mm)
		return -ESRCH;
	mmgrab(mm);
	mmput(mm);
	if (only->mm)
		mmdrop(only->mm);
	only->mm = mm;
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
		return take_pid(value, &only->tgid) ?: take_mm(only);
	if (len == 4 && !strncmp(words, "tree", len)) {
		only->tree = true;
		return take_pid(value, &only->tgid);
	}
	if (len == 3 && !strncmp(words, "tid", len))
		return take_pid(value, &only->tid);
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
	if (only->has_uid && !uid_eq(current_uid(), only->uid))
		return false;
	return !only->comm[0] || !strncmp(current->comm, only->comm,
					  sizeof(only->comm));
}

void aggregate_only_release(struct aggregate_only *only)
{
	if (only->mm)
		mmdrop(only->mm);
	put_pid(only->tgid);
	put_pid(only->tid);
}
