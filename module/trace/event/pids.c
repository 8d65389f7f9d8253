// SPDX-License-Identifier: GPL-2.0
/*
 * Lists of threads.  Writers hold tracer.lock.  Handlers read the lists under RCU.  The functions
 * on the kernel's fork and exit tracepoints set and clear bits under RCU.
 */
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include <trace/events/sched.h>

#include <uprobes/uprobes.h>

#include "pids.h"
#include "probe/base/compat.h"
#include "trace/lib/space.h"

/* Maximum number of ancestors that are looked at; usual programs do not nest deeper. */
#define TREE_MAX 64

static bool listed(const unsigned long *bits, const struct task_struct *task)
{
	return test_bit(task->pid, bits) || test_bit(task->tgid, bits);
}

/* The slow path of tracer_pids_pass(), if there are lists. */
bool tracer_pids_look(const struct tracer_pids *lists, const struct task_struct *task)
{
	const unsigned long *only, *never;
	bool pass;

	rcu_read_lock();
	only = rcu_dereference(lists[TRACER_PIDS_ONLY].bits);
	never = rcu_dereference(lists[TRACER_PIDS_NEVER].bits);
	pass = (!only || listed(only, task)) && (!never || !listed(never, task));
	rcu_read_unlock();
	return pass;
}

/**
 * tracer_pids_listed() - check whether a task is in a list
 * @pids: the list
 * @task: the task
 *
 * Context: any.
 */
bool tracer_pids_listed(const struct tracer_pids *pids, const struct task_struct *task)
{
	const unsigned long *bits;
	bool found;

	rcu_read_lock();
	bits = rcu_dereference(pids->bits);
	found = bits && listed(bits, task);
	rcu_read_unlock();
	return found;
}

/**
 * tracer_pids_any() - check whether one of the processes in a list has an address space
 * @pids: the list
 * @has: checks one process
 * @mm: the address space
 *
 * Context: task.
 */
bool tracer_pids_any(const struct tracer_pids *pids, tracer_has_mm_fn *has,
		     const struct mm_struct *mm)
{
	const unsigned long *bits;
	unsigned long nr;
	struct pid *pid;
	bool found = false;

	rcu_read_lock();
	bits = rcu_dereference(pids->bits);
	for (nr = bits ? find_first_bit(bits, PID_MAX_LIMIT) : PID_MAX_LIMIT;
	     nr < PID_MAX_LIMIT && !found; nr = find_next_bit(bits, PID_MAX_LIMIT, nr + 1)) {
		pid = find_pid_ns(nr, &init_pid_ns);
		found = pid && has(pid, mm);
	}
	rcu_read_unlock();
	return found;
}

/* Parse the next number of @text.  Return it, -1 at the end of @text, or -EINVAL. */
static long next_pid(const char **text)
{
	const char *s = *text;
	unsigned long pid = 0;

	s = tracer_skip_space(s);
	*text = s;
	if (!*s)
		return -1;
	for (; isdigit(*s); s++) {
		pid = pid * 10 + (*s - '0');
		if (pid >= PID_MAX_LIMIT)
			return -EINVAL;
	}
	if (s == *text || (*s && !tracer_is_space(*s)))
		return -EINVAL;
	*text = s;
	return pid;
}

/**
 * tracer_pids_ns() - get the pid namespace of the current task
 *
 * Return: its pid namespace, or NULL for the initial one.
 */
struct pid_namespace *tracer_pids_ns(void)
{
	struct pid_namespace *ns = task_active_pid_ns(current);

	return ns == &init_pid_ns ? NULL : ns;
}

/**
 * tracer_pids_seen() - translate an id to the pid namespace of the current task
 * @nr: id of a thread in the initial namespace
 *
 * Return: its id there, or 0 if it is not visible there.
 */
int tracer_pids_seen(unsigned long nr)
{
	struct pid_namespace *ns = tracer_pids_ns();
	int seen;

	if (!ns)
		return nr;
	rcu_read_lock();
	seen = pid_nr_ns(find_pid_ns(nr, &init_pid_ns), ns);
	rcu_read_unlock();
	return seen;
}

/* Translate an id from the pid namespace of the current task.  Return -ESRCH if there is none. */
static long pid_meant(long nr)
{
	struct pid_namespace *ns = tracer_pids_ns();
	long meant;

	/* In the initial namespace, an id can be listed before its thread exists. */
	if (!ns || nr < 0)
		return nr;
	rcu_read_lock();
	meant = pid_nr(find_pid_ns(nr, ns));
	rcu_read_unlock();
	return meant ?: -ESRCH;
}

static unsigned long *list_alloc(void)
{
	return vzalloc(BITS_TO_LONGS(PID_MAX_LIMIT) * sizeof(unsigned long));
}

/**
 * tracer_pids_add() - add ids to a list
 * @pids: the list
 * @text: numbers, separated by white space; if there are none, nothing changes
 *
 * Context: under tracer.lock.
 * Return: 0; -ENOMEM; -EINVAL if a word is not an id; in a pid namespace, -ESRCH if there is no
 * such thread.  After an error, no id is added.
 */
int tracer_pids_add(struct tracer_pids *pids, const char *text)
{
	unsigned long *bits = rcu_dereference_protected(pids->bits, true);
	const char *s = text;
	bool fresh = !bits;
	long pid;

	/* Hits until now are judged by the lists until now. */
	uprobes_empty_rings();
	for (pid = next_pid(&s); pid >= 0; pid = next_pid(&s)) {
		if (pid_meant(pid) < 0)
			return -ESRCH;
	}
	if (pid == -EINVAL)
		return pid;
	s = text;
	pid = next_pid(&s);
	if (pid < 0)
		return 0;

	if (fresh) {
		bits = list_alloc();
		if (!bits)
			return -ENOMEM;
	}
	for (; pid >= 0; pid = next_pid(&s)) {
		/* The thread may have exited since the check above. */
		if (pid_meant(pid) >= 0)
			set_bit(pid_meant(pid), bits);
	}
	if (fresh)
		rcu_assign_pointer(pids->bits, bits);
	return 0;
}

