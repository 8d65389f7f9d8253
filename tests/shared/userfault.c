// SPDX-License-Identifier: GPL-2.0
// cflags: -pthread
/*
 * Executes an instruction whose operand another thread provides (man 2 userfaultfd).  That thread
 * does so only after a signal handler has run in the thread that waits for the operand.
 *
 * Prints its process ID, loads the operand at load_at, and prints "waits" when it waits for the
 * operand.  Then prints the operand, how many signals there were, and whether they came while it
 * waited ("in time").  With an argument, first loads other operands until there is input, and in the
 * end prints how many loads there were.
 */
#include "puppet.h"
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>

long load(const long *from);

ASM_FUNCTION(load, LABEL(load_at) "\tmov (%rdi), %rax\n\tmov %rax, %rdx\n\tret\n");

static volatile int handled;
static const char *came = "in time";

static void on_urg(int sig)
{
	(void)sig;
	handled++;
}

static void *serve(void *arg)
{
	int fd = *(int *)arg;
	static long page[512] = { 42 };
	struct uffdio_copy copy = { .src = (unsigned long)page, .len = sizeof(page) };

	/* If a signal interrupts the load, its restart is reported anew. */
	copy.dst = await_fault(fd);
	printf("waits\n");
	fflush(stdout);
	for (int i = 0; i < 2000 && !handled; i++)
		usleep(10000);
	if (!handled)
		came = "too late";
	if (ioctl(fd, UFFDIO_COPY, &copy))
		exit(4);
	return NULL;
}

/* Load operands that are there. */
static long warm(void)
{
	struct pollfd in = { .fd = 0, .events = POLLIN };
	long n, value = 0;

	for (n = 0; !poll(&in, 1, 1); n++)
		load(&value);
	return n;
}

int main(int argc, char **argv)
{
	long *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = userfault_at(page, 4096);
	struct sigaction action = { .sa_handler = on_urg };
	sigset_t urg, old;
	pthread_t server;
	long value, loads = 1;

	(void)argv;
	if (fd < 0)
		return 2;
	sigaction(SIGURG, &action, NULL);
	sigemptyset(&urg);
	sigaddset(&urg, SIGURG);
	pthread_sigmask(SIG_BLOCK, &urg, &old);
	pthread_create(&server, NULL, serve, &fd);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	printf("%d\n", getpid());
	fflush(stdout);
	if (argc > 1)
		loads += warm();
	value = load(page);
	pthread_join(server, NULL);
	printf("%ld %d %s\n", value, handled, came);
	if (argc > 1)
		printf("%ld\n", loads);
	return 0;
}
