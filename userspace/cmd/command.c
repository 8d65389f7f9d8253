// SPDX-License-Identifier: GPL-2.0
#include "command.h"

#include <string.h>

const struct command commands[NR_COMMANDS] = {
#define COMMAND(bit, name, arguments, usage, what, example, other_example, meant) \
	{ #name, bit, arguments, usage, what, { example, other_example }, meant },
#include "commands.def"
};

/**
 * command_find() - find a command by its name
 * @name: the name
 *
 * Return: the command, or NULL.
 */
const struct command *command_find(const char *name)
{
	for (const struct command *command = commands; command < commands + NR_COMMANDS; command++)
		if (!strcmp(command->name, name))
			return command;
	return NULL;
}
