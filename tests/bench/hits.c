// SPDX-License-Identifier: GPL-2.0
// cflags: -O2 -static -pthread
/*
 * The program that the benchmark probes, and that measures itself:
 *
 *	hits WORK ours|peer|none [WHAT...]
 *
 * Prints lines of CASE, INSN and a figure.  The figure is in nanoseconds of CLOCK_MONOTONIC, which
 * are instructions if QEMU counts them.  The program attaches probes to its own file, through the
 * benchmark's clients (tests/kmod/bench.h) or through the control files of a tracer.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hits.h"

#define MANY		100000

/*
 * One function for each instruction, which is at the label probe_NAME, and MANY functions that
 * begin with a mov.
 */
asm(".text\n"
	".balign 64\n"
	"fn_nop: probe_nop: nop\n\tret\n"
	".balign 64\n"
	"fn_push: probe_push: push %rbp\n\tpop %rbp\n\tret\n"
	".balign 64\n"
	"fn_endbr64: probe_endbr64: endbr64\n\tret\n"
	".balign 64\n"
	"fn_mov: probe_mov: mov %rdi, %rax\n\tret\n"
	".balign 64\n"
	"fn_sub: probe_sub: sub $24, %rsp\n\tadd $24, %rsp\n\tret\n"
	".balign 64\n"
	"fn_lea: probe_lea: lea fn_lea(%rip), %rax\n\tret\n"
	".balign 64\n"
	"fn_ret: probe_ret: ret\n"
	".balign 64\n"
	"fn_vector: probe_vector: pxor %xmm0, %xmm0\n\tret\n"
	".balign 64\n"
	"fn_call: probe_call: call 1f\n\tret\n"
	"1:\tret\n"
	".balign 64\n"
	"fn_jcc: test %rdi, %rdi\n"
	"probe_jcc: jne 1f\n"
	"1:\tret\n"
	/* The kernel's own uprobes may replace such a nop by a call (Linux 7.0). */
	".balign 64\n"
	"fn_nop10: probe_nop10: .byte 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n\tret\n"
	".balign 4096\n"
	"many:\n"
	".rept 100000\n\tmov %rdi, %rax\n\tret\n\t.balign 16\n\t.endr\n"
	".balign 4096\n");

extern called fn_nop, fn_push, fn_endbr64, fn_mov, fn_sub, fn_lea, fn_ret, fn_vector, fn_call,
	fn_jcc, fn_nop10, many;
extern char probe_nop[], probe_push[], probe_endbr64[], probe_mov[], probe_sub[], probe_lea[],
	probe_ret[], probe_vector[], probe_call[], probe_jcc[], probe_nop10[], __executable_start[];

static const struct insn {
	const char *name;
	called *fn;
	const char *probe;
} insns[] = {
	{ "nop", fn_nop, probe_nop },
	{ "push", fn_push, probe_push },
	{ "endbr64", fn_endbr64, probe_endbr64 },
	{ "mov", fn_mov, probe_mov },
	{ "sub", fn_sub, probe_sub },
	{ "lea-rip", fn_lea, probe_lea },
	{ "ret", fn_ret, probe_ret },
	{ "vector", fn_vector, probe_vector },
	{ "call", fn_call, probe_call },
	{ "jcc", fn_jcc, probe_jcc },
	{ "nop10", fn_nop10, probe_nop10 },
	{ },
};

/* Instructions that begin functions on which return probes are measured. */
static const char * const returning[] = { "endbr64", "sub", "push", "nop", NULL };

static uint64_t took(void)
{
	return number(client("took"));
}

/* Loop for ever, so that somebody can observe single hits. */
static bool spin;

static double probed(called *fn, const void *arg)
{
	while (spin)
		loop(fn, arg, CALLS);
	return least(fn, arg);
}

static void one(const char *kind, const struct insn *insn)
{
	double bare = least(insn->fn, argument), with;

	/* The kernel's uprobes refuse some instructions; there is no figure then. */
	if (!attach_if_possible(kind, insn->probe))
		return;
	with = probed(insn->fn, argument);
	detach();
	say(kind, insn->name, with - bare);
}

