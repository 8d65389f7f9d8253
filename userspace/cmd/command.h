/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of the helper. */
#ifndef _USERSPACE_CMD_COMMAND_H
#define _USERSPACE_CMD_COMMAND_H

#include "util/options.h"

/* A command gets the arguments after its name, and returns the exit code. */
#define COMMAND(bit, name, ...) \
	int cmd_##name(const struct options *options, int argc, char **argv);
#include "commands.def"

enum {
#define COMMAND(bit, ...) bit##_NR,
#include "commands.def"
	NR_COMMANDS
};

/* A set of commands has a bit for each. */
enum {
#define COMMAND(bit, ...) bit = 1 << bit##_NR,
#include "commands.def"
	RUNS = TRACE | COUNT | LAT | HIST | FLOW | STACKS,
};

/**
 * struct command - a row of commands.def
 * @bit: its bit in a set of commands
 */
struct command {
	const char *name;
	unsigned int bit;
	const char *arguments;
	const char *usage;
	const char *what;
	const char *examples[2];
	const char *meant;
};

extern const struct command commands[NR_COMMANDS];

const struct command *command_find(const char *name);

#endif /* _USERSPACE_CMD_COMMAND_H */
