// SPDX-License-Identifier: GPL-2.0
#include <getopt.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "help.h"
#include "meant.h"
#include "util/error.h"
#include "util/output.h"
#include "probe/place.h"
#include "tracer/start_cost.h"
#include "util/probe_spec.h"
#include "tracer/runner.h"
#include "util/util.h"

enum {
	OPT_ALL = 256, OPT_APART, OPT_BUFFER, OPT_COLOR, OPT_COMM, OPT_CONTROL, OPT_DEBUG_DIR,
	OPT_DEPTH, OPT_FOLDED, OPT_FORCE, OPT_HEAT, OPT_JSON, OPT_LONG, OPT_MAX_PROBES, OPT_MIN,
	OPT_NO_FOLLOW, OPT_RETURN, OPT_SELF, OPT_STR, OPT_SUMMARY, OPT_TIME, OPT_TOP, OPT_UID,
	OPT_VERSION,
};

static const struct option long_options[] = {
	{ "all", no_argument, NULL, OPT_ALL },
	{ "apart", no_argument, NULL, OPT_APART },
	{ "buffer", required_argument, NULL, OPT_BUFFER },
	{ "color", required_argument, NULL, OPT_COLOR },
	{ "comm", required_argument, NULL, OPT_COMM },
	{ "control", required_argument, NULL, OPT_CONTROL },
	{ "debug-dir", required_argument, NULL, OPT_DEBUG_DIR },
	{ "depth", required_argument, NULL, OPT_DEPTH },
	{ "folded", no_argument, NULL, OPT_FOLDED },
	{ "force", required_argument, NULL, OPT_FORCE },
	{ "heat", no_argument, NULL, OPT_HEAT },
	{ "help", no_argument, NULL, 'h' },
	{ "json", no_argument, NULL, OPT_JSON },
	{ "long", no_argument, NULL, OPT_LONG },
	{ "max-probes", required_argument, NULL, OPT_MAX_PROBES },
	{ "min", required_argument, NULL, OPT_MIN },
	{ "no-follow", no_argument, NULL, OPT_NO_FOLLOW },
	{ "return", required_argument, NULL, OPT_RETURN },
	{ "pid", required_argument, NULL, 'p' },
	{ "self", no_argument, NULL, OPT_SELF },
	{ "str", required_argument, NULL, OPT_STR },
	{ "summary", no_argument, NULL, OPT_SUMMARY },
	{ "time", required_argument, NULL, OPT_TIME },
	{ "top", required_argument, NULL, OPT_TOP },
	{ "uid", required_argument, NULL, OPT_UID },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ 0 }
};

/* The user asks for one of these instead of tracing. */
static char *list_target;
static bool want_help, want_version;

static struct error *parse_id(const char *arg, pid_t *id)
{
	u64 value;

	if (!parse_u64(arg, &value) || !value || value > INT32_MAX)
		return error_new(STATUS_USAGE,
				 "\"%s\" is no process ID; see: ps -e", arg);
	*id = value;
	return NULL;
}

static struct error *parse_number(const char *option, const char *arg,
				  u64 *number)
{
	if (parse_u64(arg, number) && *number)
		return NULL;
	return error_new(STATUS_USAGE,
			 "%s takes a number, 1 or more, not \"%s\"", option, arg);
}

static struct error *parse_uid(const char *arg, long long *uid)
{
	const struct passwd *user;
	u64 number;

	if (parse_u64(arg, &number) && number <= UINT32_MAX) {
		*uid = number;
		return NULL;
	}
	user = getpwnam(arg);
	if (!user)
		return error_new(STATUS_USAGE,
				 "there is no user %s; --uid takes a name or a number, see: getent passwd",
				 str_printable(arg) ? arg : "of this name");
	*uid = user->pw_uid;
	return NULL;
}

static struct error *parse_seconds(const char *option, const char *arg,
				   double *seconds)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {
		{ "", 1 }, { "s", 1 }, { "ms", 0.001 }, { "us", 0.000001 }, { "m", 60 },
		{ "h", 3600 },
	};
	char *end;

	*seconds = strtod(arg, &end);
	for (size_t i = 0; i < ARRAY_SIZE(units) && end != arg; i++) {
		if (strcmp(end, units[i].name))
			continue;
		*seconds *= units[i].seconds;
		if (*seconds > 0 && *seconds <= 1e9)
			return NULL;
	}
	return error_new(STATUS_USAGE,
			 "%s takes a number of seconds, or a time like 100us, 500ms, 5s or 2m, not \"%s\"",
			 option, arg);
}

