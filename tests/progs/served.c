// SPDX-License-Identifier: GPL-2.0
// cflags: -pthread
/*
 *	served [STRING]
 *
 * Passes STRING to take(), in a page that is not in memory (man 2 userfaultfd).  If somebody reads
 * the page, another thread provides it by fill(); without STRING, it never does.  Prints its
 * process ID, "waits" when a reader waits for the page, and the string that take() got.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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
	struct uffd_msg msg;

	if (read(userfault, &msg, sizeof(msg)) != sizeof(msg) || msg.event != UFFD_EVENT_PAGEFAULT)
		exit(3);
	printf("waits\n");
	fflush(stdout);
	while (!page[0])
		pause();
	if (fill(msg.arg.pagefault.address & -4096UL))
		exit(4);
	return arg;
}

int main(int argc, char **argv)
{
	char *string = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct uffdio_register reg = { .range = { (unsigned long)string, 4096 },
				       .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	pthread_t server;

	if (argc > 1)
		snprintf(page, sizeof(page), "%s", argv[1]);
	userfault = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (userfault < 0 || ioctl(userfault, UFFDIO_API, &api) ||
	    ioctl(userfault, UFFDIO_REGISTER, &reg)) {
		perror("userfaultfd");
		return 2;
	}
	pthread_create(&server, NULL, serve, NULL);
	printf("%d\n", getpid());
	fflush(stdout);
	take(string);
	pthread_join(server, NULL);
	return 0;
}
