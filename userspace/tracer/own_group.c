// SPDX-License-Identifier: GPL-2.0
/*
 * Events of a run are in a group named after its process, cli_PID_START, so
 * that those of a run that was killed can be told from those of a live one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own_group.h"
#include "trace.h"
#include "util/util.h"

/* When the process was started, in clock ticks after boot; 0 if it is gone. */
static unsigned long long start_time(pid_t pid)
{
	unsigned long long start = 0;
	char path[64], line[1024];
	const char *p = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	/* proc(5): field 22; the name in field 2 can hold anything. */
	if (fgets(line, sizeof(line), f))
		p = strrchr(line, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p)
		sscanf(p, " %llu", &start);
	fclose(f);
	return start;
}

/* The group of this process's events, from malloc(). */
char *own_group(void)
{
	return xasprintf("cli_%d_%llu", getpid(), start_time(getpid()));
}

/**
 * own_group_alive() - does the run live that a group belongs to?
 * @group: the group
 * @ours: set to whether it is a group of a run at all
 */
bool own_group_alive(const char *group, bool *ours)
{
	unsigned long long start;
	int pid, end = 0;

	*ours = sscanf(group, "cli_%d_%llu%n", &pid, &start, &end) == 2 &&
		!group[end];
	return *ours && start_time(pid) == start;
}
