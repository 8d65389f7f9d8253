// SPDX-License-Identifier: GPL-2.0
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "util/error.h"
#include "util/options.h"
#include "util/util.h"

#define LOCKDOWN "/sys/kernel/security/lockdown"

/**
 * lockdown_is() - check in which mode the kernel is locked down
 * @mode: "none", "integrity" or "confidentiality"
 */
bool lockdown_is(const char *mode)
{
	char *marked = xasprintf("[%s]", mode), line[128] = "";
	FILE *f = fopen(LOCKDOWN, "re");
	bool is = f && fgets(line, sizeof(line), f) && strstr(line, marked);

	if (f)
		fclose(f);
	free(marked);
	return is;
}

static struct error *file_error(const char *path, const char *what, int code)
{
	if (code == EPERM && lockdown_is("confidentiality"))
		return error_new(STATUS_DENIED,
				 "%s cannot be %s: this kernel is locked down for confidentiality, which forbids all tracing; \"integrity\", as Secure Boot sets it, allows it",
				 path, what);
	if (code == EPERM && lockdown_is("integrity") && str_starts(path, CONTROL_DIR))
		return error_new(STATUS_DENIED,
				 "%s cannot be %s: this kernel is locked down and lets nobody use debugfs; the devices in %s do what session and aggregate do",
				 path, what, CONTROL_DEVICES);
	if (code == EACCES || code == EPERM)
		return error_new(STATUS_DENIED,
				 "%s cannot be %s: tracing needs root, or CAP_PERFMON; try: sudo uprobe ...",
				 path, what);
	if (code == ENOENT)
		return error_new(STATUS_DENIED,
				 "%s is not there; is another version of the module loaded, or was the event removed meanwhile?",
				 path);
	if (code == EBUSY)
		return error_new(STATUS_RUNTIME,
				 "%s is in use; stop what uses it, or remove its events: uprobe clean",
				 path);
	return error_new(STATUS_RUNTIME,
			 "%s cannot be %s (%s); the kernel log may say more: dmesg",
			 path, what, strerror(code));
}

static bool is_mounted(const char *path, long magic)
{
	struct statfs fs;

	return !statfs(path, &fs) && fs.f_type == magic;
}

/**
 * control_dir() - find the control directory to use
 * @options: of the command line
 *
 * Return: the one that the user gives, or the one in debugfs.  Where that cannot be used, the
 * directory of the devices, which are the same files as far as they are there.
 */
const char *control_dir(const struct options *options)
{
	int fd;

	if (options->control)
		return options->control;
	fd = open(CONTROL_DIR "/tracing_on", O_RDWR | O_CLOEXEC);
	if (fd >= 0)
		close(fd);
	return fd < 0 && !access(CONTROL_DEVICES "/session", F_OK) ? CONTROL_DEVICES : CONTROL_DIR;
}

/**
 * control_check() - check for a tracer that we may use
 * @dir: the control directory
 */
struct error *control_check(const char *dir)
{
	char *path = xasprintf("%s/%s", dir, strcmp(dir, CONTROL_DEVICES) ? "uprobe_events" : "session");
	struct error *err = NULL;

	if (!access(path, R_OK | W_OK))
		goto out;
	if (errno == EACCES && geteuid())
		err = error_new(STATUS_DENIED,
				"tracing needs root; try: sudo uprobe ...");
	else if (errno == EACCES || errno == EPERM)
		err = file_error(path, "used", EACCES);
	else if (!strcmp(dir, CONTROL_DIR) && access("/sys/module/uprobes_trace", F_OK))
		err = error_new(STATUS_DENIED,
				"the module is not loaded; as root: modprobe uprobes_trace (or insmod uprobes.ko, then uprobes_trace.ko); uprobe doctor says more");
	else if (access("/sys/kernel/debug", F_OK))
		err = error_new(STATUS_DENIED,
				"this kernel has no debugfs, which the control files are in; use one built with CONFIG_DEBUG_FS");
	else if (strcmp(dir, CONTROL_DIR))
		err = error_new(STATUS_DENIED,
				"there is no uprobe_events in %s; name a directory of a tracer",
				dir);
	else if (!is_mounted("/sys/kernel/debug", DEBUGFS_MAGIC))
		err = error_new(STATUS_DENIED,
				"debugfs, which the control files are in, is not mounted; as root: mount -t debugfs none /sys/kernel/debug, and where the module is not loaded: modprobe uprobes_trace");
	else
		err = error_new(STATUS_DENIED,
				"%s is not there, so the module is not loaded; as root: modprobe uprobes_trace (or insmod uprobes.ko, then uprobes_trace.ko)",
				dir);
out:
	free(path);
	return err;
}

