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
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROBED __attribute__((noinline, noclone))

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
	struct uffd_msg msg;

	if (read(uffd, &msg, sizeof(msg)) != sizeof(msg))
		exit(3);
	printf("the fork sleeps\n");
	fflush(stdout);
	getchar();
	zero.range.len = page_size;
	if (ioctl(uffd, UFFDIO_ZEROPAGE, &zero))
		exit(4);
	return NULL;
}

static int watch_page(void)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };

	page_size = sysconf(_SC_PAGESIZE);
	page = mmap(NULL, page_size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uffd = syscall(SYS_userfaultfd, O_CLOEXEC);
	if (page == MAP_FAILED || uffd < 0 || ioctl(uffd, UFFDIO_API, &api))
		return -1;
	reg.range.start = (unsigned long)page;
	reg.range.len = page_size;
	return ioctl(uffd, UFFDIO_REGISTER, &reg);
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
	fflush(stdout);
	getchar();
}

static void say_counter(void)
{
	char line;

	printf("counter %d\n", slow_counter);
	fflush(stdout);
	while (read(STDIN_FILENO, &line, 1) == 1 && line != '\n')
		;
	printf("counter %d\n", slow_counter);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pthread_t waker;
	int status = 0;
	pid_t child;

	if (watch_page()) {
		perror("userfaultfd");
		return 2;
	}
	printf("%d %p\n", getpid(), work);
	fflush(stdout);
	getchar();
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
