/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The present, future and past tasks of a process.  Events are read after they
 * happened, and by then their task can have ended.
 */
#ifndef _USERSPACE_TASK_WATCH_H
#define _USERSPACE_TASK_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/**
 * struct task_set - a set of task IDs
 * @slots: open-addressing table; 0 is an empty slot, -1 a removed one
 * @n: slots that are not empty
 * @cap: number of @slots, a power of two, or 0
 */
struct task_set {
	pid_t *slots;
	size_t n;
	size_t cap;
};

/**
 * struct task_watch - a process that is watched
 * @follow: processes that it starts belong to it
 * @processes: process IDs of all these processes
 * @tasks: thread IDs of all these processes
 * @fd: socket on which the kernel reports forks, -1 if it does not
 */
struct task_watch {
	bool follow;
	struct task_set processes;
	struct task_set tasks;
	int fd;
};

void task_watch_start(struct task_watch *watch, pid_t pid, bool follow);
bool task_watch_exact(const struct task_watch *watch);
void task_watch_update(struct task_watch *watch);
bool task_watch_has(struct task_watch *watch, pid_t tid);
void task_watch_stop(struct task_watch *watch);

#endif /* _USERSPACE_TASK_WATCH_H */