bool control_has(const char *dir, const char *file)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, file);

	return !access(path, F_OK);
}

static int write_once(const char *path, int flags, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | flags), code = 0;
	size_t len = strlen(text);
	ssize_t n;

	if (fd < 0)
		return errno;
	/* One write is one command: the rest of a short write would be another command. */
	n = write(fd, text, len);
	if (n < 0)
		code = errno;
	else if ((size_t)n != len)
		code = EIO;
	close(fd);
	return code;
}

/**
 * control_write() - write a control file
 * @dir: the control directory
 * @file: the file in it
 * @text: what to write
 */
struct error *control_write(const char *dir, const char *file, const char *text)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, file);
	int code = write_once(path, 0, text);

	return code ? file_error(path, "written", code) : NULL;
}

/**
 * control_read() - read a control file
 * @dir: the control directory
 * @file: the file in it
 * @text: set to all of it, to be freed by the caller
 */
struct error *control_read(const char *dir, const char *file, char **text)
{
	char *path = xasprintf("%s/%s", dir, file), *buf = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC), code = errno;
	struct error *err = NULL;
	size_t len = 0;
	ssize_t n = 0;

	while (fd >= 0) {
		buf = xreallocarray(buf, len + 65536, 1);
		n = read(fd, buf + len, 65535);
		if (n <= 0)
			break;
		len += n;
	}
	if (fd >= 0 && !n) {
		buf[len] = '\0';
		*text = buf;
	} else {
		err = file_error(path, "read", fd < 0 ? code : errno);
		free(buf);
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return err;
}

/* Make an error from the last entry of error_log: the message, the command, and a caret. */
static struct error *refused_because(const char *dir, const char *what,
				     const char *line, int code)
{
	struct error *err;
	char *log = NULL, *last = NULL, *message, *command, *number;

	error_free(control_read(dir, "error_log", &log));
	for (char *p = log; p && (p = strstr(p, ": error: ")); p++)
		last = p;
	message = last ? last + strlen(": error: ") : NULL;
	command = message ? strstr(message, "\n  Command: ") : NULL;
	/* Leave the line number out: the user did not write these lines. */
	number = message ? strstr(message, " (line ") : NULL;
	if (!number || number > command)
		number = command;
	/* An error of another user of the tracer explains nothing. */
	if (command && !strncmp(command + strlen("\n  Command: "), line,
				strcspn(line, "\n")))
		err = error_new(STATUS_RUNTIME, "the tracer refused the %s: %.*s%s", what,
				(int)(number - message), message, command);
	else
		err = error_new(STATUS_RUNTIME,
				"the tracer refused \"%s\" (%s); the kernel log may say more: dmesg",
				line, strerror(code));
	while (err->text[0] && err->text[strlen(err->text) - 1] == '\n')
		err->text[strlen(err->text) - 1] = '\0';
	free(log);
	return err;
}

/**
 * control_define() - write a line into uprobe_events
 * @dir: the control directory
 * @line: the line, without a newline
 *
 * The error contains the tracer's message about the line.
 */
struct error *control_define(const char *dir, const char *line)
{
	_cleanup_free_ char *path = xasprintf("%s/uprobe_events", dir);
	_cleanup_free_ char *text = xasprintf("%s\n", line);
	struct error *err = NULL;
	int code;

	code = write_once(path, O_APPEND, text);
	if (code == EACCES || code == EPERM)
		err = file_error(path, "written", code);
	else if (code)
		err = refused_because(dir, "definition", line, code);
	return err;
}

/**
 * control_remove() - remove an event with all its sites
 * @dir: the control directory
 * @group: its group
 * @event: its name
 */
struct error *control_remove(const char *dir, const char *group,
			     const char *event)
{
	_cleanup_free_ char *line = xasprintf("-:%s/%s", group, event);

	return control_define(dir, line);
}

/* The path of an event's file in the control directory, from malloc(). */
char *control_event_file(const char *group, const char *event,
			 const char *file)
{
	return xasprintf("events/%s/%s/%s", group, event, file);
}

/**
 * control_enable() - switch an event on or off
 * @dir: the control directory
 * @group: its group
 * @event: its name
 * @on: on or off
 */