static void work_hits(const char *only)
{
	const struct insn *insn;
	int i;

	for (insn = insns; insn->name; insn++) {
		if (only && strcmp(only, insn->name))
			continue;
		one("entry-atomic", insn);
		if (!strcmp(side, "ours"))
			one("entry-sleepable", insn);
		for (i = 0; returning[i]; i++) {
			if (!strcmp(returning[i], insn->name))
				one("return-atomic", insn);
		}
	}
}

static void work_among(unsigned int count)
{
	double bare, with;
	char name[32];

	bare = least(many, argument);
	attach("entry-atomic", many, count);
	with = probed(many, argument);
	detach();
	snprintf(name, sizeof(name), "hit-among-%u", count);
	say(name, "mov", with - bare);
}

/* Return the path of a control file.  The files of both tracers have the same names. */
static const char *tracer(const char *what)
{
	static char file[128];

	snprintf(file, sizeof(file), "%s/%s", !strcmp(side, "ours") ?
		 "/sys/kernel/debug/uprobes" : "/sys/kernel/tracing", what);
	return file;
}

static const struct event {
	const char *name;
	const char *args;
	const char *filter;
} events[] = {
	{ "event", "first=%di second=%si", NULL },
	{ "event-string", "text=+0(%di):string", NULL },
	{ "event-filtered", "first=%di second=%si", "first == 1" },
	{ },
};

static void one_event(const struct event *e)
{
	double bare = least(fn_endbr64, argument), with;
	char line[5000];

	snprintf(line, sizeof(line), "p:bench/hit %s:%#lx %s\n", path, offset_of(probe_endbr64),
		 e->args);
	put(tracer("uprobe_events"), line, O_APPEND);
	if (e->filter)
		put(tracer("events/bench/hit/filter"), e->filter, 0);
	put(tracer("events/bench/hit/enable"), "1", 0);
	with = probed(fn_endbr64, argument);
	put(tracer("events/bench/hit/enable"), "0", 0);
	put(tracer("uprobe_events"), "-:bench/hit\n", O_APPEND);
	put(tracer("trace"), "", O_TRUNC);
	say(e->name, "endbr64", with - bare);
}

static void work_events(void)
{
	const struct event *e;

	for (e = events; e->name; e++)
		one_event(e);
}

/* Start processes that map this file and do nothing. */
static void start_idlers(pid_t *pids, unsigned int count)
{
	unsigned int i;
	int ready[2];
	char byte;

	if (pipe(ready))
		exit(1);
	for (i = 0; i < count; i++) {
		pids[i] = fork();
		if (!pids[i]) {
			if (write(ready[1], "", 1) == 1)
				pause();
			_exit(0);
		}
	}
	for (i = 0; i < count; i++) {
		if (read(ready[0], &byte, 1) != 1)
			exit(1);
	}
	close(ready[0]);
	close(ready[1]);
}

static void end_idlers(const pid_t *pids, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
}

#define SITES		10000
#define FILE_SITES	1000
#define PROCESSES	50

static void attach_process(unsigned int scale)
{
	unsigned int sites = SITES / scale;
	bool ours = !strcmp(side, "ours");

	attach_in(ours ? getpid() : 0, "entry-atomic",
		  ours ? (unsigned long)many : offset_of(many), sites);
	say("attach", "-", (double)took() / sites);
	detach();
	say("detach", "-", (double)took() / sites);
}

static void attach_file(unsigned int scale)
{
	unsigned int sites = FILE_SITES / scale, processes = PROCESSES / scale;
	pid_t pids[PROCESSES];

	/* This process is one of them. */
	start_idlers(pids, processes - 1);
	attach("entry-atomic", many, sites);
	say("attach-file", "-", (double)took() / sites);
	detach();
	say("detach-file", "-", (double)took() / sites);
	end_idlers(pids, processes - 1);
}

/* Attach one more probe at a place that has one in each process. */
static void attach_again(unsigned int scale)
{
	uint64_t to = UINT64_MAX, from = UINT64_MAX, t;
	unsigned int processes = PROCESSES / scale;
	pid_t pids[PROCESSES];
	int i;

	start_idlers(pids, processes - 1);
	attach("entry-atomic", many, 1);
	for (i = 0; i < LOOPS || spin; i++) {
		put(client("again"), "1", 0);
		t = took();
		to = t < to ? t : to;
		put(client("again"), "0", 0);
		t = took();
		from = t < from ? t : from;
	}
	detach();
	end_idlers(pids, processes - 1);
	say("attach-again", "-", to);
	say("detach-again", "-", from);
}