static struct error *parse_return(const char *arg, enum return_mode *mode)
{
	if (!strcmp(arg, "trampoline"))
		*mode = RETURN_TRAMPOLINE;
	else if (!strcmp(arg, "sites"))
		*mode = RETURN_SITES;
	else if (!strcmp(arg, "auto"))
		*mode = RETURN_AUTO;
	else
		return error_new(STATUS_USAGE,
				 "--return takes trampoline, sites or auto, not \"%s\"",
				 arg);
	return NULL;
}

static struct error *parse_color(const char *arg, enum color_mode *mode)
{
	if (!strcmp(arg, "auto"))
		*mode = COLOR_AUTO;
	else if (!strcmp(arg, "always"))
		*mode = COLOR_ALWAYS;
	else if (!strcmp(arg, "never"))
		*mode = COLOR_NEVER;
	else
		return error_new(STATUS_USAGE,
				 "--color takes auto, always or never, not \"%s\"", arg);
	return NULL;
}

static struct error *parse_time(const char *arg, enum time_mode *mode)
{
	if (!strcmp(arg, "kernel"))
		*mode = TIME_KERNEL;
	else if (!strcmp(arg, "relative"))
		*mode = TIME_RELATIVE;
	else if (!strcmp(arg, "clock"))
		*mode = TIME_CLOCK;
	else
		return error_new(STATUS_USAGE,
				 "--time takes kernel, relative or clock, not \"%s\"", arg);
	return NULL;
}

static struct error *parse_option(int opt, struct options *options)
{
	switch (opt) {
	case OPT_ALL:
		options->all = true;
		break;
	case OPT_APART:
		options->apart = true;
		break;
	case OPT_BUFFER:
		return parse_number("--buffer", optarg, &options->buffer_kb);
	case OPT_COLOR:
		return parse_color(optarg, &options->color);
	case OPT_COMM:
		options->comm = optarg;
		break;
	case OPT_CONTROL:
		options->control = optarg;
		break;
	case OPT_DEBUG_DIR:
		options->debug_dir = optarg;
		break;
	case OPT_DEPTH:
		return parse_number("--depth", optarg, &options->depth);
	case OPT_FOLDED:
		options->folded = true;
		break;
	case OPT_FORCE:
		return force_parse(optarg, &options->force);
	case OPT_HEAT:
		options->heat = true;
		break;
	case OPT_JSON:
		options->json = true;
		break;
	case OPT_LONG:
		options->long_lines = true;
		break;
	case OPT_MAX_PROBES:
		return parse_number("--max-probes", optarg,
				    &options->max_probes);
	case OPT_MIN:
		return parse_seconds("--min", optarg, &options->min);
	case OPT_NO_FOLLOW:
		options->no_follow = true;
		break;
	case OPT_RETURN:
		return parse_return(optarg, &options->returns);
	case OPT_SELF:
		options->self = true;
		break;
	case OPT_STR:
		return parse_number("--str", optarg, &options->string_max);
	case OPT_SUMMARY:
		options->summary = true;
		break;
	case OPT_TIME:
		return parse_time(optarg, &options->time);
	case OPT_TOP:
		return parse_number("--top", optarg, &options->top);
	case OPT_UID:
		return parse_uid(optarg, &options->uid);
	case OPT_VERSION:
		want_version = true;
		break;
	case 'c':
		options->command = optarg;
		break;
	case 'd':
		return parse_seconds("-d", optarg, &options->seconds);
	case 'F':
		return force_parse(FORCE_ALL, &options->force);
	case 'f':
		options->follow = true;
		break;
	case 'H':
		options->header = true;
		break;
	case 'h':
		want_help = true;
		break;
	case 'i':
		return parse_seconds("-i", optarg, &options->interval);
	case 'L':
		return parse_id(optarg, &options->tid);
	case 'l':
		list_target = optarg;
		break;
	case 'M':
		return parse_number("-M", optarg, &options->max_events);
	case 'o':
		options->output = optarg;
		break;
	case 'p':
		return parse_id(optarg, &options->pid);
	case 's':
		options->stacks = true;
		break;
	case 'v':
		options->verbose = true;
		break;
	}
	return NULL;
}

/*
 * @word: the word before optind.  In a word of several letters, getopt_long() may not have moved
 * optind past it, so take a letter from optopt.
 */
