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

#include "whose.h"
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

	if (current->mm == mm && tracer_pids_listed(listed, TRACER_PIDS_ONLY, current))
		return true;
	rcu_read_lock();
	owner = owner_of(mm);
	has = owner && tracer_pids_listed(listed, TRACER_PIDS_ONLY, owner);
	/* If there are more users than its threads and the caller, search all: that is slow. */
	if (owner)
		shared = atomic_read(&mm->mm_users) > get_nr_threads(owner) + 1;
	rcu_read_unlock();
	return has || (shared && tracer_pids_any(listed, TRACER_PIDS_ONLY, process_has, mm));
}

/* Handle "only pid" or "only tree".  The last such line counts, unless it fails. */
static int take_process(struct tracer_whose *whose, const char *value, bool tree)
{
	struct pid *tgid = find_pid(value);
	int ret;

	if (IS_ERR(tgid))
		return PTR_ERR(tgid);
	ret = process_has(tgid, NULL) ? 0 : -ESRCH;
	if (!ret && tree)
		ret = tracer_pids_tree(&whose->listed, TRACER_PIDS_ONLY, tgid);
	if (ret) {
		put_pid(tgid);
		return ret;
	}
	put_pid(whose->tgid);
	whose->tgid = tgid;
	whose->tree = tree;
	return 0;
}

static int take_tid(struct tracer_whose *whose, const char *value)
{
	struct pid *tid = find_pid(value);

	if (IS_ERR(tid))
		return PTR_ERR(tid);
	put_pid(whose->tid);
	whose->tid = tid;
	return 0;
}

static int take_uid(struct tracer_whose *whose, const char *value)
{
	kuid_t uid;
	uid_t nr;

	if (kstrtouint(value, 10, &nr))
		return -EINVAL;
	uid = make_kuid(current_user_ns(), nr);
	if (!uid_valid(uid))
		return -EINVAL;
	whose->uid = uid;
	whose->has_uid = true;
	return 0;
}

static int take_comm(struct tracer_whose *whose, const char *value)
{
	strscpy(whose->comm, value, sizeof(whose->comm));
	return 0;
}

/**
 * tracer_whose_only() - handle a line "only WHAT VALUE"
 * @whose: the selection to change
 * @words: "WHAT VALUE"
 *
 * Context: may sleep; no other task changes @whose, and no handler uses it.
 * Return: 0; -EINVAL; -ESRCH if there is no such process; -ENOMEM.
 */
int tracer_whose_only(struct tracer_whose *whose, const char *words)
{
	const char *value = strchr(words, ' ');
	size_t len;
	int ret = -EINVAL;

	if (!value || !value[1])
		return -EINVAL;
	len = value++ - words;
	if (len == 3 && !strncmp(words, "pid", len))
		ret = take_process(whose, value, false);
	else if (len == 4 && !strncmp(words, "tree", len))
		ret = take_process(whose, value, true);
	else if (len == 3 && !strncmp(words, "tid", len))
		ret = take_tid(whose, value);
	else if (len == 3 && !strncmp(words, "uid", len))
		ret = take_uid(whose, value);
	else if (len == 4 && !strncmp(words, "comm", len))
		ret = take_comm(whose, value);
	if (!ret)
		whose->any = true;
	return ret;
}

/**
 * tracer_whose_except() - handle a line "except PID"
 * @whose: the selection to change
 * @value: "PID"
 *
 * Context: as for tracer_whose_only().
 * Return: 0; -EINVAL; -ESRCH if there is no such process; -ENOSPC if there are too many.
 */
int tracer_whose_except(struct tracer_whose *whose, const char *value)
{
	struct pid *tgid = find_pid(value);
	int ret = 0;

	if (IS_ERR(tgid))
		return PTR_ERR(tgid);
	if (!process_has(tgid, NULL))
		ret = -ESRCH;
	else if (whose->nexcept == TRACER_EXCEPT_MAX)
		ret = -ENOSPC;
	if (ret) {
		put_pid(tgid);
		return ret;
	}
	whose->except[whose->nexcept++] = tgid;
	whose->any = true;
	return 0;
}

/* The slow path of tracer_whose_drops(), if the selection is not empty. */
enum tracer_drop tracer_whose_look(const struct tracer_whose *whose)
{
	unsigned int i;

	if (whose->tid && task_pid(current) != whose->tid)
		return TRACER_DROP_TID;
	if (whose->tgid && !(whose->tree ?
			     tracer_pids_listed(&whose->listed, TRACER_PIDS_ONLY, current) :
			     task_tgid(current) == whose->tgid))
		return TRACER_DROP_PID;
	for (i = 0; i < whose->nexcept; i++) {
		if (task_tgid(current) == whose->except[i])
			return TRACER_DROP_EXCEPT;
	}
	if (whose->has_uid && !uid_eq(current_euid(), whose->uid))
		return TRACER_DROP_UID;
	if (whose->comm[0] && strncmp(current->comm, whose->comm, sizeof(whose->comm)))
		return TRACER_DROP_COMM;
	return TRACER_DROP_NOT;
}

/**
 * tracer_whose_needs() - check whether an address space must be probed
 * @whose: the selection
 * @mm: the address space, in use
 *
 * A process may get another address space.  execve(): this function is called for the new one, once
 * the process has it.  fork(): it is called for the child's if the parent's is probed.
 *
 * Context: task.
 */
bool tracer_whose_needs(const struct tracer_whose *whose, struct mm_struct *mm)
{
	unsigned int i;

	if (whose->tid && !thread_has(whose->tid, mm))
		return false;
	if (whose->tgid && !(whose->tree ? listed_has(&whose->listed, mm) :
					   process_has(whose->tgid, mm)))
		return false;
	for (i = 0; i < whose->nexcept; i++) {
		if (process_has(whose->except[i], mm))
			return false;
	}
	return true;
}

/**
 * tracer_whose_release() - free the resources of a selection
 * @whose: the selection; no handler uses it any more
 *
 * Context: may sleep.
 */
void tracer_whose_release(struct tracer_whose *whose)
{
	tracer_pids_follow(&whose->listed, false);
	tracer_pids_clear(&whose->listed, TRACER_PIDS_ONLY);
	put_pid(whose->tgid);
	put_pid(whose->tid);
	while (whose->nexcept)
		put_pid(whose->except[--whose->nexcept]);
}
