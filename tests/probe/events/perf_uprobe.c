// SPDX-License-Identifier: GPL-2.0
/*
 *	perf_uprobe PATH OFFSET PID [COUNTER]
 *	perf_uprobe -l PATH OFFSET PID
 *
 * Opens one of the kernel's own uprobes for one process only (man 2 perf_event_open), with a
 * reference counter at COUNTER in the file.  Prints "open".  For each line on standard input,
 * prints how many hits there have been; ends at the end of its input.  With -l, opens and closes
 * the uprobe until the process has ended, and prints how often.
 */
#include "puppet.h"
#include <linux/perf_event.h>

static int pmu_number(void)
{
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	int number = -1;

	if (!file || fscanf(file, "%d", &number) != 1)
		return -1;
	fclose(file);
	return number;
}

int main(int argc, char **argv)
{
	int loops = argc > 1 && !strcmp(argv[1], "-l");
	struct perf_event_attr attr = { .size = sizeof(attr), .type = pmu_number() };
	unsigned long long hits, times = 0;
	int fd;

	argv += loops;
	argc -= loops;
	if (argc < 4)
		return 2;
	attr.config1 = (unsigned long)argv[1];
	attr.config2 = strtoull(argv[2], NULL, 0);
	if (argc > 4)
		attr.config = strtoull(argv[4], NULL, 0) << 32;
	do {
		fd = syscall(SYS_perf_event_open, &attr, atoi(argv[3]), -1, -1,
			     PERF_FLAG_FD_CLOEXEC);
		if (fd < 0 && loops && errno == ESRCH)
			break;
		if (fd < 0)
			err(1, "perf_event_open");
		times++;
		if (!loops)
			printf("open\n");
		while (!loops && wait_line()) {
			if (read(fd, &hits, sizeof(hits)) != sizeof(hits))
				return 1;
			printf("%llu\n", hits);
		}
		close(fd);
	} while (loops);
	if (loops)
		printf("%llu times\n", times);
	return 0;
}
