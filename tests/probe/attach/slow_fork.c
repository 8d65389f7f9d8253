// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -rdynamic
/*
 * Prints its process ID and the address of work(), waits for a line, and forks a child that calls
 * work().  After the kernel has copied the address space, it stores the child's pidfd into a page
 * that is not in memory.  The program provides the page after another line; the fork sleeps until
 * then.  Prints when the fork sleeps, and how the child ended.
 *
 * With an argument, the program first has a page of a file in shared memory written back, prints
 * that, and waits for a line.  The child then prints the reference counter before it calls work(),
 * waits for a line, and prints the counter again.
 */
#include "puppet.h"
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

static void *page;
static long page_size;
static int uffd;

volatile unsigned short slow_counter __attribute__((section(".probes"), aligned(2))) = 0;

PROBED int work(int x)
{
	return x * 3 + 1;
}

static void *wake(void *unused)
{
	struct uffdio_zeropage zero = { .range.start = (unsigned long)page };

	await_fault(uffd);
	printf("the fork sleeps\n");
	wait_line();
	zero.range.len = page_size;
	if (ioctl(uffd, UFFDIO_ZEROPAGE, &zero))
		exit(4);
	return NULL;
}

static int watch_page(void)
{
	page_size = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uffd = page == MAP_FAILED ? -1 : userfault_at(page, page_size);
	return uffd < 0;
}

static void write_back(void)
{
	FILE *file = tmpfile();
	char *shared;

	if (!file || ftruncate(fileno(file), page_size))
		exit(5);
	shared = mmap(NULL, page_size, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(file), 0);
	if (shared == MAP_FAILED)
		exit(6);
	shared[0] = 1;
	if (msync(shared, page_size, MS_SYNC))
		exit(7);
	printf("written back\n");
	wait_line();
}

static void say_counter(void)
{
	printf("counter %d\n", slow_counter);
	wait_line();
	printf("counter %d\n", slow_counter);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pthread_t waker;
	int status = 0;
	pid_t child;

	if (watch_page())
		return 2;
	printf("%d %p\n", getpid(), work);
	wait_line();
	if (argc > 1)
		write_back();
	pthread_create(&waker, NULL, wake, NULL);
	child = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, NULL, page, NULL, 0);
	if (!child) {
		if (argc > 1)
			say_counter();
		_exit(work(5));
	}
	waitpid(child, &status, 0);
	if (WIFEXITED(status))
		printf("the child returned %d\n", WEXITSTATUS(status));
	else
		printf("the child died of signal %d\n", WTERMSIG(status));
	pthread_join(waker, NULL);
	return 0;
}
