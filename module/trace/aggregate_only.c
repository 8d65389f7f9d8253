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
#include <linux/sched.h>
#include <linux/sched/signal.h>
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

/* Does a process have this address space, or with NULL any? */
static bool process_has(struct pid *tgid, const struct mm_struct *mm)
{
	const struct mm_struct *theirs;
	struct task_struct *task, *t;
	bool has = false;

	rcu_read_lock();
	task = pid_task(tgid, PIDTYPE_TGID);
	if (task && !(task->flags & PF_KTHREAD)) {
		/* The leader may have exited before the others. */
		for_each_thread(task, t) {
			theirs = READ_ONCE(t->mm);
			has = mm ? theirs == mm : !!theirs;
			if (has)
				break;
		}
	}
	rcu_read_unlock();
	return has;
}

/* The later of two such lines counts, but one that fails changes nothing. */
static int take_process(const char *value, bool tree, struct aggregate_only *only)
{
	struct pid *tgid = find_pid(value);

	if (IS_ERR(tgid))
		return PTR_ERR(tgid);
	if (!tree && !process_has(tgid, NULL)) {
		put_pid(tgid);
		return -ESRCH;
	}
	put_pid(only->tgid);
	only->tgid = tgid;
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

/**
 * aggregate_only_needs() - is an address space to be probed?
 * @only: whose hits count
 * @mm: the address space, in use
 *
 * That of one process may be another one later: execve() has each new one asked about, when
 * the process has it already.
 *
 * Context: task.
 */
bool aggregate_only_needs(const struct aggregate_only *only, const struct mm_struct *mm)
{
	return !only->tgid || only->tree || process_has(only->tgid, mm);
}

void aggregate_only_release(struct aggregate_only *only)
{
	put_pid(only->tgid);
	put_pid(only->tid);
}
