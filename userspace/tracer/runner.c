// SPDX-License-Identifier: GPL-2.0
#include "runner.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "util/error.h"
#include "util/options.h"
#include "util/util.h"

#define STOPPED "uprobe: stopped, nothing was probed\n"

/* Longest timeout of one poll(), in milliseconds. */
#define WAIT_MAX 3600000

/* Runs in a signal handler. */
static void report_stopped(int signal_number)
{
	/* A terminal may show a line of progress. */
	if (isatty(STDERR_FILENO))
		(void)!write(STDERR_FILENO, "\r\033[K", 4);
	(void)!write(STDERR_FILENO, STOPPED, strlen(STOPPED));
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

/** runner_expect() - make Ctrl-C report that nothing was probed, until runner_open() */
void runner_expect(void)
{
	/* A shell has what it runs in the background ignore SIGINT. */
	if (signal(SIGINT, report_stopped) == SIG_IGN)
		signal(SIGINT, SIG_IGN);
}

/**
 * runner_stopped() - check whether a run has to stop before it begins, and say so
 * @runner: open
 */
bool runner_stopped(const struct runner *runner)
{
	if (runner->stop)
		fputs(STOPPED, stderr);
	return runner->stop;
}

/**
 * runner_open() - begin to wait for signals
 * @runner: RUNNER_INIT; to be closed with runner_close() in any case
 */
struct error *runner_open(struct runner *runner)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, &runner->old);
	if (signal(SIGINT, SIG_DFL) == SIG_IGN)
		signal(SIGINT, SIG_IGN);
	/* If the reader of the output goes away, a write fails: that is enough. */
	signal(SIGPIPE, SIG_IGN);
	/* If our parent process ignores SIGCHLD, the end of a child would not be reported. */
	signal(SIGCHLD, SIG_DFL);
	runner->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (runner->signals < 0)
		return error_new(STATUS_RUNTIME,
				 "signals cannot be waited for (%s); are too many files open?",
				 strerror(errno));
	return NULL;
}

/**
 * runner_start() - create the process of a command
 * @runner: open
 * @options: of the command line; their command is for the shell, which waits for runner_release()
 *
 * If programs read our standard output, the command does not write there: its output could come
 * in the middle of a line.
 */
struct error *runner_start(struct runner *runner, const struct options *options)
{
	int fds[2];

	if (pipe(fds))
		return error_new(STATUS_RUNTIME,
				 "the command cannot be started (%s); are too many files open?",
				 strerror(errno));
	runner->child = fork();
	if (runner->child < 0) {
		runner->child = 0;
		close(fds[0]);
		close(fds[1]);
		return error_new(STATUS_RUNTIME,
				 "the command cannot be started (%s); are there too many processes?",
				 strerror(errno));
	}
	if (!runner->child) {
		char c;

		close(fds[1]);
		signal(SIGPIPE, SIG_DFL);
		sigprocmask(SIG_SETMASK, &runner->old, NULL);
		if ((options->json || options->folded) && !options->output)
			dup2(STDERR_FILENO, STDOUT_FILENO);
		if (read(fds[0], &c, 1) != 1)
			_exit(127);
		close(fds[0]);
		execl("/bin/sh", "sh", "-c", options->command, NULL);
		_exit(127);
	}
	close(fds[0]);
	runner->go = fds[1];
	return NULL;
}

/**
 * runner_release() - start the command and the clock
 * @runner: open
 * @seconds: stop after that time; 0 for never
 */
void runner_release(struct runner *runner, double seconds)
{
	if (seconds > 0)
		runner->deadline = now_ms() + (u64)(seconds * 1000);
	if (runner->go < 0)
		return;
	if (write(runner->go, "", 1) != 1)
		runner->stop = true;
	close(runner->go);
	runner->go = -1;
}

/**
 * runner_handle() - handle the pending signals
 * @runner: open
 */
void runner_handle(struct runner *runner)
{
	struct signalfd_siginfo info;
	int status;

	while (read(runner->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			if (runner->child > 0 &&
			    waitpid(runner->child, &status, WNOHANG) ==
			    runner->child) {
				runner->child = 0;
				runner->exit = WIFEXITED(status) ?
					       WEXITSTATUS(status) : 0;
				runner->stop = true;
			}
			continue;
		}
		if (runner->stop)
			runner->hurry = true;
		runner->stop = true;
	}
}

/** runner_signalled() - check for a pending signal */
bool runner_signalled(const struct runner *runner)
{
	struct pollfd fd = { .fd = runner->signals, .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

/**
 * runner_timeout() - get the timeout for poll()
 * @runner: open; told to stop if its deadline has passed
 *
 * Return: milliseconds, or -1 for no timeout.
 */
int runner_timeout(struct runner *runner)
{
	u64 now;

	if (!runner->deadline)
		return -1;
	now = now_ms();
	if (now >= runner->deadline) {
		runner->stop = true;
		return 0;
	}
	return runner->deadline - now > WAIT_MAX ? WAIT_MAX :
	       (int)(runner->deadline - now);
}

/**
 * runner_wait() - wait for what ends the run
 * @runner: open
 * @most: the longest time to wait, in milliseconds
 */
struct error *runner_wait(struct runner *runner, int most)
{
	struct pollfd fd = { .fd = runner->signals, .events = POLLIN };
	int timeout = runner_timeout(runner);

	if (timeout < 0 || timeout > most)
		timeout = most;
	if (!runner->stop && poll(&fd, 1, timeout) < 0 && errno != EINTR)
		return error_new(STATUS_RUNTIME, "waiting for signals failed (%s)",
				 strerror(errno));
	runner_handle(runner);
	return NULL;
}

/**
 * runner_result() - check that the shell could run the command
 * @runner: after the run
 * @command: the command, or NULL
 *
 * Ignore the exit status of the command itself.  126 and 127 are exit statuses of
 * a shell that cannot run a command (POSIX, "Exit Status for Commands").
 */
struct error *runner_result(const struct runner *runner, const char *command)
{
	if (runner->exit != 126 && runner->exit != 127)
		return NULL;
	return error_new(STATUS_RUNTIME,
			 "the shell could not run \"%s\", or a command in it; is its name right, and may it be executed?",
			 command);
}

void runner_close(struct runner *runner)
{
	if (runner->go >= 0)
		close(runner->go);
	if (runner->signals < 0)
		return;
	close(runner->signals);
	sigprocmask(SIG_SETMASK, &runner->old, NULL);
}
