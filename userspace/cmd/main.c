// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "help.h"
#include "meant.h"
#include "option_conflicts.h"
#include "option_parse.h"
#include "util/error.h"
#include "util/output.h"
#include "probe/place.h"
#include "tracer/start_cost.h"
#include "util/probe_spec.h"
#include "tracer/runner.h"
#include "util/util.h"

static int (*const functions[NR_COMMANDS])(const struct options *options, int argc, char **argv) = {
#define COMMAND(bit, name, ...) cmd_##name,
#include "commands.def"
};

static int run(const struct command *command, const struct options *options, int argc,
	       char **argv)
{
	struct error *err = option_conflicts(command, options);
	char *target = NULL;
	int status;

	if (err)
		return error_report(err);
	if (str_starts(command->arguments, "target") && argc) {
		target = target_name(argv[0], strlen(argv[0]));
		argv[0] = target;
	}
	if (command->bit & RUNS)
		runner_expect();
	status = functions[command - commands](options, argc, argv);
	free(target);
	return status;
}

static int run_command(const struct options *options, int argc, char **argv)
{
	const struct command *command;

	if (options->list)
		return run(command_find("list"), options, 1, (char *[]){ (char *)options->list });
	if (!argc) {
		help_short(stderr);
		return STATUS_USAGE;
	}
	command = command_find(argv[0]);
	if (command)
		return run(command, options, argc - 1, argv + 1);
	if (is_probe_spec(argv[0]) || is_place(argv[0]))
		return run(command_find("trace"), options, argc, argv);
	if (!strcmp(argv[0], "complete")) {
		help_completion(stdout);
		return STATUS_OK;
	}
	return error_report(unknown_word(argv[0]));
}

/* Report an error of the output: lost output must not look like success. */
static int finish(int status)
{
	struct error *err;

	if (!fflush(stdout) && !ferror(stdout))
		return status;
	/* A reader that has seen enough and goes away, as head does, is no error. */
	if (output_unread(stdout))
		return status;
	err = error_new(STATUS_RUNTIME,
			"the output could not be written; is the disk full?");
	return status ? status : error_report(err);
}

int main(int argc, char **argv)
{
	struct options options = { .uid = -1 };
	struct error *err;

	if (start_cost_child(argc, argv))
		return finish(STATUS_OK);
	err = options_parse(argc, argv, &options);
	if (err)
		return error_report(err);
	force_report(options.force);
	if (options.help && (optind == argc || !help_command(stdout, argv[optind])))
		help_whole(stdout);
	else if (options.version && !options.help)
		puts("uprobe " UPROBE_VERSION);
	else if (!options.help)
		return finish(run_command(&options, argc - optind, argv + optind));
	return finish(STATUS_OK);
}
