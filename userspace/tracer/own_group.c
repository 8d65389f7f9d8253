// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a run are in a group named after its process, cli_PID_START.  So
 * the events of a killed run can be told from those of a running one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own_group.h"
#include "trace.h"
#include "util/util.h"

/* Return the start time of a process in clock ticks after boot; 0 if it has ended. */
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
	/* proc(5): field 22.  The name in field 2 can contain any characters. */
	if (fgets(line, sizeof(line), f))
		p = strrchr(line, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	if (p)
		sscanf(p, " %llu", &start);
	fclose(f);
	return start;
}

/* Return the group for this process's events, from malloc(). */
char *own_group(void)
{
	return xasprintf("cli_%d_%llu", getpid(), start_time(getpid()));
}

/**
 * own_group_alive() - check whether the run that a group belongs to is still running
 * @group: the group
 * @ours: set to whether the group belongs to a run at all
 */
bool own_group_alive(const char *group, bool *ours)
{
	unsigned long long start;
	int pid, end = 0;

	*ours = sscanf(group, "cli_%d_%llu%n", &pid, &start, &end) == 2 &&
		!group[end];
	return *ours && start_time(pid) == start;
}