static void work_attach(unsigned int scale)
{
	/*
	 * Wait: what earlier cases have released is freed in the background, that of sites within
	 * twenty seconds.
	 */
	sleep(25);
	attach_process(scale);
	sleep(25);
	attach_file(scale);
	sleep(25);
	attach_again(scale);
}

/* Repeat one case for ever, until this process is killed. */
static void work_spin(const char *name, const char *which)
{
	const struct insn *insn;
	const struct event *e;

	spin = true;
	while (!strcmp(name, "attach")) {
		/* Use a new process each time, because it must have had no probes. */
		if (!fork()) {
			attach_process(atoi(which));
			_exit(0);
		}
		wait(NULL);
	}
	while (!strcmp(name, "attach-file"))
		attach_file(atoi(which));
	if (!strcmp(name, "attach-again"))
		attach_again(atoi(which));
	for (e = events; e->name; e++) {
		if (!strcmp(e->name, name))
			one_event(e);
	}
	for (insn = insns; insn->name; insn++) {
		if (!strcmp(insn->name, which))
			one(name, insn);
	}
}

/* Return how much memory the kernel and this program use, without the client's own lists. */
static uint64_t memory_used(void)
{
	static const char * const kinds[] = {
		"Slab", "Percpu", "VmallocUsed", "AnonPages", "Shmem", "PageTables", NULL
	};
	unsigned long long kb, sum = 0;
	char line[128], name[32];
	FILE *f;
	int i;

	/*
	 * Sites without probes are freed within twenty seconds, and their table shrinks.  Then the
	 * kernel frees what waits for a grace period.
	 */
	sleep(25);
	f = fopen("/proc/meminfo", "r");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%31[^:]: %llu", name, &kb) != 2)
			continue;
		for (i = 0; kinds[i]; i++) {
			if (!strcmp(kinds[i], name))
				sum += kb * 1024;
		}
	}
	fclose(f);
	return sum - number(client("lists"));
}

static void work_memory(unsigned int scale)
{
	unsigned int sites = MANY / scale, file_sites = FILE_SITES / scale, processes;
	pid_t pids[2 * PROCESSES];
	uint64_t before, few, lots;
	unsigned long page;

	/* Touch what is needed only once: page tables, and the pages of the file. */
	for (page = 0; page < MANY * MANY_STRIDE; page += 4096)
		((called *)((const char *)many + page))(argument);
	/* Measure the same processes, unprobed and probed. */
	processes = 2 * PROCESSES / scale;
	start_idlers(pids, processes);
	before = memory_used();
	attach("entry-atomic", many, file_sites);
	lots = memory_used();
	detach();
	end_idlers(pids, processes);
	start_idlers(pids, processes / 2);
	few = memory_used();
	attach("entry-atomic", many, file_sites);
	few = memory_used() - few;
	detach();
	end_idlers(pids, processes / 2);
	lots -= before + few;
	say("memory", "process", (double)(int64_t)lots / (processes - processes / 2));

	/* Last, as these sites stay: the table of sites would not grow as it does above. */
	attach("entry-atomic", many, 1);
	before = memory_used();
	detach();
	attach("entry-atomic", many, sites);
	lots = memory_used();
	detach();
	say("memory", "site", (double)(int64_t)(lots - before) / sites);
}