struct error *control_enable(const char *dir, const char *group,
			     const char *event, bool on)
{
	_cleanup_free_ char *file = control_event_file(group, event, "enable");
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, file);
	int code = write_once(path, 0, on ? "1" : "0");
	struct error *err = NULL;

	if (code == EPERM || code == EILSEQ || code == EEXIST || code == EINVAL)
		err = error_new(STATUS_REFUSED,
				"the module refuses to probe for %s (%s); the kernel log says why: dmesg | tail",
				event, strerror(code));
	else if (code)
		err = file_error(path, "written", code);
	return err;
}

/* If @needed is not set, a missing file is no error; set *@fd to -1 then. */
static struct error *open_file(const char *dir, const char *file, int flags,
			       bool needed, int *fd)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", dir, file);
	struct error *err = NULL;

	*fd = open(path, flags | O_CLOEXEC);
	if (*fd < 0 && (needed || errno != ENOENT))
		err = file_error(path, "opened", errno);
	return err;
}

/**
 * control_pipe() - open trace_pipe for non-blocking reads
 * @dir: the control directory
 * @fd: set to the descriptor
 */
struct error *control_pipe(const char *dir, int *fd)
{
	return open_file(dir, "trace_pipe", O_RDONLY | O_NONBLOCK, true, fd);
}

/**
 * control_aggregate() - open the file aggregate, which counts in the kernel
 * @dir: the control directory
 * @fd: set to the descriptor
 */
struct error *control_aggregate(const char *dir, int *fd)
{
	struct error *err = open_file(dir, "aggregate", O_RDWR, false, fd);

	if (err || *fd >= 0)
		return err;
	return error_new(STATUS_DENIED,
			 "%s/aggregate is not there: counting needs the uprobes module, of this version; trace without count or lat",
			 dir);
}

/**
 * control_session() - open a session, if the tracer has sessions
 * @dir: the control directory
 * @fd: set to its descriptor, which does not block reads; -1 if the tracer has no
 *	sessions
 *
 * Events that are defined through the session are enabled at once.  They are
 * removed when the descriptor is closed, also if the kernel closes it at exit.
 */
struct error *control_session(const char *dir, int *fd)
{
	return open_file(dir, "session", O_RDWR | O_NONBLOCK, false, fd);
}

static int write_text(int fd, const char *text, size_t len)
{
	ssize_t n = write(fd, text, len);

	return n < 0 ? errno : (size_t)n == len ? 0 : EIO;
}

static int write_session(int fd, const char *line)
{
	_cleanup_free_ char *text = xasprintf("%s\n", line);

	return write_text(fd, text, strlen(text));
}

/*
 * Return the index of the line that the last entry of error_log is about, among the @n lines of
 * one write; 0, the first line, if the entry does not tell.
 */
static size_t refused_line(const char *dir, size_t n)
{
	char *log = NULL, *last = NULL, *where;
	size_t line = 0;

	error_free(control_read(dir, "error_log", &log));
	for (char *p = log; p && (p = strstr(p, ": error: ")); p++)
		last = p;
	if (last)
		last[strcspn(last, "\n")] = '\0';
	where = last ? strstr(last, " (line ") : NULL;
	if (where)
		line = strtoull(where + strlen(" (line "), NULL, 10);
	free(log);
	return line && line <= n ? line - 1 : 0;
}

/**
 * control_session_define() - define probes in a session
 * @dir: the control directory
 * @fd: the session
 * @lines: the lines, without newlines
 * @n: number of them, with at most %CONTROL_CHUNK characters if there are several
 *
 * One write registers all probes together.  If each line were written by itself, each of these
 * registrations would search all processes.
 */
struct error *control_session_define(const char *dir, int fd, char *const *lines, size_t n)
{
	size_t len = 0, at = 0;
	struct error *err;
	char *text;
	int code;

	for (size_t i = 0; i < n; i++)
		len += strlen(lines[i]) + 1;
	text = xmalloc(len + 1);
	for (size_t i = 0; i < n; i++)
		at += sprintf(text + at, "%s\n", lines[i]);
	code = write_text(fd, text, len);
	free(text);
	if (!code)
		return NULL;
	err = refused_because(dir, "definition", lines[n > 1 ? refused_line(dir, n) : 0], code);
	if (code == EPERM || code == EILSEQ || code == EEXIST)
		err->status = STATUS_REFUSED;
	return err;
}

/**
 * control_session_write() - write a file of a session
 * @fd: the session
 * @file: its name in the control directory
 * @value: what to write
 */
struct error *control_session_write(int fd, const char *file, const char *value)
{
	_cleanup_free_ char *line = xasprintf("%s %s", file, value);
	int code = write_session(fd, line);

