// SPDX-License-Identifier: GPL-2.0
/*
 *	crowd_forks MAPPINGS
 *
 * Forks children that end at once, one after the other.  The program has so many mappings that it
 * takes a while to copy them.  Prints "ready" when the forks begin.  During a fork, the kernel's
 * uprobes cannot be inserted into any process.
 */
#include "puppet.h"

int main(int argc, char **argv)
{
	long page = sysconf(_SC_PAGESIZE), n = argc > 1 ? atol(argv[1]) : 0, i;
	char *at = mmap(NULL, n * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	if (at == MAP_FAILED)
		err(2, "mmap");
	for (i = 0; i < n; i += 2) {
		if (mprotect(at + i * page, page, PROT_READ))
			err(2, "mprotect");
	}
	printf("ready\n");
	fflush(stdout);
	for (;;) {
		child = fork();
		if (!child)
			_exit(0);
		if (child < 0 || waitpid(child, NULL, 0) != child)
			err(1, "fork");
	}
}
