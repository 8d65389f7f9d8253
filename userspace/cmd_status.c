// SPDX-License-Identifier: GPL-2.0
/* uprobe status, uprobe clean */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "control.h"
#include "error.h"
#include "sessions.h"
#include "trace.h"
#include "util.h"

/**
 * struct listed - an event that uprobe_events lists
 * @kind: 'p' or 'r'
 * @group: its group
 * @event: its name
 * @rest: what it probes
 */
struct listed {
	char kind;
	char *group;
	char *event;
	char *rest;
};

/* K:GROUP/EVENT REST, as the file lists it; changes the line. */
static bool parse_listed(char *line, struct listed *listed)
{
	char *slash, *blank;

	if ((line[0] != 'p' && line[0] != 'r') || line[1] != ':')
		return false;
	blank = strchr(line, ' ');
	slash = strchr(line, '/');
	if (!blank || !slash || slash > blank)
		return false;
	*slash = '\0';
	*blank = '\0';
	listed->kind = line[0];
	listed->group = line + 2;
	listed->event = slash + 1;
	listed->rest = blank + 1;
	return true;
}

static const char *owner(const char *group)
{
	bool ours, alive = own_group_alive(group, &ours);

	return alive ? "in use" : ours ? "stale" : "by hand";
}

static void print_event(const char *dir, const struct listed *listed)
{
	struct counts counts = control_counts(dir, listed->event);
	char *file = control_event_file(listed->group, listed->event, "enable");
	char *text = NULL;

	error_free(control_read(dir, file, &text));
	printf("%c:%s/%s %s  [%s, %s, %llu hits, %llu missed]\n", listed->kind,
	       listed->group, listed->event, listed->rest,
	       text && text[0] == '1' ? "enabled" : "disabled",
	       owner(listed->group), (unsigned long long)counts.hits,
	       (unsigned long long)counts.missed);
	free(text);
	free(file);
}

/* Remove an event; its other sites go with it and are not there any more. */
static struct error *clean_event(const char *dir, const struct listed *listed,
				 bool all, unsigned int *removed)
{
	char *file;
	bool ours;

	if (own_group_alive(listed->group, &ours) || (!ours && !all))
		return NULL;
	file = control_event_file(listed->group, listed->event, "enable");
	if (!control_has(dir, file)) {
		free(file);
		return NULL;
	}
	free(file);
	error_free(control_enable(dir, listed->group, listed->event, false));
	++*removed;
	return control_remove(dir, listed->group, listed->event);
}

static int visit_events(const struct options *options, bool clean)
{
	const char *dir = options->control ? options->control : CONTROL_DIR;
	unsigned int n = 0, removed = 0;
	char *text = NULL, *save, *line;
	struct listed listed;
	struct error *err;

	err = control_check(dir);
	if (!err)
		err = control_read(dir, "uprobe_events", &text);
	for (line = text ? strtok_r(text, "\n", &save) : NULL; line && !err;
	     line = strtok_r(NULL, "\n", &save)) {
		if (!parse_listed(line, &listed))
			continue;
		n++;
		if (clean)
			err = clean_event(dir, &listed, options->all, &removed);
		else
			print_event(dir, &listed);
	}
	free(text);
	if (!err && !clean)
		n += sessions_print(dir);
	if (!err && clean)
		fprintf(stderr, "%u of %u events removed%s\n", removed, n,
			n > removed && !options->all ?
			"; others are in use or were made by hand (--all)" : "");
	else if (!err && !n)
		fputs("no events are defined\n", stderr);
	return error_report(err);
}

int cmd_status(const struct options *options, int argc, char **argv)
{
	(void)argv;
	if (argc)
		return error_report(error_new(STATUS_USAGE,
					      "status takes no arguments"));
	return visit_events(options, false);
}

int cmd_clean(const struct options *options, int argc, char **argv)
{
	(void)argv;
	if (argc)
		return error_report(error_new(STATUS_USAGE,
					      "clean takes no arguments but --all"));
	return visit_events(options, true);
}
