// SPDX-License-Identifier: GPL-2.0
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mm_types.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/user_namespace.h>

#include "tasks.h"
#include "pids.h"

static struct pid *find_pid(const char *value)
{
	struct pid *pid;
	pid_t nr;

	if (kstrtoint(value, 10, &nr) || nr <= 0)
		return ERR_PTR(-EINVAL);
	pid = find_get_pid(nr);
	return pid ?: ERR_PTR(-ESRCH);
}

/* Check whether a process has this address space, or any address space if @mm is NULL. */
static bool process_has(struct pid *tgid, const struct mm_struct *mm)
{
	const struct mm_struct *theirs;
	struct task_struct *task, *t;
	bool has = false;

	rcu_read_lock();
	task = pid_task(tgid, PIDTYPE_TGID);
	if (task && !(task->flags & PF_KTHREAD)) {
		/* The leader may have exited before other threads. */
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

static bool thread_has(struct pid *tid, const struct mm_struct *mm)
{
	struct task_struct *task;
	bool has;

	rcu_read_lock();
	task = pid_task(tid, PIDTYPE_PID);
	has = task && READ_ONCE(task->mm) == mm;
	rcu_read_unlock();
	return has;
}

/* Return the owner of an address space; NULL if it has none, or if the kernel does not note it. */
static struct task_struct *owner_of(struct mm_struct *mm)
{
#ifdef CONFIG_MEMCG
	return rcu_dereference(mm->owner);
#else
	return NULL;
#endif
}

/* Check whether one of the listed processes has this address space. */
static bool listed_has(const struct tracer_pids *listed, struct mm_struct *mm)
{
	struct task_struct *owner;
	bool has, shared = true;

	if (current->mm == mm && tracer_pids_listed(listed, current))
		return true;
	rcu_read_lock();
	owner = owner_of(mm);
	has = owner && tracer_pids_listed(listed, owner);
	/* If there are more users than its threads and the caller, search all: that is slow. */
	if (owner)
		shared = atomic_read(&mm->mm_users) > get_nr_threads(owner) + 1;
	rcu_read_unlock();
	return has || (shared && tracer_pids_any(listed, process_has, mm));
}

/* Handle "only pid" or "only tree".  The last such line counts, unless it fails. */
static int take_process(struct tracer_tasks *tasks, const char *value, bool tree)
{
	struct pid *tgid = find_pid(value);
	int ret;

	if (IS_ERR(tgid))
		return PTR_ERR(tgid);
	ret = process_has(tgid, NULL) ? 0 : -ESRCH;
	if (!ret && tree)
		ret = tracer_pids_tree(&tasks->listed, tgid);
	if (ret) {
		put_pid(tgid);
		return ret;
	}
	put_pid(tasks->tgid);
	tasks->tgid = tgid;
	tasks->tree = tree;
	return 0;
}

static int take_tid(struct tracer_tasks *tasks, const char *value)
{
	struct pid *tid = find_pid(value);

	if (IS_ERR(tid))
		return PTR_ERR(tid);
	put_pid(tasks->tid);
	tasks->tid = tid;
	return 0;
}

static int take_uid(struct tracer_tasks *tasks, const char *value)
{
	kuid_t uid;
	uid_t nr;

	if (kstrtouint(value, 10, &nr))
		return -EINVAL;
	uid = make_kuid(current_user_ns(), nr);
	if (!uid_valid(uid))
		return -EINVAL;
	tasks->uid = uid;
	tasks->has_uid = true;
	return 0;
}

static int take_comm(struct tracer_tasks *tasks, const char *value)
{
	strscpy(tasks->comm, value, sizeof(tasks->comm));
	return 0;
}

/**
 * tracer_tasks_only() - handle a line "only WHAT VALUE"
 * @tasks: the selection to change
 * @words: "WHAT VALUE"
 *
 * Context: may sleep; no other task changes @tasks, and no handler uses it.
 * Return: 0; -EINVAL; -ESRCH if there is no such process; -ENOMEM.
 */
int tracer_tasks_only(struct tracer_tasks *tasks, const char *words)
{
	const char *value = strchr(words, ' ');
	size_t len;
	int ret = -EINVAL;

	if (!value || !value[1])
		return -EINVAL;
	len = value++ - words;
	if (len == 3 && !strncmp(words, "pid", len))
		ret = take_process(tasks, value, false);
	else if (len == 4 && !strncmp(words, "tree", len))
		ret = take_process(tasks, value, true);
	else if (len == 3 && !strncmp(words, "tid", len))
		ret = take_tid(tasks, value);
	else if (len == 3 && !strncmp(words, "uid", len))
		ret = take_uid(tasks, value);
	else if (len == 4 && !strncmp(words, "comm", len))
		ret = take_comm(tasks, value);
	if (!ret)
		tasks->any = true;
	return ret;
}

/**
 * tracer_tasks_except() - handle a line "except PID"
 * @tasks: the selection to change
 * @value: "PID"
 *
 * Context: as for tracer_tasks_only().
 * Return: 0; -EINVAL; -ESRCH if there is no such process; -ENOSPC if there are too many.
 */
int tracer_tasks_except(struct tracer_tasks *tasks, const char *value)
{
	struct pid *tgid = find_pid(value);
	int ret = 0;

	if (IS_ERR(tgid))
		return PTR_ERR(tgid);
	if (!process_has(tgid, NULL))
		ret = -ESRCH;
	else if (tasks->nexcept == TRACER_EXCEPT_MAX)
		ret = -ENOSPC;
	if (ret) {
		put_pid(tgid);
		return ret;
	}
	tasks->except[tasks->nexcept++] = tgid;
	tasks->any = true;
	return 0;
}

/* The slow path of tracer_tasks_drops(), if the selection is not empty. */
enum tracer_drop tracer_tasks_check(const struct tracer_tasks *tasks)
{
	unsigned int i;

	if (tasks->tid && task_pid(current) != tasks->tid)
		return TRACER_DROP_TID;
	if (tasks->tgid && !(tasks->tree ?
			     tracer_pids_listed(&tasks->listed, current) :
			     task_tgid(current) == tasks->tgid))
		return TRACER_DROP_PID;
	for (i = 0; i < tasks->nexcept; i++) {
		if (task_tgid(current) == tasks->except[i])
			return TRACER_DROP_EXCEPT;
	}
	if (tasks->has_uid && !uid_eq(current_euid(), tasks->uid))
		return TRACER_DROP_UID;
	if (tasks->comm[0] && strncmp(current->comm, tasks->comm, sizeof(tasks->comm)))
		return TRACER_DROP_COMM;
	return TRACER_DROP_NOT;
}

/**
 * tracer_tasks_needs() - check whether an address space must be probed
 * @tasks: the selection
 * @mm: the address space, in use
 *
 * A process may get another address space.  execve(): this function is called for the new one, once
 * the process has it.  fork(): it is called for the child's if the parent's is probed.
 *
 * Context: task.
 */
bool tracer_tasks_needs(const struct tracer_tasks *tasks, struct mm_struct *mm)
{
	unsigned int i;

	if (tasks->tid && !thread_has(tasks->tid, mm))
		return false;
	if (tasks->tgid && !(tasks->tree ? listed_has(&tasks->listed, mm) :
					   process_has(tasks->tgid, mm)))
		return false;
	for (i = 0; i < tasks->nexcept; i++) {
		if (process_has(tasks->except[i], mm))
			return false;
	}
	return true;
}

/**
 * tracer_tasks_release() - free the resources of a selection
 * @tasks: the selection; no handler uses it any more
 *
 * Context: may sleep.
 */
void tracer_tasks_release(struct tracer_tasks *tasks)
{
	tracer_pids_follow(&tasks->listed, false);
	tracer_pids_clear(&tasks->listed);
	put_pid(tasks->tgid);
	put_pid(tasks->tid);
	while (tasks->nexcept)
		put_pid(tasks->except[--tasks->nexcept]);
}