	return code ? file_error(file, "written", code) : NULL;
}

/**
 * control_filter() - set the filter of an event
 * @dir: the control directory
 * @session: the session that the event is in, -1 for the directory itself
 * @group: its group
 * @event: its name
 * @text: the filter
 *
 * The error contains the tracer's message about the filter.
 */
struct error *control_filter(const char *dir, int session, const char *group,
			     const char *event, const char *text)
{
	_cleanup_free_ char *file = control_event_file(group, event, "filter");
	struct error *err = NULL;
	_cleanup_free_ char *where = NULL;
	int code;

	if (session < 0) {
		where = xasprintf("%s/%s", dir, file);
		code = write_once(where, 0, text);
	} else {
		where = xasprintf("%s %s", file, text);
		code = write_session(session, where);
	}
	if (code == EINVAL) {
		err = refused_because(dir, "filter", text, code);
		err->status = STATUS_USAGE;
	} else if (code) {
		err = file_error(file, "written", code);
	}
	return err;
}

static void add_drops(const char *name, u64 hits, struct counts *total)
{
	/* The module's names of the reasons. */
	static const char *const names[DROPS] = {
		[DROP_PID] = "pid",
		[DROP_TID] = "tid",
		[DROP_UID] = "uid",
		[DROP_COMM] = "comm",
		[DROP_EXCEPT] = "except",
		[DROP_OFF] = "tracing_on",
		[DROP_FILTER] = "filter",
	};

	for (size_t i = 0; i < DROPS; i++)
		if (!strcmp(name, names[i]))
			total->dropped[i] += hits;
}

/* Return the number that ends before *@end, and move *@end to the start of the number. */
static u64 number_before(const char *line, char **end)
{
	char *p = *end;

	while (p > line && p[-1] == ' ')
		p--;
	while (p > line && p[-1] != ' ')
		p--;
	*end = p;
	return strtoull(p, NULL, 10);
}

/* Add up the lines of a session: "probe: PATH EVENT HITS MISSED" and "dropped: WHY HITS". */
static void add_counts(char *text, struct counts *total)
{
	char *save, *line, why[32];

	for (line = strtok_r(text, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *end = line + strlen(line);
		unsigned long long hits;

		if (str_starts(line, "probe: ")) {
			total->missed += number_before(line, &end);
			total->hits += number_before(line, &end);
		} else if (sscanf(line, "dropped: %31s %llu", why, &hits) == 2) {
			add_drops(why, hits, total);
		}
	}
}

/**
 * counts_asked_for() - get the number of hits in wanted tasks while tracing was on
 * @counts: the counts of a session
 *
 * Include the hits that the filter dropped.
 */
u64 counts_asked_for(const struct counts *counts)
{
	u64 hits = counts->hits;

	for (size_t i = 0; i < DROPS; i++)
		if (i != DROP_FILTER)
			hits -= counts->dropped[i];
	return hits;
}

/**
 * control_session_counts() - get the hits and misses of all events of a session
 * @fd: the session
 *
 * Return: the totals; zero if nothing can be read.
 */
struct counts control_session_counts(int fd)
{
	_cleanup_free_ char *file = xasprintf("fdinfo/%d", fd), *text = NULL;
	struct counts total = { 0 };

	error_free(control_read("/proc/self", file, &text));
	if (text)
		add_counts(text, &total);
	return total;
}

/**
 * control_session_units() - have a session give units instead of lines
 * @fd: the session
 *
 * Return: whether it says that it does.
 */
bool control_session_units(int fd)
{
	_cleanup_free_ char *file = xasprintf("fdinfo/%d", fd), *text = NULL;

	if (write_session(fd, "binary 1"))
		return false;
	error_free(control_read("/proc/self", file, &text));
	if (text && strstr(text, "binary: 1\n"))
		return true;
	write_session(fd, "binary 0");
	return false;
}

/**
 * control_session_clock() - compare the clock of records with the time of the day
 * @fd: the session
 * @ahead: set to what is to be added to the former, in nanoseconds
 *
 * Return: false if the tracer does not tell.
 */
bool control_session_clock(int fd, long long *ahead)
{
	char *file = xasprintf("fdinfo/%d", fd), *text = NULL, *line;
	unsigned long long local, real;
	bool known;

	error_free(control_read("/proc/self", file, &text));
	line = text ? strstr(text, "clock: ") : NULL;
	known = line && sscanf(line, "clock: %llu %llu", &local, &real) == 2;
	if (known)
		*ahead = (long long)(real - local);
	free(text);
	free(file);
	return known;
}