static struct error *bad_option(int opt, const char *word)
{
	char letter[] = { '-', optopt, '\0' };
	char *name, *meant;
	struct error *err;
	bool is_long = str_starts(word, "--");

	if (!is_long && optopt)
		word = letter;
	if (opt == ':')
		return error_new(STATUS_USAGE,
				 "%s takes a value; see: uprobe --help", word);
	if (is_long && optopt)
		return error_new(STATUS_USAGE,
				 "%.*s takes no value; see: uprobe --help",
				 (int)strcspn(word, "="), word);
	if (!is_long && optopt == '[')
		return error_new(STATUS_USAGE,
				 "there is no option %s; if a name begins so, end the options before it: uprobe COMMAND -- ...",
				 word);
	name = xstrndup(word, strcspn(word, "="));
	meant = meant_option(name + strspn(name, "-"), long_options);
	err = error_new(STATUS_USAGE, "there is no option %s; %s%s%ssee: uprobe --help", name,
			meant ? "did you mean " : "", meant ? meant : "", meant ? "? " : "");
	free(meant);
	free(name);
	return err;
}

static struct error *unknown(const char *word)
{
	const char *meant = meant_command(word);

	if (meant)
		return error_new(STATUS_USAGE,
				 "\"%s\" is neither a command nor a probe; did you mean %s? see: uprobe --help",
				 word, meant);
	return error_new(STATUS_USAGE,
			 "\"%s\" is neither a command nor a probe, such as libc:malloc; see: uprobe --help",
			 word);
}

static int cmd_help(const struct options *options, int argc, char **argv)
{
	(void)options;
	if (!argc)
		help_whole(stdout);
	else if (!help_command(stdout, argv[0]))
		return error_report(unknown(argv[0]));
	return STATUS_OK;
}

static const struct command {
	const char *name;
	int (*run)(const struct options *options, int argc, char **argv);
	bool takes_target;	/* as its first argument */
	bool probes;
} commands[] = {
	{ "clean", cmd_clean },
	{ "count", cmd_count, .probes = true },
	{ "doctor", cmd_doctor },
	{ "flow", cmd_flow, .probes = true },
	{ "help", cmd_help },
	{ "lat", cmd_lat, .probes = true },
	{ "lines", cmd_lines, true },
	{ "list", cmd_list, true },
	{ "offset", cmd_offset, true },
	{ "resolve", cmd_resolve },
	{ "sdt", cmd_sdt, true },
	{ "stacks", cmd_stacks, .probes = true },
	{ "status", cmd_status },
	{ "trace", cmd_trace, .probes = true },
	{ "vars", cmd_vars, true },
};

static int run(const struct command *command, const struct options *options, int argc,
	       char **argv)
{
	char *target = NULL;
	int status;

	if (command->takes_target && argc) {
		target = target_name(argv[0], strlen(argv[0]));
		argv[0] = target;
	}
	if (command->probes)
		runner_expect();
	status = command->run(options, argc, argv);
	free(target);
	return status;
}

static int run_command(const struct options *options, int argc, char **argv)
{
	static const struct command list = { "list", cmd_list, true };
	static const struct command trace = { "trace", cmd_trace, .probes = true };

	if (list_target)
		return run(&list, options, 1, (char *[]){ list_target });
	if (!argc) {
		help_short(stderr);
		return STATUS_USAGE;
	}
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(argv[0], commands[i].name))
			return run(&commands[i], options, argc - 1, argv + 1);
	if (is_probe_spec(argv[0]) || is_place(argv[0]))
		return run(&trace, options, argc, argv);
	return error_report(unknown(argv[0]));
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
	struct error *err = NULL;
	int opt;

	if (start_cost_child(argc, argv))
		return finish(STATUS_OK);
	opterr = 0;
	while (!err && (opt = getopt_long(argc, argv, ":c:d:FfHhi:L:l:M:o:p:sv",
					  long_options, NULL)) != -1)
		err = opt == '?' || opt == ':' ?
		      bad_option(opt, argv[optind - 1]) :
		      parse_option(opt, &options);
	if (err)
		return error_report(err);
	force_tell(options.force);
	if (want_help && (optind == argc || !help_command(stdout, argv[optind])))
		help_whole(stdout);
	else if (want_help)
		return finish(STATUS_OK);
	else if (want_version)
		puts("uprobe " UPROBE_VERSION);
	else
		return finish(run_command(&options, argc - optind,
					  argv + optind));
	return finish(STATUS_OK);
}
