// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -pthread -no-pie
/*
 * Calls a function whose arguments tell who calls it, in threads that change their processors:
 *
 *	ringed
 *
 * Carries out lines of input, and answers each with a line:
 *
 *	run THREADS CALLS	each thread calls ring_call(its thread id, number of the call)
 *	spin CALLS		calls ring_call() that often in the main thread, which then stays busy
 *	rename CALLS		calls it that often under each of two names: "first" and "second"
 *	fork CALLS		calls it that often, in a child, too; the child ends by _exit()
 *	exec CALLS		calls it that often, and executes the program anew
 *	maps			prints the mappings of rings, as "START-END PERMISSIONS"
 *
 * The answer to "run" is the ids of the threads.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS_MAX	64

static pid_t ids[THREADS_MAX];
static long calls;
static volatile long sum;

/* The flags are of use behind the first instruction, so a pad must save them. */
long ring_call(long id, long nr);
asm(".text\n"
	".globl ring_call\n"
	".type ring_call, @function\n"
	"ring_call:\n"
	"	lea (%rdi,%rsi), %rax\n"
	"	cmovc %rsi, %rax\n"
	"	nop\n"
	"	ret\n"
	".size ring_call, . - ring_call\n");

static void call_all(long id)
{
	for (long i = 0; i < calls; i++)
		sum += ring_call(id, i);
}

/* Go from processor to processor. */
static void move(unsigned int to)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(to % (unsigned int)sysconf(_SC_NPROCESSORS_ONLN), &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void *thread(void *data)
{
	long nr = (long)data;
	pid_t id = (pid_t)syscall(SYS_gettid);

	ids[nr] = id;
	for (long i = 0; i < calls; i++) {
		sum += ring_call(id, i);
		if (i % 499 == 498)
			move((unsigned int)(nr + i));
		if (i % 83 == 82)
			sched_yield();
	}
	return NULL;
}

static void run(long threads)
{
	static pthread_t started[THREADS_MAX];

	for (long i = 0; i < threads; i++)
		pthread_create(&started[i], NULL, thread, (void *)i);
	for (long i = 0; i < threads; i++)
		pthread_join(started[i], NULL);
	for (long i = 0; i < threads; i++)
		printf("%d%c", ids[i], i + 1 < threads ? ' ' : '\n');
}

static void print_maps(void)
{
	char line[512];
	FILE *maps = fopen("/proc/self/maps", "r");

	while (maps && fgets(line, sizeof(line), maps))
		if (strstr(line, "[uprobes]"))
			fputs(line, stdout);
	puts("end");
	if (maps)
		fclose(maps);
}

int main(int argc, char **argv)
{
	char line[128], what[16];
	long n, more;

	(void)argc;
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready %d\n", getpid());
	while (fgets(line, sizeof(line), stdin)) {
		n = 0;
		more = 0;
		if (sscanf(line, "%15s %ld %ld", what, &n, &more) < 1)
			continue;
		calls = n;
		if (!strcmp(what, "run") && n <= THREADS_MAX) {
			calls = more;
			run(n);
		} else if (!strcmp(what, "spin")) {
			call_all(getpid());
			puts("called");
			for (;;)
				sum++;
		} else if (!strcmp(what, "rename")) {
			prctl(PR_SET_NAME, "first");
			call_all(getpid());
			prctl(PR_SET_NAME, "second");
			call_all(getpid());
			puts("called");
		} else if (!strcmp(what, "fork")) {
			pid_t child;

			call_all(getpid());
			child = fork();
			if (!child) {
				call_all(getpid());
				_exit(0);
			}
			waitpid(child, NULL, 0);
			call_all(getpid());
			printf("%d\n", child);
		} else if (!strcmp(what, "exec")) {
			call_all(getpid());
			execv("/proc/self/exe", argv);
		} else if (!strcmp(what, "maps")) {
			print_maps();
		}
	}
	return 0;
}
