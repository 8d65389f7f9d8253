// SPDX-License-Identifier: GPL-2.0
/*
 *	split FILE [MAPPINGS]
 *
 * Maps the first two pages of the file as code, or the first page MAPPINGS times, and prints
 * "ready".  For each line, calls the code at the start of each mapping, and prints how often.  A
 * thread changes a flag of the second page again and again, so that there are one or two mappings.
 */
#include "puppet.h"

static void *split(void *second)
{
	for (;;) {
		if (madvise(second, PAGE, MADV_DONTDUMP))
			err(2, "madvise");
		usleep(100);
		if (madvise(second, PAGE, MADV_DODUMP))
			err(2, "madvise");
		usleep(100);
	}
	return NULL;
}

static char *map(int fd, size_t len)
{
	char *code = mmap(NULL, len, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (code == MAP_FAILED)
		err(2, "mmap");
	return code;
}

int main(int argc, char **argv)
{
	unsigned int mappings, i;
	pthread_t thread;
	char **codes;
	int fd;

	if (argc < 2)
		errx(2, "usage: split FILE [MAPPINGS]");
	mappings = argc > 2 ? atoi(argv[2]) : 1;
	codes = calloc(mappings, sizeof(*codes));
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || !codes)
		err(2, "%s", argv[1]);
	for (i = 0; i < mappings; i++)
		codes[i] = map(fd, argc > 2 ? PAGE : 2 * PAGE);
	if (argc == 2 && pthread_create(&thread, NULL, split, codes[0] + PAGE))
		errx(2, "pthread_create");
	puts("ready");
	while (wait_line()) {
		for (i = 0; i < mappings; i++)
			((void (*)(void))codes[i])();
		printf("%u\n", mappings);
	}
	return 0;
}