/**
 * tracer_pids_clear() - remove a list
 * @pids: the list
 *
 * Context: under tracer.lock.
 */
void tracer_pids_clear(struct tracer_pids *pids)
{
	unsigned long *bits = rcu_dereference_protected(pids->bits, true);

	/* Hits until now are judged by the lists until now. */
	uprobes_empty_rings();
	if (!bits)
		return;
	RCU_INIT_POINTER(pids->bits, NULL);
	synchronize_rcu();
	vfree(bits);
}

/**
 * tracer_pids_next() - find the next id in a list
 * @pids: the list
 * @pid: the first id to look at
 *
 * Context: under tracer.lock.
 * Return: the id, or %PID_MAX_LIMIT if there is none.
 */
unsigned long tracer_pids_next(struct tracer_pids *pids, unsigned long pid)
{
	unsigned long *bits = rcu_dereference_protected(pids->bits, true);

	if (!bits || pid >= PID_MAX_LIMIT)
		return PID_MAX_LIMIT;
	return find_next_bit(bits, PID_MAX_LIMIT, pid);
}

static void on_fork(void *data, struct task_struct *parent,
		    struct task_struct *child)
{
	const struct tracer_pids *pids = data;
	unsigned long *bits;

	rcu_read_lock();
	bits = rcu_dereference(pids->bits);
	if (bits && listed(bits, parent))
		set_bit(child->pid, bits);
	rcu_read_unlock();
}

/* The id of a process stands for all of its threads: remove it with the last thread. */
static void task_exits(void *data, struct task_struct *task)
{
	const struct tracer_pids *pids = data;
	unsigned long *bits;

	rcu_read_lock();
	bits = rcu_dereference(pids->bits);
	if (bits && task->pid != task->tgid)
		clear_bit(task->pid, bits);
	if (bits && !atomic_read(&task->signal->live))
		clear_bit(task->tgid, bits);
	rcu_read_unlock();
}

COMPAT_EXIT_HOOK(on_exit, task_exits)

/**
 * struct points - the kernel's tracepoints that are used here
 * @fork: a task was made
 * @exit: a task exits
 */
struct points {
	struct tracepoint *fork;
	struct tracepoint *exit;
};

static void pick_point(struct tracepoint *tp, void *data)
{
	struct points *points = data;

	if (!strcmp(tp->name, "sched_process_fork"))
		points->fork = tp;
	else if (!strcmp(tp->name, "sched_process_exit"))
		points->exit = tp;
}

/**
 * tracer_pids_follow() - start or stop changing a list at forks and exits
 * @pids: the list
 * @on: true to start
 *
 * Context: under tracer.lock.
 * Return: 0 or -errno.
 */
int tracer_pids_follow(struct tracer_pids *pids, bool on)
{
	struct points points = {};
	int ret;

	/* Compare the types with the kernel's headers: a kernel may check them in its calls. */
	check_trace_callback_type_sched_process_fork(on_fork);
	check_trace_callback_type_sched_process_exit(on_exit);
	if (pids->following == on)
		return 0;
	for_each_kernel_tracepoint(pick_point, &points);
	if (!points.fork || !points.exit)
		return -EOPNOTSUPP;
	if (!on) {
		tracepoint_probe_unregister(points.fork, on_fork, pids);
		tracepoint_probe_unregister(points.exit, on_exit, pids);
		tracepoint_synchronize_unregister();
		pids->following = false;
		return 0;
	}
	ret = tracepoint_probe_register(points.fork, on_fork, pids);
	if (ret)
		return ret;
	ret = tracepoint_probe_register(points.exit, on_exit, pids);
	if (ret) {
		tracepoint_probe_unregister(points.fork, on_fork, pids);
		tracepoint_synchronize_unregister();
		return ret;
	}
	pids->following = true;
	return 0;
}

/* Check whether a process or one of its ancestors is in the list. */
static bool is_below(struct task_struct *task, const unsigned long *bits)
{
	unsigned int i;

	for (i = 0; i < TREE_MAX && task && task->pid; i++) {
		if (test_bit(task->tgid, bits))
			return true;
		task = rcu_dereference(task->real_parent);
	}
	return false;
}

/**
 * tracer_pids_tree() - fill a list with a process and its descendants, and keep it up to date
 * @pids: the list
 * @root: the process
 *
 * Context: may sleep; under the lock that protects the list.
 * Return: 0 or -errno; after an error, the list is unchanged.
 */
int tracer_pids_tree(struct tracer_pids *pids, struct pid *root)
{
	unsigned long *bits = list_alloc(), *old;
	struct task_struct *task;
	int ret;

	if (!bits)
		return -ENOMEM;
	ret = tracer_pids_follow(pids, true);
	if (ret) {
		vfree(bits);
		return ret;
	}
	/* Follow forks before the search, so that a child that is forked meanwhile is listed. */
	set_bit(pid_nr(root), bits);
	old = rcu_replace_pointer(pids->bits, bits, true);
	rcu_read_lock();
	for_each_process(task) {
		if (is_below(task, bits))
			set_bit(task->tgid, bits);
	}
	rcu_read_unlock();
	if (old) {
		synchronize_rcu();
		vfree(old);
	}
	return 0;
}
