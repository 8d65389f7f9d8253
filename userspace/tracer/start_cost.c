// SPDX-License-Identifier: GPL-2.0
/*
 * A process that maps a probed file gets all breakpoints before it goes on.  To measure that,
 * execute this program once more, and have it map the file.  A child alone would not do: it is left
 * out, as this process is.
 */
#include "start_cost.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/library.h"
#include "probe/target.h"
#include "runner.h"
#include "types.h"
#include "util/error.h"
#include "util/options.h"

/* The name by which the program is executed to map a file. */
#define CHILD_NAME "uprobe-maps"

/* With fewer places, the delay is not noticeable. */
#define PLACES_MANY 500

/* The shortest delay to report, in nanoseconds. */
#define COST_MANY 100000000ull

static u64 now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/**
 * start_cost_child() - map the file that is the argument, and print how many nanoseconds that took
 * @argc: number of arguments
 * @argv: the arguments of main()
 *
 * Return: false if the program was not executed for this.
 */
bool start_cost_child(int argc, char **argv)
{
	struct stat st;
	u64 began;
	int fd;

	if (argc != 2 || strcmp(argv[0], CHILD_NAME))
		return false;
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return true;
	began = now_ns();
	if (mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) != MAP_FAILED)
		printf("%llu\n", (unsigned long long)(now_ns() - began));
	return true;
}

static void run_child(const char *path, int out, const struct runner *runner)
{
	sigprocmask(SIG_SETMASK, &runner->old, NULL);
	if (dup2(out, STDOUT_FILENO) >= 0)
		execl("/proc/self/exe", CHILD_NAME, path, (char *)NULL);
	_exit(127);
}

/* Measure how long a program takes to map a file.  Return 0 if that is not known. */
static u64 measure(const char *path, const struct runner *runner)
{
	char text[32] = "";
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return 0;
	pid = fork();
	if (!pid)
		run_child(path, fds[1], runner);
	close(fds[1]);
	if (pid > 0 && read(fds[0], text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	if (pid > 0)
		waitpid(pid, NULL, 0);
	close(fds[0]);
	return strtoull(text, NULL, 10);
}

/**
 * start_cost_report() - tell the user if programs start much later because of probes
 * @files: the probed files
 * @places: number of places in them
 * @options: of the command line
 * @runner: open
 *
 * Where the probes are for some processes only, other programs do not wait.
 */
void start_cost_report(const struct paths *files, size_t places, const struct options *options,
		       const struct runner *runner)
{
	const char *path = NULL;
	u64 most = 0, cost;

	if (places < PLACES_MANY || options->pid || options->tid || options->command)
		return;
	for (size_t i = 0; i < files->n && !runner_signalled(runner); i++) {
		if (target_is_memory(files->v[i]))
			continue;
		cost = measure(files->v[i], runner);
		if (cost > most)
			path = files->v[i];
		if (cost > most)
			most = cost;
	}
	if (most >= COST_MANY)
		remark("each program that maps %s starts %llu ms later, as it gets %zu probes; a narrower pattern or -p PID avoids that",
		       path, (unsigned long long)(most / 1000000), places);
}
