// SPDX-License-Identifier: GPL-2.0
#include "missing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "util/error.h"
#include "util/util.h"

/**
 * missing_take() - add the places of a line of the module: "refused: EVENT COUNT WHY"
 * @missing: the places
 * @line: the line
 *
 * Return: false if the line is of another kind.
 */
bool missing_take(struct missing *missing, const char *line)
{
	unsigned long long places;
	char event[128];
	int at = 0;

	if (sscanf(line, "refused: %127s %llu %n", event, &places, &at) < 2 || !at)
		return false;
	missing->places += places;
	if (!missing->event) {
		missing->event = xstrdup(event);
		missing->why = xstrdup(line[at] ? line + at : "the kernel log says why");
	}
	return true;
}

/**
 * missing_read() - get the places that the probes of a session were left out of
 * @missing: filled in
 * @session: the session
 */
void missing_read(struct missing *missing, int session)
{
	char *file = xasprintf("fdinfo/%d", session), *text = NULL, *line, *save;

	error_free(control_read("/proc/self", file, &text));
	for (line = text ? strtok_r(text, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save))
		missing_take(missing, line);
	free(text);
	free(file);
}

/**
 * missing_report() - tell the user where probes were left out, and why
 * @missing: the places
 * @name: the user's name for missing::event, or NULL
 */
void missing_report(const struct missing *missing, const char *name)
{
	if (!name)
		name = "a probe";
	if (missing->places == 1)
		remark("%s is missing in a process: %s", name, missing->why);
	else if (missing->places)
		remark("probes are missing at %zu places of processes; the first one, of %s: %s",
		       missing->places, name, missing->why);
}

void missing_free(struct missing *missing)
{
	free(missing->event);
	free(missing->why);
	memset(missing, 0, sizeof(*missing));
}
