// SPDX-License-Identifier: GPL-2.0
/*
 * Compares the code of a running process with the files that are mapped there:
 *
 *	textcmp PID
 *
 * Prints a line for each byte that differs.  The exit status is 0 if no byte differs and at least
 * one mapping was compared.
 */
#include "puppet.h"
#include <sys/uio.h>

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
	int differing = 0, compared = 0;
	struct mapping m;
	char maps[64];

	if (argc != 2)
		errx(2, "usage: textcmp PID");
	snprintf(maps, sizeof(maps), "/proc/%s/maps", argv[1]);
	if (access(maps, R_OK))
		err(2, "%s", maps);
	for_each_mapping(&m, maps, "/") {
		if (m.perms[2] != 'x' || m.name[0] != '/' || strstr(m.name, "(deleted)"))
			continue;
		differing += compare(atoi(argv[1]), m.name, m.start, m.end, m.offset);
		compared++;
	}
	return differing || !compared;
}
