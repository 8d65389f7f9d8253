// SPDX-License-Identifier: GPL-2.0
/*
 *	feed FILE [KEEP]
 *
 * Writes each line of standard input into FILE by a write() of its own, and ignores errors.  Prints
 * how many lines were accepted and how many were refused.  With KEEP, removes all definitions but
 * the enabled ones, one by one, after every KEEP accepted lines.
 */
#include "puppet.h"

/* Remove the definitions that FILE lists.  The enabled ones stay. */
static void thin_out(const char *path, int fd)
{
	char *line = NULL, command[512];
	FILE *f = fopen(path, "r");
	size_t room = 0;

	while (f && getline(&line, &room, f) > 0) {
		snprintf(command, sizeof(command), "-%.*s", (int)strcspn(line + 1, " "), line + 1);
		if (write(fd, command, strlen(command)) < 0)
			continue;
	}
	free(line);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	unsigned long taken = 0, refused = 0, keep = 0, since = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t len;
	int fd;

	if (argc < 2)
		return 2;
	fd = open(argv[1], O_WRONLY | O_APPEND);
	if (fd < 0)
		err(1, "%s", argv[1]);
	if (argc > 2)
		keep = strtoul(argv[2], NULL, 0);
	while ((len = getline(&line, &room, stdin)) > 0) {
		if (write(fd, line, len) < 0) {
			refused++;
			continue;
		}
		taken++;
		if (keep && ++since >= keep) {
			thin_out(argv[1], fd);
			since = 0;
		}
	}
	printf("%lu %lu\n", taken, refused);
	return 0;
}
