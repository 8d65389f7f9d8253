// SPDX-License-Identifier: GPL-2.0
/*
 *	callchain ID COMMAND...
 *
 * Runs the command, and samples each hit of the tracepoint with the number ID in the command's
 * first process (man 2 perf_event_open).  Prints the user stack of each sample as a line of
 * addresses, innermost first.  Fails if the kernel has lost a sample.
 */
#include "puppet.h"
#include <linux/perf_event.h>

#define PAGES	64

/* A sample of PERF_SAMPLE_CALLCHAIN alone. */
struct sample {
	struct perf_event_header header;
	__u64 nr;
	__u64 ips[];
};

static void show(const struct sample *sample)
{
	__u64 i;

	for (i = 0; i < sample->nr; i++)
		if (sample->ips[i] < PERF_CONTEXT_MAX)
			printf(" %llx", (unsigned long long)sample->ips[i]);
	printf("\n");
}

int main(int argc, char **argv)
{
	size_t page = sysconf(_SC_PAGESIZE);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.sample_period = 1,
		.exclude_callchain_kernel = 1,
	};
	struct perf_event_mmap_page *ring;
	int fd, status, go[2];
	const char *data;
	__u64 at;
	pid_t pid;
	char c;

	if (argc < 3 || pipe(go))
		return 2;
	pid = fork();
	if (!pid) {
		close(go[1]);
		if (read(go[0], &c, 1) == 1)
			execvp(argv[2], argv + 2);
		_exit(127);
	}
	attr.config = strtoull(argv[1], NULL, 0);
	fd = syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		err(1, "perf_event_open");
	/* The buffer is large enough for all samples, so it never wraps around. */
	ring = mmap(NULL, (1 + PAGES) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED || write(go[1], "", 1) != 1 || waitpid(pid, &status, 0) != pid)
		return 1;
	data = (const char *)ring + page;
	for (at = 0; at < ring->data_head;) {
		const struct perf_event_header *header = (const void *)(data + at);

		if (header->type == PERF_RECORD_LOST || at + header->size > PAGES * page)
			return 3;
		if (header->type == PERF_RECORD_SAMPLE)
			show((const struct sample *)header);
		at += header->size;
	}
	return status ? 1 : 0;
}
