// SPDX-License-Identifier: GPL-2.0
// cflags: -O1
/*
 * Locks all of its memory, also that which it gets later, may lock 1 MiB more, and calls step()
 * 20,000 times. It is nobody then, since root may lock as much as it likes. Prints how many pieces
 * of 64 KiB it can map.
 */
#include "puppet.h"
#include <sys/resource.h>

#define PIECE (64 << 10)
#define NOBODY 65534

__attribute__((noinline)) long step(long a)
{
	__asm__ volatile("" ::: "memory");
	return a * 3 + 1;
}

/* How much is locked now, in KiB. */
static long locked(void)
{
	FILE *status = fopen("/proc/self/status", "r");
	char line[200];
	long kb = -1;

	while (status && fgets(line, sizeof(line), status))
		sscanf(line, "VmLck: %ld", &kb);
	if (status)
		fclose(status);
	return kb;
}

int main(void)
{
	struct rlimit limit;
	int i, got = 0;

	/* Standard output gets its buffer now. */
	printf("pieces: ");
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		return 1;
	limit.rlim_cur = (locked() + 1024) << 10;
	limit.rlim_max = limit.rlim_cur;
	if (setrlimit(RLIMIT_MEMLOCK, &limit) || setgid(NOBODY) || setuid(NOBODY))
		return 1;
	for (i = 0; i < 20000; i++)
		step(i);
	sleep(1);
	for (i = 0; i < 20000; i++)
		step(i);
	while (mmap(NULL, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
	       MAP_FAILED)
		got++;
	printf("%d\n", got);
	return 0;
}
