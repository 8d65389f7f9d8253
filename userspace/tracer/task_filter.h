/* SPDX-License-Identifier: GPL-2.0 */
/* Select events by the process, thread, user and name of their task. */
#ifndef _USERSPACE_TASK_FILTER_H
#define _USERSPACE_TASK_FILTER_H

#include "host/readers.h"
#include "task_watch.h"

struct error;
struct event_line;
struct options;

/**
 * enum task_answer - whether an event is wanted
 * @TASK_NO: no
 * @TASK_YES: yes
 * @TASK_UNKNOWN: not known: the task ended before it could be looked up
 */
enum task_answer {
	TASK_NO,
	TASK_YES,
	TASK_UNKNOWN,
};

/**
 * struct task_filter - conditions for the task of an event
 * @watching: only tasks in @watch
 * @watch: the tasks of a process
 * @tid: only this thread; 0 for all
 * @uid: only tasks of this user; -1 for all
 * @comm: only tasks of this name; NULL for all
 * @except: not these processes
 */
struct task_filter {
	bool watching;
	struct task_watch watch;
	pid_t tid;
	long long uid;
	const char *comm;
	struct readers except;
};

struct error *task_filter_check(const struct options *options);
enum task_answer task_filter_asks(struct task_filter *filter,
				  const struct event_line *event);

#endif /* _USERSPACE_TASK_FILTER_H */
