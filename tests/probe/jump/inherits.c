// SPDX-License-Identifier: GPL-2.0
/*
 * Forks while the module maps memory that it shares with the program:
 *
 *	inherits PROCESSES
 *
 * One process after the other calls hot(), so that it gets such memory, while threads of it fork
 * again and again: one of them always waits for the lock of the mappings.  Prints how many children
 * there were, how many had memory that the module shares with their parent, and how many of the
 * processes had such memory.
 */
#include "puppet.h"

#define CALLS 4000
#define TRIES 300
#define FILES 16
#define NOTES 256
#define THREADS 4

static struct {
	unsigned int children;
	unsigned int inherited;
	unsigned int mapped;
	unsigned int noted;
	unsigned long inodes[NOTES];
} *seen;

static volatile int done;

/* A jump has room in it. */
__attribute__((noinline)) void hot(long a)
{
	__asm__ volatile("lea 1(%0), %0\n\t"
			 "lea 1(%0), %0" : "+r" (a));
}

/*
 * Find the files of lines "... rw-s ... INODE [uprobes]", without allocating memory.  Return their
 * number.
 */
static unsigned int shared_memory(unsigned long inodes[FILES])
{
	static char maps[65536];
	int fd = open("/proc/self/maps", O_RDONLY), len = 0, n;
	unsigned int found = 0;

	while ((n = (int)read(fd, maps + len, sizeof(maps) - 1 - (size_t)len)) > 0)
		len += n;
	close(fd);
	maps[len] = '\0';
	for (char *line = maps, *next; found < FILES && *line; line = next) {
		next = strchr(line, '\n');
		if (!next)
			break;
		*next++ = '\0';
		if (strstr(line, " rw-s ") && strstr(line, "[uprobes]") &&
		    sscanf(line, "%*s %*s %*s %*s %lu", &inodes[found]) == 1)
			found++;
	}
	return found;
}

/* In a child: note the files that we have. */
static void note_inherited(void)
{
	unsigned long inodes[FILES];
	unsigned int found = shared_memory(inodes);

	for (unsigned int i = 0; i < found; i++)
		seen->inodes[__atomic_fetch_add(&seen->noted, 1, __ATOMIC_RELAXED) % NOTES] =
			inodes[i];
}

/* In the parent: count those that are still in use here. */
static void compare_inherited(void)
{
	unsigned long inodes[FILES];
	unsigned int found = shared_memory(inodes);

	seen->mapped += found != 0;
	for (unsigned int i = 0; i < found; i++)
		for (unsigned int k = 0; k < NOTES && k < seen->noted; k++)
			seen->inherited += seen->inodes[k] == inodes[i];
	seen->noted = 0;
}

static void *forks(void *unused)
{
	(void)unused;
	while (!done) {
		pid_t child = fork();

		if (!child) {
			__atomic_fetch_add(&seen->children, 1, __ATOMIC_RELAXED);
			note_inherited();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int processes = argc > 1 ? atoi(argv[1]) : 1;

	seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < processes; i++) {
		pid_t child = fork();

		if (!child) {
			unsigned long inodes[FILES];
			pthread_t *threads = start_threads(THREADS, forks, NULL);

			usleep((unsigned int)(i % 50) * 100);
			for (int tries = 0; tries < TRIES && !shared_memory(inodes); tries++)
				for (long k = 0; k < CALLS; k++)
					hot(k);
			done = 1;
			join_threads(threads, THREADS);
			compare_inherited();
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	printf("%u children, %u inherited, %u processes\n", seen->children, seen->inherited,
	       seen->mapped);
	return 0;
}
