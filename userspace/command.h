/* SPDX-License-Identifier: GPL-2.0 */
/* What the command line asks for. */
#ifndef _USERSPACE_COMMAND_H
#define _USERSPACE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

/**
 * struct options - options of all commands
 * @all: --all
 * @verbose: -v
 * @force: FORCE_* of --force
 * @pid: -p, 0 without it
 * @debug_dir: --debug-dir, NULL without it
 */
struct options {
	bool all;
	bool verbose;
	unsigned int force;
	pid_t pid;
	const char *debug_dir;
};

/* A command gets what follows its name, and returns the exit code. */
int cmd_list(const struct options *options, int argc, char **argv);
int cmd_offset(const struct options *options, int argc, char **argv);

#endif /* _USERSPACE_COMMAND_H */
