/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lists of threads that select the hits to record: set_event_pid and set_event_notrace_pid.
 *
 * As in tracefs, an id stands for a thread.  The id of a process stands for all of its threads,
 * present and future.  With the option event-fork, children of listed threads are added to the
 * list, and threads that exit are removed from it.
 */
#ifndef _TRACER_PIDS_H
#define _TRACER_PIDS_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "event_types.h"

struct mm_struct;
struct pid;
struct pid_namespace;
struct task_struct;

typedef bool tracer_has_mm_fn(struct pid *tgid, const struct mm_struct *mm);

struct pid_namespace *tracer_pids_ns(void);
int tracer_pids_seen(unsigned long nr);
int tracer_pids_add(struct tracer_pids *pids, const char *text);
void tracer_pids_clear(struct tracer_pids *pids);
int tracer_pids_tree(struct tracer_pids *pids, struct pid *root);
int tracer_pids_follow(struct tracer_pids *pids, bool on);
unsigned long tracer_pids_next(struct tracer_pids *pids, unsigned long pid);
bool tracer_pids_look(const struct tracer_pids *lists, const struct task_struct *task);
bool tracer_pids_listed(const struct tracer_pids *pids, const struct task_struct *task);
bool tracer_pids_any(const struct tracer_pids *pids, tracer_has_mm_fn *has,
		     const struct mm_struct *mm);

/**
 * tracer_pids_pass() - check whether hits of a task are recorded
 * @lists: the lists of the tracer
 * @task: the task
 *
 * Context: any.
 */
static inline bool tracer_pids_pass(const struct tracer_pids *lists,
				    const struct task_struct *task)
{
	/* The fast path: there are no lists. */
	return (!rcu_access_pointer(lists[TRACER_PIDS_ONLY].bits) &&
		!rcu_access_pointer(lists[TRACER_PIDS_NEVER].bits)) ||
	       tracer_pids_look(lists, task);
}

#endif /* _TRACER_PIDS_H */
