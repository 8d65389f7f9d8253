// SPDX-License-Identifier: GPL-2.0
/* uprobe doctor */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "host/fault.h"
#include "tracer/control.h"
#include "util/error.h"
#include "util/json.h"
#include "util/options.h"
#include "util/util.h"

#define MODULE "/sys/module/uprobes"
#define CLOCK "/sys/devices/system/clocksource/clocksource0/current_clocksource"

/* So often is the probed function called: then a jump may replace its breakpoint. */
#define CALLS 200000

/* So often is it called to see whether a hook of the module works. */
#define FEW_CALLS 1000

/**
 * struct report - what was found
 * @dir: the control directory
 * @broken: tracing does not work
 */
struct report {
	const char *dir;
	bool broken;
};

/* Set by --json: lines are objects. */
static bool as_json;

/* Print a line. */
static void print_topic(const char *topic, const char *state, const char *fmt, va_list ap)
{
	_cleanup_free_ char *text = xvasprintf(fmt, ap);
	struct json json = { .out = stdout };

	if (as_json) {
		json_open(&json, NULL, '{');
		json_text(&json, "topic", topic);
		json_text(&json, "state", state);
		json_text(&json, "text", text);
		json_end(&json);
	} else {
		printf("%-12s %-8s %s\n", topic, strcmp(state, "broken") ? state : "BROKEN", text);
	}
}

/* A line about something that works, or that is only for information. */
__printf(2, 3)
static void say(const char *topic, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_topic(topic, "ok", fmt, ap);
	va_end(ap);
}

/* A line about something that is lacking; without it, all else works. */
__printf(2, 3)
static void lacks(const char *topic, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_topic(topic, "lacking", fmt, ap);
	va_end(ap);
}

/* A line about something without which nothing can be traced. */
__printf(3, 4)
static void fails(struct report *report, const char *topic, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print_topic(topic, "broken", fmt, ap);
	va_end(ap);
	report->broken = true;
}

/* Read the first line of a file; return whether there is one. */
static bool read_line(const char *path, char *line, size_t size)
{
	FILE *f = fopen(path, "re");
	bool read = f && fgets(line, (int)size, f);

	if (f)
		fclose(f);
	if (!read)
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	return read;
}

/* Find an option of the kernel's configuration: 'y', 'm' or 'n'; '?' if there is none to read. */
static char option_of(const char *release, const char *option)
{
	static const char *const paths[] = { "/boot/config-%s", "/lib/modules/%s/config",
					     "/lib/modules/%s/build/.config" };
	size_t len = strlen(option);
	char value, line[256];
	FILE *f = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(paths) && !f; i++) {
		char path[256];

		snprintf(path, sizeof(path), paths[i], release);
		f = fopen(path, "re");
	}
	value = f ? 'n' : '?';
	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, option, len) && line[len] == '=')
			value = line[len + 1];
	if (f)
		fclose(f);
	return value;
}

/* A number that grows with the kernel's version. */
static unsigned int version_order(const char *release)
{
	unsigned int major = 0, minor = 0;

	sscanf(release, "%u.%u", &major, &minor);
	return major * 1000 + minor;
}

/* Tell which tested version the kernel has, or which ones are next to it. */
static void look_at_version(const char *release)
{
	char *tested = xstrdup(TESTED_KERNELS), *rest = NULL;
	const char *below = "", *above = "", *same = NULL;
	unsigned int order, running = version_order(release);

	/* The oldest one is the first. */
	for (char *one = strtok_r(tested, " ", &rest); one; one = strtok_r(NULL, " ", &rest)) {
		order = version_order(one);
		if (order < running)
			below = one;
		else if (order == running)
			same = one;
		else if (!*above)
			above = one;
	}
	if (same)
		say("kernel", "the module is tested with Linux %s", same);
	else
		lacks("kernel", "the module is not tested with this version; the nearest tested: %s%s%s",
		      below, *below && *above ? ", " : "", above);
	free(tested);
}

