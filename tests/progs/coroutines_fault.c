// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -pthread -fno-optimize-sibling-calls
/*
 * Lets a thread return from probed_pause() to memory that another thread has to provide (man 2
 * userfaultfd).  A third thread has entered the call.  The program has mapped that memory in place
 * of "[uprobes]".
 *
 * Prints "waits" when the returning thread waits for the memory.  On a line of input, fills the
 * memory with breakpoints.  Prints what the call has returned.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define STACK_SIZE	(256 << 10)

static ucontext_t inside, outside;
static long paused;
static int fd;

static __attribute__((noipa)) long probed_pause(long x)
{
	swapcontext(&inside, &outside);
	return 2 * x;
}

static void pause_once(void)
{
	paused = probed_pause(21);
	swapcontext(&inside, &outside);
}

static void *enter(void *unused)
{
	swapcontext(&outside, &inside);
	return unused;
}

static void *leave(void *unused)
{
	swapcontext(&outside, &inside);
	printf("paused %ld\n", paused);
	return unused;
}

static void replace(unsigned long start, unsigned long end)
{
	struct uffdio_register range = {
		.range = { .start = start, .len = end - start },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	if (mmap((void *)start, end - start, PROT_READ | PROT_WRITE | PROT_EXEC,
		 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED ||
	    ioctl(fd, UFFDIO_REGISTER, &range))
		err(2, "area");
}

static void replace_area(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	FILE *maps = fopen("/proc/self/maps", "r");
	unsigned long start, end;
	char line[512];

	fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (!maps || fd < 0 || ioctl(fd, UFFDIO_API, &api))
		err(2, "userfaultfd");
	while (fgets(line, sizeof(line), maps)) {
		if (strstr(line, "[uprobes]") && sscanf(line, "%lx-%lx", &start, &end) == 2) {
			replace(start, end);
			break;
		}
	}
	fclose(maps);
}

int main(void)
{
	static unsigned char page[4096];
	struct uffdio_copy copy = { .src = (unsigned long)page, .len = sizeof(page) };
	struct uffd_msg msg;
	pthread_t thread;

	getcontext(&inside);
	inside.uc_stack.ss_sp = malloc(STACK_SIZE);
	inside.uc_stack.ss_size = STACK_SIZE;
	makecontext(&inside, pause_once, 0);
	pthread_create(&thread, NULL, enter, NULL);
	pthread_join(thread, NULL);
	replace_area();

	pthread_create(&thread, NULL, leave, NULL);
	if (read(fd, &msg, sizeof(msg)) != sizeof(msg) || msg.event != UFFD_EVENT_PAGEFAULT)
		errx(2, "nobody waits");
	printf("waits\n");
	fflush(stdout);
	getchar();
	memset(page, 0xcc, sizeof(page));
	copy.dst = msg.arg.pagefault.address & -4096UL;
	if (ioctl(fd, UFFDIO_COPY, &copy))
		err(2, "copy");
	pthread_join(thread, NULL);
	return 0;
}
