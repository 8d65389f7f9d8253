// SPDX-License-Identifier: GPL-2.0
// cflags: -pthread
/*
 *	served [STRING]
 *
 * Passes STRING to take(), in a page that is not in memory (man 2 userfaultfd).  If somebody reads
 * the page, another thread provides it by fill(); without STRING, it never does.  Prints its
 * process ID, "waits" when a reader waits for the page, and the string that take() got.
 */
#include "puppet.h"
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

static char page[4096] __attribute__((aligned(4096)));
static int userfault;

__attribute__((noipa)) int fill(unsigned long to)
{
	struct uffdio_copy copy = { .dst = to, .src = (unsigned long)page, .len = sizeof(page) };

	return ioctl(userfault, UFFDIO_COPY, &copy);
}

__attribute__((noipa)) void take(const char *string)
{
	char copy[64];

	/*
	 * Copy first: the other thread prints, too, so the fault must not happen with the stream
	 * locked.
	 */
	snprintf(copy, sizeof(copy), "%s", string);
	printf("took %s\n", copy);
	fflush(stdout);
}

static void *serve(void *arg)
{
	unsigned long at = await_fault(userfault);

	printf("waits\n");
	fflush(stdout);
	while (!page[0])
		pause();
	if (fill(at))
		exit(4);
	return arg;
}

int main(int argc, char **argv)
{
	char *string = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t server;

	if (argc > 1)
		snprintf(page, sizeof(page), "%s", argv[1]);
	userfault = userfault_at(string, 4096);
	if (userfault < 0)
		return 2;
	pthread_create(&server, NULL, serve, NULL);
	printf("%d\n", getpid());
	fflush(stdout);
	take(string);
	pthread_join(server, NULL);
	return 0;
}