static void look_at_kernel(struct report *report, const char *release)
{
	static const struct {
		const char *option;
		const char *why;
		bool needed;
	} options[] = {
		{ "CONFIG_KPROBES", "the module sees tasks, mappings and signals by them", true },
		{ "CONFIG_MMU_NOTIFIER", "the module sees what is unmapped by it", true },
		{ "CONFIG_RING_BUFFER", "records are in such buffers", true },
		{ "CONFIG_DEBUG_FS", "the control directory is there; the devices serve without it",
		  false },
		{ "CONFIG_MEMCG", "memory is charged to the probed program by it", false },
		{ "CONFIG_SYNTH_EVENTS", "perf and BPF get events by it", false },
		{ "CONFIG_PERF_EVENTS", "perf gets stacks by it", false },
	};
	struct utsname name;
	size_t known = 0;

	uname(&name);
	if (strcmp(name.machine, "x86_64"))
		fails(report, "kernel", "%s is not supported; only x86_64 is", name.machine);
	else
		say("kernel", "Linux %s, x86_64", release);
	look_at_version(release);
	for (size_t i = 0; i < ARRAY_SIZE(options); i++) {
		char value = option_of(release, options[i].option);

		known += value != '?';
		if (value != 'n')
			continue;
		if (options[i].needed)
			fails(report, "kernel", "it is built without %s: %s; use another kernel",
			      options[i].option, options[i].why);
		else
			lacks("kernel", "it is built without %s: %s", options[i].option,
			      options[i].why);
	}
	if (known)
		say("kernel", "its configuration was looked at");
	else
		lacks("kernel", "/boot/config-%s cannot be read, so its options are not known",
		      release);
}

static void look_at_lockdown(void)
{
	char line[64];

	if (lockdown_is("confidentiality"))
		lacks("lockdown", "confidentiality: the kernel forbids all tracing; boot without lockdown=confidentiality");
	else if (lockdown_is("integrity"))
		say("lockdown", "integrity: debugfs is closed, the devices in %s serve",
		    CONTROL_DEVICES);
	else
		say("lockdown", "none");
	if (read_line("/sys/module/module/parameters/sig_enforce", line, sizeof(line)) &&
	    line[0] == 'Y')
		say("signatures", "only signed modules can be loaded; DKMS signs with /var/lib/dkms/mok.pub");
}

static void look_for_module(struct report *report, const char *release)
{
	_cleanup_free_ char *pattern = xasprintf("/lib/modules/%s/*/uprobes.ko*", release);
	char *deeper = xasprintf("/lib/modules/%s/updates/dkms/uprobes.ko*", release);
	glob_t found = { 0 };
	int there = glob(pattern, 0, NULL, &found) && glob(deeper, 0, NULL, &found);

	if (!there)
		fails(report, "module", "it is installed (%s) but not loaded; as root: modprobe uprobes",
		      found.gl_pathv[0]);
	else
		fails(report, "module", "it is neither loaded nor installed for this kernel; install uprobes-dkms%s",
		      lockdown_is("none") ?
			      ", or: make && insmod uprobes.ko && insmod uprobes_trace.ko" :
			      ", which signs it");
	globfree(&found);
	free(deeper);
}

static bool look_at_module(struct report *report, const char *release)
{
	char version[64], taint[32], line[32];

	if (access(MODULE, F_OK)) {
		look_for_module(report, release);
		return false;
	}
	if (access(MODULE "_trace", F_OK)) {
		fails(report, "module", "uprobes.ko is loaded, but not the tracer, uprobes_trace.ko; as root: modprobe uprobes_trace");
		return false;
	}
	read_line(MODULE "/version", version, sizeof(version));
	read_line(MODULE "/taint", taint, sizeof(taint));
	if (strcmp(version, UPROBE_VERSION))
		lacks("module", "it has version %s, and this helper %s; install both from one source",
		      version, UPROBE_VERSION);
	else
		say("module", "version %s is loaded%s", version, strchr(taint, 'E') ? ", unsigned" :
		    option_of(release, "CONFIG_MODULE_SIG") == 'y' ? ", signed" : "");
	if (read_line(MODULE "/parameters/jump", line, sizeof(line)))
		say("module", "hits without a trap are %s", line[0] == 'Y' || line[0] == '1' ?
		    "allowed" : "switched off: echo 1 > " MODULE "/parameters/jump");
	if (read_line(CLOCK, line, sizeof(line)) && strcmp(line, "tsc"))
		lacks("clock", "the kernel's clock is %s, not tsc: hits that are recorded trap",
		      line);
	return true;
}

