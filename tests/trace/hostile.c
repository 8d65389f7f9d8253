// SPDX-License-Identifier: GPL-2.0
// cflags: -Itests/host
/*
 *	hostile definitions|filters NUMBER LINE...
 *
 * Prints NUMBER lines, which are mutations of the given lines, the same ones each time.  In a
 * definition, "NAME" stands for a name that is different in each line.
 */
#include "puppet.h"
#include "mutate.h"

#define LINE_MAX	512

/* Print a line.  Replace "NAME": definitions of the same event would be refused. */
static void print_line(const char *line, size_t len, unsigned long number)
{
	const char *name = memmem(line, len, "NAME", 4);

	if (name)
		printf("%.*sn%lu", (int)(name - line), line, number);
	else
		name = line - 4;
	fwrite(name + 4, line + len - (name + 4), 1, stdout);
	putchar('\n');
}

int main(int argc, char **argv)
{
	struct mutate m = {
		.bytes = MUTATE_DEFINITION_BYTES,
		.joints = mutate_definition_joints,
		.njoints = sizeof(mutate_definition_joints) / sizeof(char *),
		.changes = 5,
	};
	unsigned long count, i;
	char line[LINE_MAX];

	if (argc < 4)
		errx(2, "usage: hostile definitions|filters NUMBER LINE...");
	if (!strcmp(argv[1], "filters")) {
		m.bytes = MUTATE_FILTER_BYTES;
		m.joints = mutate_filter_joints;
		m.njoints = sizeof(mutate_filter_joints) / sizeof(char *);
	}
	count = strtoul(argv[2], NULL, 0);
	m.seeds = (const char * const *)argv + 3;
	m.nseeds = argc - 3;
	for (i = 0; i < m.nseeds; i++) {
		if (strlen(m.seeds[i]) > LINE_MAX / 2)
			errx(2, "this line is too long: %s", m.seeds[i]);
	}
	for (i = 0; i < count; i++)
		print_line(line, mutate_line(&m, line, sizeof(line)), i);
	return 0;
}
