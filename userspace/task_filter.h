/* SPDX-License-Identifier: GPL-2.0 */
/* Whose events are wanted: by process, thread, user and name. */
#ifndef _USERSPACE_TASK_FILTER_H
#define _USERSPACE_TASK_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct event_line;

/**
 * enum task_answer - is an event wanted?
 * @TASK_NO: no
 * @TASK_YES: yes
 * @TASK_UNKNOWN: its task had ended before anybody could look at it
 */
enum task_answer {
	TASK_NO,
	TASK_YES,
	TASK_UNKNOWN,
};

/**
 * struct task_filter - what to ask
 * @pid: only this process; 0 for all
 * @follow: its children too
 * @tid: only this thread; 0 for all
 * @uid: only tasks of this user; -1 for all
 * @comm: only tasks of this name; NULL for all
 * @known: tasks that were looked at
 * @n: number of @known
 * @cap: capacity of @known
 */
struct task_filter {
	pid_t pid;
	bool follow;
	pid_t tid;
	long long uid;
	const char *comm;
	struct known_task {
		pid_t tid;
		bool wanted;
	} *known;
	size_t n;
	size_t cap;
};

enum task_answer task_filter_asks(struct task_filter *filter,
				  const struct event_line *event);
void task_filter_free(struct task_filter *filter);

#endif /* _USERSPACE_TASK_FILTER_H */
