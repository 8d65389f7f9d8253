// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "error.h"
#include "place.h"
#include "util.h"

static const struct {
	const char *name;
	int (*run)(const struct options *options, int argc, char **argv);
} commands[] = {
	{ "list", cmd_list },
	{ "offset", cmd_offset },
};

static void print_help(FILE *out)
{
	fputs("usage: uprobe offset TARGET FUNCTION[@FILE|@VERSION][+OFFSET]\n"
	      "              print PATH:0xOFFSET, ready for uprobe_events\n"
	      "       uprobe list TARGET ['GLOB']\n"
	      "              list functions; -v: file offset, size, binding, full name\n"
	      "\n"
	      "TARGET is a path, a program in PATH, or a library (libc, c, libc.so.6). Instead\n"
	      "of a function: 0xOFFSET in the file, or @0xADDRESS as objdump shows it.\n"
	      "\n"
	      "  --all              all functions of that name, not only one\n"
	      "  -p, --pid PID      the target as this process has it mapped\n"
	      "  --debug-dir DIR    where separate debug files are (/usr/lib/debug)\n"
	      "  --force=WHAT,...   skip checks: align (start of an instruction), size (of the\n"
	      "                     function known), range (inside the function), ifunc\n"
	      "  -v                 tell more\n"
	      "  -h, --help         this text\n"
	      "  --version          the version\n"
	      "\n"
	      "Exit status: 0 done, 1 failed, 2 usage, 3 not found or ambiguous, 4 refused for\n"
	      "safety, 5 no permission or module not loaded.\n", out);
}

enum { OPT_ALL = 256, OPT_FORCE, OPT_DEBUG_DIR, OPT_VERSION };

static const struct option long_options[] = {
	{ "all", no_argument, NULL, OPT_ALL },
	{ "pid", required_argument, NULL, 'p' },
	{ "force", required_argument, NULL, OPT_FORCE },
	{ "debug-dir", required_argument, NULL, OPT_DEBUG_DIR },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ 0 }
};

static struct error *parse_pid(const char *arg, pid_t *pid)
{
	u64 value;

	if (!parse_u64(arg, &value) || !value || value > INT32_MAX)
		return error_new(STATUS_USAGE,
				 "\"%s\" is no process ID; see: ps -e", arg);
	*pid = value;
	return NULL;
}

/* Output that did not reach its reader must not look like success. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		error_report(error_new(STATUS_RUNTIME,
				       "the output could not be written; is the disk full?"));
		return status ? status : STATUS_RUNTIME;
	}
	return status;
}

int main(int argc, char **argv)
{
	struct options options = { 0 };
	struct error *err = NULL;
	int opt;

	while (!err && (opt = getopt_long(argc, argv, "hp:v", long_options,
					  NULL)) != -1) {
		switch (opt) {
		case OPT_ALL:
			options.all = true;
			break;
		case OPT_FORCE:
			err = force_parse(optarg, &options.force);
			break;
		case OPT_DEBUG_DIR:
			options.debug_dir = optarg;
			break;
		case OPT_VERSION:
			puts("uprobe " UPROBE_VERSION);
			return finish(STATUS_OK);
		case 'p':
			err = parse_pid(optarg, &options.pid);
			break;
		case 'v':
			options.verbose = true;
			break;
		case 'h':
			print_help(stdout);
			return finish(STATUS_OK);
		default:
			err = error_new(STATUS_USAGE, "see: uprobe --help");
		}
	}
	if (err)
		return error_report(err);
	argc -= optind;
	argv += optind;
	if (!argc) {
		print_help(stderr);
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[0], commands[i].name))
			return finish(commands[i].run(&options, argc - 1,
						      argv + 1));
	return error_report(error_new(STATUS_USAGE,
				      "there is no command %s; see: uprobe --help",
				      argv[0]));
}
