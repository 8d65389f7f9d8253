// SPDX-License-Identifier: GPL-2.0
#include "task_filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_line.h"
#include "util.h"

/* A chain of parents is never longer than this; a limit on races. */
#define ANCESTORS_MAX 64

/**
 * struct task - what /proc says of a task
 * @tgid: its process
 * @ppid: the process's parent
 * @uid: effective user
 */
struct task {
	pid_t tgid;
	pid_t ppid;
	long long uid;
};

static bool look_at(pid_t tid, struct task *task)
{
	char path[64], line[256];
	FILE *f;

	memset(task, 0, sizeof(*task));
	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (fgets(line, sizeof(line), f)) {
		sscanf(line, "Tgid: %d", &task->tgid);
		sscanf(line, "PPid: %d", &task->ppid);
		sscanf(line, "Uid: %*d %lld", &task->uid);
	}
	fclose(f);
	return task->tgid;
}

static const struct known_task *find(const struct task_filter *filter,
				     pid_t tid)
{
	for (size_t i = 0; i < filter->n; i++)
		if (filter->known[i].tid == tid)
			return &filter->known[i];
	return NULL;
}

static bool descends(const struct task_filter *filter, const struct task *task)
{
	struct task parent = *task;

	for (int i = 0; i < ANCESTORS_MAX; i++) {
		const struct known_task *known = find(filter, parent.tgid);

		if (parent.tgid == filter->pid || (known && known->wanted))
			return true;
		if (!filter->follow || parent.ppid <= 1 ||
		    !look_at(parent.ppid, &parent))
			return false;
	}
	return false;
}

/*
 * A task keeps its process and, but for setuid, its user; thread IDs come
 * again only after all others have been used.
 */
static enum task_answer ask_proc(struct task_filter *filter, pid_t tid)
{
	const struct known_task *known = find(filter, tid);
	struct task task;
	bool wanted;

	if (known)
		return known->wanted ? TASK_YES : TASK_NO;
	if (!look_at(tid, &task))
		return filter->pid && tid == filter->pid && filter->uid < 0 ?
		       TASK_YES : TASK_UNKNOWN;
	wanted = (!filter->pid || descends(filter, &task)) &&
		 (filter->uid < 0 || task.uid == filter->uid);
	filter->known = grow(filter->known, filter->n, &filter->cap,
			     sizeof(*filter->known));
	filter->known[filter->n].tid = tid;
	filter->known[filter->n++].wanted = wanted;
	return wanted ? TASK_YES : TASK_NO;
}

/**
 * task_filter_asks() - is this event's task wanted?
 * @filter: what is wanted; remembers what it has seen
 * @event: the event
 */
enum task_answer task_filter_asks(struct task_filter *filter,
				  const struct event_line *event)
{
	if (filter->tid && event->tid != filter->tid)
		return TASK_NO;
	if (filter->comm && (strlen(filter->comm) != event->comm_len ||
			     strncmp(filter->comm, event->comm,
				     event->comm_len)))
		return TASK_NO;
	if (!filter->pid && filter->uid < 0)
		return TASK_YES;
	return ask_proc(filter, event->tid);
}

void task_filter_free(struct task_filter *filter)
{
	free(filter->known);
	filter->known = NULL;
	filter->n = 0;
	filter->cap = 0;
}
