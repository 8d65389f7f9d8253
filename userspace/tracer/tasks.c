// SPDX-License-Identifier: GPL-2.0
#include "tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/options.h"
#include "util/error.h"
#include "host/readers.h"
#include "util/util.h"

static struct error *write_only(int fd, const char *what, const char *value)
{
	_cleanup_free_ char *line = xasprintf("only %s %s\n", what, value);
	ssize_t n = write(fd, line, strlen(line));
	struct error *err = NULL;

	if (n < 0)
		err = error_new(errno == ESRCH ? STATUS_NOT_FOUND :
						 STATUS_RUNTIME,
				"the %s %s cannot be asked for (%s); see: ps -eT",
				what, value, strerror(errno));
	return err;
}

static struct error *write_number(int fd, const char *what, long long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", number);
	return write_only(fd, what, text);
}

/* Leave a process out.  A process that has ended (ESRCH) needs nothing. */
static struct error *write_except(int fd, pid_t pid)
{
	char line[32];
	int len = snprintf(line, sizeof(line), "except %d\n", pid);

	if (write(fd, line, len) == len || errno == ESRCH)
		return NULL;
	return error_new(STATUS_RUNTIME,
			 "process %d cannot be left out (%s); trace it, too: --self",
			 pid, strerror(errno));
}

/**
 * tasks_restrict() - probe only the tasks that the options ask for
 * @fd: an open session or aggregate, without probes
 * @options: of the command line
 * @child: the process of the command, probed with all that it starts; 0 without a command
 * @except: processes to leave out
 */
struct error *tasks_restrict(int fd, const struct options *options, pid_t child,
			     const struct readers *except)
{
	struct error *err = NULL;

	if (child)
		err = write_number(fd, "tree", child);
	else if (options->pid)
		err = write_number(fd, options->follow ? "tree" : "pid",
				   options->pid);
	if (!err && options->tid)
		err = write_number(fd, "tid", options->tid);
	if (!err && options->uid >= 0)
		err = write_number(fd, "uid", options->uid);
	if (!err && options->comm)
		err = write_only(fd, "comm", options->comm);
	for (size_t i = 0; i < except->n && !err; i++)
		err = write_except(fd, except->v[i]);
	return err;
}
