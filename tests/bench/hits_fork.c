// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -static
/*
 * Measures what a fork costs in a program with probes:
 *
 *	hits_fork [CASE PLACES]
 *
 * With CASE and PLACES, repeats that case for ever.
 * Prints lines of CASE, PLACES and a figure: what passes until the child executes its first code.
 * "fork" are forks of a process that is probed alone; "fork-file" forks whose child is probed, too.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hits.h"

#define FORKS		20

/* Functions are about as long as those of libc. */
#define STRIDE		512

asm(".text\n"
	".balign 4096\n"
	"many:\n"
	".rept 4000\n\tmov %rdi, %rax\n\tret\n\t.balign 512\n\t.endr\n"
	".balign 4096\n");

extern called many;

static uint64_t fork_cost(void)
{
	uint64_t best = UINT64_MAX, begun, t;
	int i, ready[2];

	if (pipe(ready))
		die("pipe: %s", strerror(errno));
	for (i = 0; i < FORKS; i++) {
		pid_t pid;

		begun = now();
		pid = fork();
		if (pid < 0)
			die("fork: %s", strerror(errno));
		if (!pid) {
			t = now() - begun;
			_exit(write(ready[1], &t, sizeof(t)) != sizeof(t));
		}
		waitpid(pid, NULL, 0);
		if (read(ready[0], &t, sizeof(t)) != sizeof(t))
			die("the child has failed");
		best = t < best ? t : best;
		/* The kernel frees the rest of the child in the background. */
		usleep(20000);
	}
	close(ready[0]);
	close(ready[1]);
	return best;
}

static void begin(const char *name, const char *places)
{
	bool alone = !strcmp(name, "fork");

	if (atoi(places))
		attach_at(alone ? getpid() : 0, "entry-atomic",
			  alone ? (unsigned long)many : offset_of(many), STRIDE, atoi(places));
}

static void one(const char *name, const char *places)
{
	begin(name, places);
	say(name, places, fork_cost());
	if (atoi(places))
		detach();
}

int main(int argc, char **argv)
{
	static const char * const places[] = { "0", "122", "2200" };
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);
	unsigned int i;

	if (len < 0)
		die("/proc is not mounted");
	strcpy(side, "ours");
	if (argc == 3)
		begin(argv[1], argv[2]);
	while (argc == 3)
		fork_cost();
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		one("fork", places[i]);
		one("fork-file", places[i]);
	}
	return 0;
}
