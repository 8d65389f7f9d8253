// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the code of a running process with the files that are mapped there:
 *
 *	textcmp PID
 *
 * Prints a line for each byte that differs.  The exit status is 0 if no byte differs and at least
 * one mapping was compared.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

static int compare(pid_t pid, const char *path, unsigned long start, unsigned long end,
		   unsigned long offset)
{
	static unsigned char ours[4096], theirs[4096];
	int fd = open(path, O_RDONLY), differing = 0;
	unsigned long addr;

	if (fd < 0) {
		perror(path);
		return 1;
	}
	for (addr = start; addr < end; addr += sizeof(ours)) {
		ssize_t n = pread(fd, ours, sizeof(ours), offset + (addr - start));
		ssize_t i;

		if (n <= 0)
			break;
		/*
		 * Do not use /proc/PID/mem: like a debugger, its readers do not see our
		 * breakpoints.
		 */
		if (process_vm_readv(pid, &(struct iovec) { theirs, n }, 1,
				     &(struct iovec) { (void *)addr, n }, 1, 0) != n) {
			perror("reading the process");
			differing++;
			break;
		}
		for (i = 0; i < n; i++) {
			if (ours[i] == theirs[i])
				continue;
			printf("%s at 0x%lx: file 0x%02x, memory 0x%02x\n", path, addr + i,
			       ours[i], theirs[i]);
			differing++;
		}
	}
	close(fd);
	return differing;
}

int main(int argc, char **argv)
{
	char name[64], line[4096 + 256], path[4096], perms[8];
	unsigned long start, end, offset;
	int differing = 0, compared = 0;
	FILE *maps;

	if (argc != 2) {
		fprintf(stderr, "usage: textcmp PID\n");
		return 2;
	}
	snprintf(name, sizeof(name), "/proc/%s/maps", argv[1]);
	maps = fopen(name, "r");
	if (!maps) {
		perror(name);
		return 2;
	}
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %4095s", &start, &end, perms, &offset,
			   path) != 5)
			continue;
		if (perms[2] != 'x' || path[0] != '/' || strstr(line, "(deleted)"))
			continue;
		differing += compare(atoi(argv[1]), path, start, end, offset);
		compared++;
	}
	return differing || !compared;
}