/* Return what it costs to execute a program, from fork() to its end. */
static double process_cost(const char *program)
{
	uint64_t best = UINT64_MAX, t;
	int i;

	for (i = 0; i < 3 * LOOPS; i++) {
		pid_t pid;

		t = now();
		pid = fork();
		if (!pid) {
			execl(program, program, "end", "none", NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
		t = now() - t;
		best = t < best ? t : best;
	}
	return best;
}

static double mapping_cost(void)
{
	int fd = open(path, O_RDONLY), i, j;
	uint64_t best = UINT64_MAX, t;

	for (i = 0; i < LOOPS; i++) {
		t = now();
		for (j = 0; j < 100; j++) {
			void *p = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

			munmap(p, 4096);
		}
		t = now() - t;
		best = t < best ? t : best;
	}
	close(fd);
	return (double)best / 100;
}

/* Measure fork() and mmap(), with probes on @other, a program that no process runs, if given. */
static void work_idle(const char *other)
{
	char own[sizeof(path)];

	if (other) {
		memcpy(own, path, sizeof(path));
		snprintf(path, sizeof(path), "%s", other);
		attach("entry-atomic", many, FILE_SITES);
		memcpy(path, own, sizeof(path));
	}
	say("idle", "fork+exec+exit", process_cost(path));
	say("idle", "mmap+munmap", mapping_cost());
	if (other)
		detach();
}

struct thread {
	pthread_t thread;
	int cpu;
	called *fn;
	unsigned int calls;
};

static pthread_barrier_t barrier;

static void *thread_run(void *arg)
{
	struct thread *t = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(t->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	t->fn(argument);
	pthread_barrier_wait(&barrier);
	loop(t->fn, argument, t->calls);
	pthread_barrier_wait(&barrier);
	return NULL;
}

/* Return the calls per second of @threads threads, each on a CPU of its own. */
static double calls_per_second(called *fn, int threads, unsigned int calls)
{
	struct thread t[2];
	uint64_t begun;
	int i;

	pthread_barrier_init(&barrier, NULL, threads + 1);
	for (i = 0; i < threads; i++) {
		t[i] = (struct thread){ .cpu = i, .fn = fn, .calls = calls };
		pthread_create(&t[i].thread, NULL, thread_run, &t[i]);
	}
	pthread_barrier_wait(&barrier);
	begun = now();
	pthread_barrier_wait(&barrier);
	begun = now() - begun;
	for (i = 0; i < threads; i++)
		pthread_join(t[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
	return threads * calls * 1e9 / begun;
}

/* Take about as long as a hit, but use nothing that threads share. */
static void control(const void *arg)
{
	volatile unsigned int i;

	for (i = 0; i < 300; i++)
		;
}

static int smaller(const void *a, const void *b)
{
	const double *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

static double two_over_one(called *fn, unsigned int calls)
{
	double one = calls_per_second(fn, 1, calls);

	return calls_per_second(fn, 2, calls) / one;
}

/* Measure three cases in turns, and print the median of each. */
static void work_threads(unsigned int rounds)
{
	double entries[100], returns[100], bare[100];
	unsigned int i;

	rounds = rounds > 100 ? 100 : rounds;
	for (i = 0; i < rounds; i++) {
		bare[i] = two_over_one(control, 100000);
		attach("entry-atomic", probe_mov, 1);
		entries[i] = two_over_one(fn_mov, 100000);
		detach();
		attach("return-atomic", probe_endbr64, 1);
		returns[i] = two_over_one(fn_endbr64, 50000);
		detach();
	}
	qsort(entries, rounds, sizeof(entries[0]), smaller);
	qsort(returns, rounds, sizeof(returns[0]), smaller);
	qsort(bare, rounds, sizeof(bare[0]), smaller);
	say("threads", "mov", entries[rounds / 2]);
	say("threads-return", "endbr64", returns[rounds / 2]);
	say("threads-control", "mov", bare[rounds / 2]);
}

int main(int argc, char **argv)
{
	const char *work = argc > 1 ? argv[1] : "";
	const char *more = argc > 3 ? argv[3] : NULL;
	ssize_t len = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (argc < 3 || len < 0)
		die("usage: hits WORK ours|peer|none [WHAT...]");
	if (!strcmp(work, "end"))
		return 0;
	snprintf(side, sizeof(side), "%s", argv[2]);
	if (!strcmp(work, "hits"))
		work_hits(more);
	else if (!strcmp(work, "spin") && argc > 4)
		work_spin(more, argv[4]);
	else if (!strcmp(work, "among"))
		work_among(more ? atoi(more) : 1);
	else if (!strcmp(work, "events"))
		work_events();
	else if (!strcmp(work, "attach"))
		work_attach(more ? atoi(more) : 1);
	else if (!strcmp(work, "memory"))
		work_memory(more ? atoi(more) : 1);
	else if (!strcmp(work, "idle"))
		work_idle(more);
	else if (!strcmp(work, "exec") && more)
		say("exec", more, process_cost(more));
	else if (!strcmp(work, "threads"))
		work_threads(more ? atoi(more) : 15);
	else
		die("there is no work %s", work);
	return 0;
}