static void look_at_hooks(struct report *report)
{
	char line[16];

	if (read_line("/sys/kernel/debug/kprobes/enabled", line, sizeof(line)) && line[0] == '0')
		fails(report, "kprobes", "they are switched off; as root: echo 1 > /sys/kernel/debug/kprobes/enabled");
	if (read_line("/proc/sys/kernel/ftrace_enabled", line, sizeof(line)) && line[0] == '0')
		fails(report, "kprobes", "kernel.ftrace_enabled is 0; as root: sysctl kernel.ftrace_enabled=1");
}

static void look_at_others(void)
{
	char line[16];

	if (access("/sys/kernel/tracing/synthetic_events", F_OK) &&
	    access("/sys/kernel/debug/tracing/synthetic_events", F_OK))
		lacks("perf, BPF", "there is no synthetic_events in tracefs, so they cannot have events of this tracer");
	else
		say("perf, BPF", "events can be published for them (events/GROUP/EVENT/synthetic)");
	if (read_line("/proc/sys/kernel/perf_event_paranoid", line, sizeof(line)))
		say("perf, BPF", "perf_event_paranoid is %s", line);
}

/* The function that is probed. */
__attribute__((noinline, noclone, aligned(64))) static int probed(int n)
{
	__asm__ volatile("" : "+r"(n) : : "memory");
	return n + 1;
}

/* The address of probed() in our own file; 0 if it is not found. */
static u64 probed_offset(void)
{
	unsigned long long start, end, offset;
	u64 addr = (u64)(uintptr_t)probed, found = 0;
	FILE *maps = fopen("/proc/self/maps", "re");
	char line[512];

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%llx-%llx %*s %llx", &start, &end, &offset) == 3 &&
		    addr >= start && addr < end)
			found = addr - start + offset;
	if (maps)
		fclose(maps);
	return found;
}

/* Find in our own list of descriptors why hits trap; "no trap" if they do not. */
static char *why_trap(int fd)
{
	char *path = xasprintf("/proc/self/fdinfo/%d", fd), line[512];
	FILE *f = fopen(path, "re");
	char *why = NULL;

	free(path);
	while (f && !why && fgets(line, sizeof(line), f)) {
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "k0 %*d 0x%*x %n", &at) == 0 && at)
			why = xstrdup(line + at);
	}
	if (f)
		fclose(f);
	return why;
}

static void call_probed(void)
{
	volatile int sum = 0;

	for (int i = 0; i < CALLS; i++)
		sum += probed(i);
}

static u64 hits_of(int fd)
{
	unsigned long long hits = 0;
	char text[256] = "";

	return pread(fd, text, sizeof(text) - 1, 0) > 0 &&
	       sscanf(text, "k0 %llu", &hits) == 1 ? hits : 0;
}

/* Tell whether the hits since @before are those that a hook of the module must have let be seen. */
static void report_hook(struct report *report, int fd, u64 before, const char *what)
{
	u64 hits = hits_of(fd) - before;

	if (hits == FEW_CALLS)
		say("hooks", "%s is probed", what);
	else
		fails(report, "hooks", "%llu of %d hits of %s were counted; please report this",
		      (unsigned long long)hits, FEW_CALLS, what);
}

