/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common functions of test programs. Many of these are puppets: they read commands from standard
 * input, line by line, which a script writes.
 */
#ifndef PUPPET_H
#define PUPPET_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define PAGE	4096UL

/* A function that the compiler calls as it stands. */
#ifdef __cplusplus
#define PROBED	extern "C" __attribute__((noinline, noclone))
#else
#define PROBED	__attribute__((noinline, noclone))
#endif

/* A global function in assembly: as part of an asm statement, and as a statement of its own. */
#define ASM_PART(name, code)							\
	".globl " #name "\n.type " #name ", @function\n"			\
	#name ":\n" code							\
	".size " #name ", . - " #name "\n"
#define ASM_FUNCTION(name, code)						\
	__asm__(".pushsection .text\n" ASM_PART(name, code) ".popsection\n")

/* A label in assembly that scripts find by its name. */
#define LABEL(name)	".globl " #name "\n" #name ":\n"

/*
 * Read a line of standard input, without its end. Output so far reaches the script before. Each byte is
 * read by itself, so that what follows is there for a child, and for poll(). Return false at the end of
 * the input.
 */
static inline bool next_line(char *line, size_t size)
{
	size_t len = 0;
	char c = 0;

	fflush(stdout);
	while (read(STDIN_FILENO, &c, 1) == 1 && c != '\n') {
		if (len < size - 1)
			line[len++] = c;
	}
	line[len] = '\0';
	return c == '\n';
}

/* Wait for a line. Return false at the end of the input. */
static inline bool wait_line(void)
{
	char line[2];

	return next_line(line, sizeof(line));
}

/**
 * struct command - a line of standard input
 * @line: the line
 * @word: its first word
 * @rest: what follows the word and a blank
 * @n: the number that follows the word, or 0
 * @more: the number after that, or 0
 */
struct command {
	char line[256];
	char word[16];
	const char *rest;
	long n;
	long more;
};

/* Read a command. Skip empty lines. Return false at the end of the input. */
static inline bool next_command(struct command *c)
{
	do {
		if (!next_line(c->line, sizeof(c->line)))
			return false;
		c->n = 0;
		c->more = 0;
	} while (sscanf(c->line, "%15s %li %li", c->word, &c->n, &c->more) < 1);
	c->rest = strchr(c->line, ' ');
	c->rest = c->rest ? c->rest + 1 : "";
	return true;
}

static inline bool is(const struct command *c, const char *word)
{
	return !strcmp(c->word, word);
}

/* Have a signal handled by a function that gets its context. */
static inline void handle(int sig, void (*handler)(int, siginfo_t *, void *), int flags)
{
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_sigaction = handler;
	action.sa_flags = SA_SIGINFO | flags;
	sigaction(sig, &action, NULL);
}

/* A line of /proc/PID/maps. */
struct mapping {
	unsigned long start;
	unsigned long end;
	unsigned long offset;
	char perms[8];
	char name[512];
};

/* Find the next mapping whose name contains @name. Close the file at its end. */
static inline bool next_mapping(FILE *maps, const char *name, struct mapping *m)
{
	char line[1024];

	while (maps && fgets(line, sizeof(line), maps)) {
		m->name[0] = '\0';
		if (sscanf(line, "%lx-%lx %7s %lx %*s %*s %511[^\n]", &m->start, &m->end, m->perms,
			   &m->offset, m->name) >= 4 && strstr(m->name, name))
			return true;
	}
	if (maps)
		fclose(maps);
	return false;
}

#define for_each_mapping(m, path, name)						\
	for (FILE *maps_ = fopen(path, "r"); next_mapping(maps_, name, m);)

/* Find the mapping of an address. */
static inline bool mapping_of(unsigned long address, struct mapping *m)
{
	struct mapping found;
	bool is_there = false;

	for_each_mapping(&found, "/proc/self/maps", "") {
		if (address >= found.start && address < found.end) {
			*m = found;
			is_there = true;
		}
	}
	return is_there;
}

/* Start @nr threads. */
static inline pthread_t *start_threads(long nr, void *(*function)(void *), void *data)
{
	pthread_t *threads = (pthread_t *)calloc(nr, sizeof(*threads));
	long i;

	for (i = 0; i < nr; i++) {
		if (pthread_create(&threads[i], NULL, function, data))
			errx(2, "no thread");
	}
	return threads;
}

/* Wait for threads. Return the sum of what they return. */
static inline long join_threads(pthread_t *threads, long nr)
{
	long i, sum = 0;
	void *result;

	for (i = 0; i < nr; i++) {
		pthread_join(threads[i], &result);
		sum += (long)result;
	}
	free(threads);
	return sum;
}

/* Make a coroutine. It is a separate function because getcontext() may return twice. */
static inline void make_context(ucontext_t *context, void *stack, size_t size, ucontext_t *link,
				void (*function)(int), int argument)
{
	getcontext(context);
	context->uc_link = link;
	context->uc_stack.ss_sp = stack;
	context->uc_stack.ss_size = size;
	makecontext(context, (void (*)(void))function, 1, argument);
}

/* Have faults at memory that is not there reported to a file (man 2 userfaultfd). Return it, or -1. */
static inline int userfault_at(void *at, size_t len)
{
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	struct uffdio_register range = {};
	struct uffdio_api api = {};

	api.api = UFFD_API;
	range.range.start = (unsigned long)at;
	range.range.len = len;
	range.mode = UFFDIO_REGISTER_MODE_MISSING;
	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &range)) {
		perror("userfaultfd");
		return -1;
	}
	return fd;
}

/* Wait for a fault. Return the page. */
static inline unsigned long await_fault(int fd)
{
	struct uffd_msg msg;

	if (read(fd, &msg, sizeof(msg)) != sizeof(msg) || msg.event != UFFD_EVENT_PAGEFAULT)
		errx(3, "no fault");
	return msg.arg.pagefault.address & -PAGE;
}

/* Have the rest of the program's system calls judged by a filter (man 2 seccomp). */
#define judge_by(...) ({							\
	struct sock_filter code_[] = { __VA_ARGS__ };				\
	struct sock_fprog prog_ = { sizeof(code_) / sizeof(*code_), code_ };	\
										\
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||				\
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog_);		\
})

#endif /* PUPPET_H */
