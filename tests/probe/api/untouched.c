// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 *	untouched FILE unlink
 *
 * Passes to unlink() a string in a page of FILE, this program's own file, that is not in memory.
 * Then passes a pointer to nothing.  Prints nothing.
 */
#include "puppet.h"
#include <sys/stat.h>

/* Lies far from everything that the program uses. */
const char page_before[8192] __attribute__((aligned(4096))) = "x";
const char name[4096] __attribute__((aligned(4096))) =
	"/nowhere/the/name/that/untouched/has/in/its/file";
const char page_behind[8192] __attribute__((aligned(4096))) = "y";

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDONLY);
	struct stat st;
	char *map;

	if (argc < 2 || fd < 0 || fstat(fd, &st))
		return 2;
	/* Do not use the program's own pages: reading them would bring them into memory. */
	map = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	madvise(map, st.st_size, MADV_RANDOM);
	for (off_t at = 0; at < st.st_size; at += 4096) {
		char start[32];

		/* Search the file, not the mapping. */
		if (pread(fd, start, sizeof(start), at) == sizeof(start) &&
		    !memcmp(start, "/nowhere/the/name", 17)) {
			unlink(map + at);
			unlink((char *)8);
			return 0;
		}
	}
	return 1;
}
