// SPDX-License-Identifier: GPL-2.0
// cflags: -O1 -pthread -rdynamic
/*
 * Does one thing for each line on standard input, and says what came of it:
 *
 *	call N		work() N times: sum of its results
 *	nest N		nest(N), which calls itself: its result
 *	fork N		a child calls work() N times: its sum; and "lib" in it
 *	threads N	4 threads that call work() N times: sum
 *	exec		executes itself anew
 *	leave		the first thread exits, another one goes on
 *	counter		the 16-bit counter of probes of this program
 *	load PATH	dlopen()s a library, and says what its counter is
 *	unload		dlclose()s it
 *	exit N		exits with status N
 *
 * The first line of output is "PID" and the addresses of work(), nest() and of
 * the instruction of work() behind its first one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

long work(long x);
long nest(long n);
extern char work_second[];

/*
 * In assembly, so that the tests know its instructions: an add of 4 bytes that
 * a handler may skip, then three more.
 */
__asm__(".pushsection .text\n"
	".globl work\n.type work, @function\n"
	"work:\n"
	"\tadd $100, %rdi\n"
	".globl work_second\n"
	"work_second:\n"
	"\tlea 1(%rdi,%rdi,2), %rax\n"
	"\tnop\n"
	"\tret\n"
	".size work, . - work\n"
	".popsection\n");

__attribute__((noinline)) long nest(long n)
{
	long below = n ? nest(n - 1) : 0;

	__asm__ volatile("" ::: "memory");
	return below + n;
}

/* Like the semaphore of a USDT probe. */
volatile unsigned short steps_counter __attribute__((section(".probes"), aligned(2))) = 0;

static long works(long n)
{
	long sum = 0;

	while (n-- > 0)
		sum += work(n);
	return sum;
}

static void *works_thread(void *arg)
{
	return (void *)works((long)arg);
}

static void in_threads(long n)
{
	pthread_t t[4];
	long sum = 0;
	void *ret;
	int i;

	for (i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, works_thread, (void *)n);
	for (i = 0; i < 4; i++) {
		pthread_join(t[i], &ret);
		sum += (long)ret;
	}
	printf("threads %ld\n", sum);
}

static void in_child(long n)
{
	pid_t pid = fork();

	if (!pid) {
		printf("child %ld counter %d\n", works(n), steps_counter);
		fflush(stdout);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
}

static void *library;

static void load(const char *path)
{
	volatile unsigned short *counter;

	library = dlopen(path, RTLD_NOW);
	counter = library ? dlsym(library, "library_counter") : NULL;
	if (counter)
		printf("library %d\n", *counter);
	else
		printf("library: %s\n", dlerror());
}

static void *steps(void *name)
{
	char line[256], word[16];
	long n;

	while (fgets(line, sizeof(line), stdin)) {
		n = 0;
		if (sscanf(line, "%15s %ld", word, &n) < 1)
			continue;
		line[strcspn(line, "\n")] = 0;
		if (!strcmp(word, "call")) {
			printf("call %ld\n", works(n));
		} else if (!strcmp(word, "nest")) {
			printf("nest %ld\n", nest(n));
		} else if (!strcmp(word, "fork")) {
			in_child(n);
		} else if (!strcmp(word, "threads")) {
			in_threads(n);
		} else if (!strcmp(word, "exec")) {
			execl(name, name, NULL);
		} else if (!strcmp(word, "counter")) {
			printf("counter %d\n", steps_counter);
		} else if (!strcmp(word, "load")) {
			load(line + 5);
		} else if (!strcmp(word, "unload")) {
			printf("unload %d\n", dlclose(library));
		} else if (!strcmp(word, "leave")) {
			pthread_t t;

			pthread_create(&t, NULL, steps, name);
			printf("left\n");
			fflush(stdout);
			pthread_exit(NULL);
		} else if (!strcmp(word, "exit")) {
			exit(n);
		}
		fflush(stdout);
	}
	exit(0);
}

int main(int argc, char **argv)
{
	setvbuf(stdin, NULL, _IONBF, 0);
	printf("%d %p %p %p\n", getpid(), work, nest, work_second);
	fflush(stdout);
	steps("/proc/self/exe");
	return 0;
}
