// SPDX-License-Identifier: GPL-2.0
#include "task_filter.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "util/options.h"
#include "util/error.h"
#include "event_line.h"

/* The kernel keeps only this many characters of a task's name (TASK_COMM_LEN). */
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
	/* proc(5): the second number is the effective user. */
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "Uid: %*d %lld", uid) == 1;
	fclose(f);
	return found;
}

/* Threads have directories in /proc, too; only listings of /proc leave them out. */
static struct error *check_thread(pid_t tid, pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d", tid);
	if (access(path, F_OK))
		return error_new(STATUS_NOT_FOUND,
				 "there is no thread %d; see: ps -eT", tid);
	snprintf(path, sizeof(path), "/proc/%d/task/%d", pid, tid);
	if (pid && access(path, F_OK))
		return error_new(STATUS_NOT_FOUND,
				 "process %d has no thread %d; see: ps -T %d",
				 pid, tid, pid);
	return NULL;
}

/**
 * task_filter_check() - check that there can be tasks that the options ask for
 * @options: of the command line
 */
struct error *task_filter_check(const struct options *options)
{
	if (options->command && options->pid)
		return error_new(STATUS_USAGE,
				 "-c traces a command and -p a process; leave one of them out");
	if (options->command &&
	    !options->command[strspn(options->command, " \t\n")])
		return error_new(STATUS_USAGE,
				 "the command of -c is empty; name one: -c 'ls /'");
	if (options->follow && !options->command && !options->pid)
		return error_new(STATUS_USAGE,
				 "-f follows what a process starts; name it with -p");
	return options->tid ? check_thread(options->tid, options->pid) : NULL;
}

/**
 * task_filter_asks() - check whether the task of an event is wanted
 * @filter: the conditions
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
	/* Compare thread with process IDs: programs that print lines mostly have one thread. */
	for (size_t i = 0; i < filter->except.n; i++)
		if (event->tid == filter->except.v[i])
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
