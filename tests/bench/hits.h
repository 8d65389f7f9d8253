/* SPDX-License-Identifier: GPL-2.0 */
/* The common parts of the programs that the benchmark probes. */
#ifndef HITS_H
#define HITS_H

#define LOOPS		7
#define CALLS		2000
#define MANY_STRIDE	16

typedef void called(const void *arg);

static char path[4096], side[8];
static const char argument[16] = "fifteen letters";

static void die(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	fprintf(stderr, "hits: ");
	vfprintf(stderr, format, ap);
	fprintf(stderr, "\n");
	va_end(ap);
	exit(1);
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static bool put_if_possible(const char *file, const char *text, int flags)
{
	int fd = open(file, O_WRONLY | flags);
	bool done = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

static void put(const char *file, const char *text, int flags)
{
	if (!put_if_possible(file, text, flags))
		die("writing '%s' into %s: %s", text, file, strerror(errno));
}

static inline uint64_t number(const char *file)
{
	FILE *f = fopen(file, "r");
	unsigned long long value;

	if (!f || fscanf(f, "%llu", &value) != 1)
		die("reading %s: %s", file, strerror(errno));
	fclose(f);
	return value;
}

/* Return the offset in the file of the code at an address. */
static unsigned long offset_of(const void *code)
{
	unsigned long start, end, offset, at = (unsigned long)code;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 &&
		    at >= start && at < end) {
			fclose(f);
			return at - start + offset;
		}
	}
	die("%p is not in /proc/self/maps", code);
	return 0;
}

static const char *client(const char *what)
{
	static char file[128];

	snprintf(file, sizeof(file), "/sys/module/bench_%s/parameters/%s", side, what);
	return file;
}

static const char *job(int pid, const char *kind, unsigned long start, unsigned int stride,
		       unsigned int count)
{
	static char text[sizeof(path) + 128];

	snprintf(text, sizeof(text), "%s %s %d %#lx %d %u", kind, path, pid, start,
		 stride, count);
	return text;
}

static void attach_at(int pid, const char *kind, unsigned long start, unsigned int stride,
		      unsigned int count)
{
	put(client("attach"), job(pid, kind, start, stride, count), 0);
}

static inline void attach_in(int pid, const char *kind, unsigned long start, unsigned int count)
{
	attach_at(pid, kind, start, MANY_STRIDE, count);
}

static inline bool attach_if_possible(const char *kind, const void *code)
{
	return put_if_possible(client("attach"), job(0, kind, offset_of(code), 0, 1), 0);
}

static inline void attach(const char *kind, const void *code, unsigned int count)
{
	attach_in(0, kind, offset_of(code), count);
}

static void detach(void)
{
	put(client("detach"), "1", 0);
}

__attribute__((noinline, unused))
static uint64_t loop(called *fn, const void *arg, unsigned int calls)
{
	uint64_t begun = now();
	unsigned int i;

	for (i = 0; i < calls; i++)
		fn(arg);
	return now() - begun;
}

/* Return the least time of LOOPS loops, so that interrupts do not count. */
static inline double least(called *fn, const void *arg)
{
	uint64_t best = UINT64_MAX, t;
	int i;

	for (i = 0; i < LOOPS; i++) {
		t = loop(fn, arg, CALLS);
		best = t < best ? t : best;
	}
	return (double)best / CALLS;
}

static void say(const char *name, const char *insn, double figure)
{
	printf("%s %s %.2f\n", name, insn, figure);
	fflush(stdout);
}

#endif /* HITS_H */
