/* SPDX-License-Identifier: GPL-2.0 */
/* Decide when to stop: on a signal, at the end of a command, or after a time. */
#ifndef _USERSPACE_RUNNER_H
#define _USERSPACE_RUNNER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "types.h"

struct error;
struct options;

/**
 * struct runner - state of a run, with all that can end it
 * @signals: signalfd, -1 before runner_open()
 * @child: process of the command, 0 if there is no command or it has ended
 * @exit: exit status of the command
 * @go: write end of the pipe that @child waits at, -1 if @child does not wait
 * @deadline: when to stop, in milliseconds of the monotonic clock; 0 for never
 * @stop: the run has to stop
 * @hurry: the user has asked a second time to stop
 * @old: signal mask to restore
 */
struct runner {
	int signals;
	pid_t child;
	int exit;
	int go;
	u64 deadline;
	bool stop;
	bool hurry;
	sigset_t old;
};

#define RUNNER_INIT { .signals = -1, .go = -1 }

void runner_expect(void);
bool runner_stopped(const struct runner *runner);
struct error *runner_open(struct runner *runner);
struct error *runner_start(struct runner *runner, const struct options *options);
void runner_release(struct runner *runner, double seconds);
void runner_handle(struct runner *runner);
bool runner_signalled(const struct runner *runner);
struct error *runner_wait(struct runner *runner, int most);
int runner_timeout(struct runner *runner);
struct error *runner_result(const struct runner *runner, const char *command);
void runner_close(struct runner *runner);

#endif /* _USERSPACE_RUNNER_H */
