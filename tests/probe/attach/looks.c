// SPDX-License-Identifier: GPL-2.0
/*
 *	looks at PID [NUMBER]	print what can be seen of the process; search for NUMBER in its
 *				executable mappings, and in the files behind them
 *	looks wait		call secret(), print "waits", wait for a line, and call secret()
 *				again
 *
 * secret() contains the number 0x5ec4e75ec4e75ec4.
 */
#include "puppet.h"
#include <dirent.h>
#include <sys/uio.h>

long secret(void);
ASM_FUNCTION(secret, "\tmovabs $0x5ec4e75ec4e75ec4, %rax\n\tret\n");

static const char *pid;
static unsigned long number;

static FILE *open_file(const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s/%s", pid, name);
	return fopen(path, "r");
}

static void look(const char *name)
{
	FILE *file = open_file(name);
	char byte;

	errno = 0;
	if (!file || (fread(&byte, 1, 1, file) != 1 && errno))
		printf("%s: %s\n", name, strerror(errno));
	else
		printf("%s: can be read\n", name);
	if (file)
		fclose(file);
}

static long count(const char *at, size_t len)
{
	long n = 0;

	for (size_t i = 0; i + sizeof(number) <= len; i++)
		n += !memcmp(at + i, &number, sizeof(number));
	return n;
}

static void look_into(const char *from, const char *to, char *buffer)
{
	unsigned long start = strtoul(from, NULL, 16), end = strtoul(to, NULL, 16);
	struct iovec local = { buffer, end - start }, remote = { (void *)start, end - start };
	ssize_t n = process_vm_readv(atoi(pid), &local, 1, &remote, 1, 0);
	char path[96];
	int fd;

	printf("process_vm_readv: %s", n < 0 ? strerror(errno) : "the number stands there ");
	if (n >= 0)
		printf("%ld times", count(buffer, (size_t)n));
	snprintf(path, sizeof(path), "/proc/%s/map_files/%s-%s", pid, from, to);
	fd = open(path, O_RDONLY);
	printf(", in the file behind: %s", fd < 0 ? strerror(errno) : "");
	if (fd >= 0) {
		n = pread(fd, buffer, end - start, 0);
		printf("%ld times", count(buffer, n < 0 ? 0 : (size_t)n));
		close(fd);
	}
}

static void look_at(void)
{
	static const char * const names[] = {
		"maps", "smaps", "smaps_rollup", "pagemap", "mem", "auxv", "environ", "stack",
		"syscall", "wchan", "map_files", "numa_maps", "stat", "statm", "status", "cmdline"
	};
	static char buffer[1 << 20];
	char line[512], from[32], to[32], how[8];
	FILE *maps;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		/* Position 0 of this file is no memory. */
		if (strcmp(names[i], "mem"))
			look(names[i]);
	}
	maps = open_file("maps");
	while (number && maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%31[^-]-%31s %7s", from, to, how) != 3 || !strchr(how, 'x') ||
		    strstr(line, "vsyscall"))
			continue;
		if (strtoul(to, NULL, 16) - strtoul(from, NULL, 16) > sizeof(buffer))
			continue;
		printf("%s: ", strstr(line, "[uprobes]") ? "area" : "text");
		look_into(from, to, buffer);
		putchar('\n');
	}
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "wait")) {
		long sum = secret();

		puts("waits");
		wait_line();
		return sum != secret();
	}
	if (argc < 3 || strcmp(argv[1], "at"))
		return fprintf(stderr, "usage: looks at PID [NUMBER] | looks wait\n"), 2;
	pid = argv[2];
	number = argc > 3 ? strtoul(argv[3], NULL, 0) : 0;
	look_at();
	return 0;
}
