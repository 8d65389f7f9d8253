// SPDX-License-Identifier: GPL-2.0
/*
 *	map_often FILE PAGE COUNT
 *
 * Prints "ready", waits for a line, and maps page number PAGE of the file as code COUNT times.
 * Then prints "mapped", and ends at the end of its input.
 */
#include "puppet.h"

int main(int argc, char **argv)
{
	long page, count;
	int fd;

	if (argc != 4)
		errx(2, "usage: map_often FILE PAGE COUNT");
	page = strtol(argv[2], NULL, 0);
	count = strtol(argv[3], NULL, 0);
	fd = open(argv[1], O_RDONLY);
	if (fd < 0)
		err(2, "%s", argv[1]);
	puts("ready");
	if (!wait_line())
		return 0;
	while (count--)
		if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd,
			 page * 4096) == MAP_FAILED)
			err(2, "mmap");
	puts("mapped");
	return wait_line() ? 2 : 0;
}