/* See whether the module notices a child, and a mapping that comes after the probe. */
static void try_hooks(struct report *report, int fd)
{
	u64 before = hits_of(fd), offset = probed_offset(), page = offset & ~4095ull;
	int self = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	pid_t child = fork();
	u8 *text;

	for (int i = 0; !child && i < FEW_CALLS; i++)
		probed(i);
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	report_hook(report, fd, before, "a forked child");
	before = hits_of(fd);
	text = self < 0 ? MAP_FAILED :
	       mmap(NULL, 8192, PROT_READ | PROT_EXEC, MAP_PRIVATE, self, (off_t)page);
	for (int i = 0; text != MAP_FAILED && i < FEW_CALLS; i++)
		((int (*)(int))(void *)(text + (offset - page)))(i);
	if (text != MAP_FAILED) {
		report_hook(report, fd, before, "a new mapping of the file");
		munmap(text, 8192);
	}
	if (self >= 0)
		close(self);
}

/* Say whether hits may read memory without a trap. */
static void look_at_loads(void)
{
	FILE *f = fopen("/sys/module/uprobes/parameters/loads", "re");
	int c = f ? getc(f) : EOF;

	if (f)
		fclose(f);
	if (c == '1')
		say("memory", "hits whose arguments are in memory need no trap");
	else if (c == '0')
		lacks("memory", "hits whose arguments are in memory trap: this kernel does not call fixup_vdso_exception() where that is seen");
}

/* Probe ourselves, and see whether each call is counted. */
static void try_probe(struct report *report)
{
	char *self = realpath("/proc/self/exe", NULL), *word = self ? path_escape(self) : NULL;
	char *line = xasprintf("only tree %d\n", getpid()), *definition, *why;
	struct timespec pause = { .tv_nsec = 300000000 };
	u64 hits;
	struct error *err;
	int fd = -1;

	err = control_check(report->dir);
	if (!err)
		err = control_aggregate(report->dir, &fd);
	if (err) {
		fails(report, "a probe", "%s", err->text);
		error_free(err);
		goto out;
	}
	definition = xasprintf("p:k0 %s:0x%llx\n", word ? word : "?",
			       (unsigned long long)probed_offset());
	if (write(fd, line, strlen(line)) < 0 ||
	    write(fd, definition, strlen(definition)) < 0) {
		fails(report, "a probe", "the module does not probe this program (%s); the kernel log says why: dmesg | grep uprobes",
		      strerror(errno));
		goto close;
	}
	/* A worker writes the jump, a moment after these traps. */
	call_probed();
	nanosleep(&pause, NULL);
	call_probed();
	hits = hits_of(fd);
	if (hits != 2 * CALLS)
		fails(report, "a probe", "%llu of %d hits were counted; please report this",
		      (unsigned long long)hits, 2 * CALLS);
	else
		say("a probe", "all of %d hits in this program were counted", 2 * CALLS);
	why = why_trap(fd);
	if (why && !strcmp(why, "no trap"))
		say("a probe", "they need no trap");
	else
		lacks("a probe", "each hit traps: %s", why ? why : "the module does not say why");
	free(why);
	try_hooks(report, fd);
	fault_show();
	look_at_loads();
close:
	free(definition);
	close(fd);
out:
	free(line);
	free(word);
	free(self);
}

static void print_verdict(bool works)
{
	struct json json = { .out = stdout };

	json_open(&json, NULL, '{');
	json_bool(&json, "works", works);
	json_end(&json);
}

int cmd_doctor(const struct options *options, int argc, char **argv)
{
	struct report report = { .dir = control_dir(options) };
	struct utsname name;

	(void)argv;
	if (argc)
		return error_report(error_new(STATUS_USAGE, "doctor takes no arguments"));
	uname(&name);
	as_json = options->json;
	say("helper", "uprobe %s", UPROBE_VERSION);
	look_at_kernel(&report, name.release);
	look_at_lockdown();
	if (geteuid())
		lacks("user", "this is not root, who alone can see all that follows; try: sudo uprobe doctor");
	if (look_at_module(&report, name.release)) {
		look_at_hooks(&report);
		say("control", "%s", report.dir);
		if (!geteuid())
			look_at_others();
		try_probe(&report);
	}
	if (as_json)
		print_verdict(!report.broken);
	else
		puts(report.broken ? "Tracing does not work here." : "Tracing works here.");
	return report.broken ? STATUS_DENIED : STATUS_OK;
}
