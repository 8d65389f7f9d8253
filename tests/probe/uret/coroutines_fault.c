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
#include "puppet.h"
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#define STACK_SIZE	(256 << 10)

static ucontext_t inside, outside;
static long paused;
static int fd;

static __attribute__((noipa)) long probed_pause(long x)
{
	swapcontext(&inside, &outside);
	return 2 * x;
}

static void pause_once(int unused)
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

static void replace_area(void)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	const int prot = PROT_READ | PROT_WRITE | PROT_EXEC;
	struct mapping m;
	void *at;

	for_each_mapping(&m, "/proc/self/maps", "[uprobes]") {
		if (fd)
			continue;
		at = (void *)m.start;
		if (mmap(at, m.end - m.start, prot, flags, -1, 0) == MAP_FAILED)
			err(2, "area");
		fd = userfault_at(at, m.end - m.start);
	}
	if (fd <= 0)
		errx(2, "there is no area, or no userfaultfd");
}

int main(void)
{
	static unsigned char page[4096];
	struct uffdio_copy copy = { .src = (unsigned long)page, .len = sizeof(page) };
	pthread_t thread;

	make_context(&inside, malloc(STACK_SIZE), STACK_SIZE, NULL, pause_once, 0);
	pthread_create(&thread, NULL, enter, NULL);
	pthread_join(thread, NULL);
	replace_area();

	pthread_create(&thread, NULL, leave, NULL);
	copy.dst = await_fault(fd);
	printf("waits\n");
	wait_line();
	memset(page, 0xcc, sizeof(page));
	if (ioctl(fd, UFFDIO_COPY, &copy))
		err(2, "copy");
	pthread_join(thread, NULL);
	return 0;
}
