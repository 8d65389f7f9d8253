// SPDX-License-Identifier: GPL-2.0
#include "task_filter.h"

#include <stdio.h>
#include <string.h>

#include "event_line.h"

/* The kernel keeps no more of a task's name (TASK_COMM_LEN). */
#define COMM_MAX	15

static bool user_of(pid_t tid, long long *uid)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", tid);
	f = fopen(path, "re");
	if (!f)
		return false;
	/* proc(5): the second one is the effective user. */
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "Uid: %*d %lld", uid) == 1;
	fclose(f);
	return found;
}

/**
 * task_filter_asks() - is this event's task wanted?
 * @filter: what is wanted
 * @event: the event
 */
enum task_answer task_filter_asks(struct task_filter *filter,
				  const struct event_line *event)
{
	long long uid;

	if (filter->tid && event->tid != filter->tid)
		return TASK_NO;
	if (filter->comm && (strnlen(filter->comm, COMM_MAX) != event->comm_len ||
			     strncmp(filter->comm, event->comm,
				     event->comm_len)))
		return TASK_NO;
	if (filter->watching && !task_watch_has(&filter->watch, event->tid)) {
		char path[64];
		FILE *f;

		if (task_watch_exact(&filter->watch))
			return TASK_NO;
		snprintf(path, sizeof(path), "/proc/%d/stat", event->tid);
		f = fopen(path, "re");
		if (!f)
			return TASK_UNKNOWN;
		fclose(f);
		return TASK_NO;
	}
	if (filter->uid < 0)
		return TASK_YES;
	if (!user_of(event->tid, &uid))
		return TASK_UNKNOWN;
	return uid == filter->uid ? TASK_YES : TASK_NO;
}
