/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A selection of tasks: a session or an aggregate file handles only hits of these tasks.  Its lines
 * are
 *
 *	only WHAT VALUE		WHAT: pid, tree (the process and its descendants, present
 *				and future), tid, uid or comm
 *	except PID		not this process
 *
 * If "only" names a process or a thread, other processes are not probed.  Nor are the processes
 * that "except" names.
 */
#ifndef _TRACER_TASKS_H
#define _TRACER_TASKS_H

#include "event_types.h"

struct mm_struct;

int tracer_tasks_only(struct tracer_tasks *tasks, const char *words);
int tracer_tasks_except(struct tracer_tasks *tasks, const char *value);
void tracer_tasks_release(struct tracer_tasks *tasks);
enum tracer_drop tracer_tasks_check(const struct tracer_tasks *tasks);
bool tracer_tasks_needs(const struct tracer_tasks *tasks, struct mm_struct *mm);

/**
 * tracer_tasks_drops() - find out why the current task is not selected
 * @tasks: the selection
 *
 * Context: any.
 * Return: the reason, or %TRACER_DROP_NOT if the task is selected.
 */
static inline enum tracer_drop tracer_tasks_drops(const struct tracer_tasks *tasks)
{
	return likely(!tasks->any) ? TRACER_DROP_NOT : tracer_tasks_check(tasks);
}

/**
 * tracer_tasks_names() - check whether processes are named, so that not all need be probed
 * @tasks: the selection
 */
static inline bool tracer_tasks_names(const struct tracer_tasks *tasks)
{
	return tasks->tgid || tasks->tid || tasks->nexcept;
}

/**
 * tracer_tasks_are_processes() - check whether all tasks of a process that must be probed are
 *	selected
 * @tasks: the selection
 *
 * After vfork(), a child counts as its parent until it calls execve().
 */
static inline bool tracer_tasks_are_processes(const struct tracer_tasks *tasks)
{
	return !tasks->tid && !tasks->has_uid && !tasks->comm[0];
}

#endif /* _TRACER_TASKS_H */
