// SPDX-License-Identifier: GPL-2.0
#include "trace.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/fault.h"
#include "util/options.h"
#include "util/output.h"
#include "control.h"
#include "symbols/debug_file.h"
#include "util/error.h"
#include "event_line.h"
#include "explain.h"
#include "follow.h"
#include "listing.h"
#include "missing.h"
#include "printer.h"
#include "runner.h"
#include "start_cost.h"
#include "task_filter.h"
#include "trace_define.h"
#include "trace_report.h"
#include "unit_line.h"
#include "units.h"
#include "util/util.h"
#include "tasks.h"

/*
 * When a command begins, its programs may live for a shorter time than it takes to read the
 * symbols of one file.  So for some milliseconds their mappings are read, and nothing is printed.
 */
#define HOLD	1000
/* Characters that are held back at most. */
#define HOLD_MAX (16 << 20)

/* Milliseconds for the last reading of a pipe that is shared with other users. */
#define LAST_READING 2000

/**
 * struct run - state while events are read
 * @trace: the run
 * @tasks: conditions for the tasks of events
 * @pipe: trace_pipe
 * @runner: decides when to stop
 * @follow: the probed files, which may be replaced
 * @until: when to stop reading even if there is more to read
 * @stacks: what names stacks, NULL without stacks
 * @hold: when to begin to print
 * @noted: bytes in @buf whose stacks are known to @stacks
 * @printer: prints events
 * @reported: when lost events were last reported, 0 for never
 * @stack: the last event was shown, so its stack has to be shown, too
 * @units: reads the session, if it gives units
 * @with_units: it does
 * @reads: how often something was read
 * @buf: the unfinished line; of units, the line of a hit
 * @len: bytes in @buf
 * @cap: room in @buf
 */
struct run {
	struct trace *trace;
	struct task_filter tasks;
	int pipe;
	struct runner runner;
	struct follow follow;
	u64 until;
	struct stacks *stacks;
	u64 hold;
	size_t noted;
	struct printer printer;
	u64 reported;
	bool stack;
	struct units units;
	bool with_units;
	u64 reads;
	char *buf;
	size_t len;
	size_t cap;
};

/* Ask for units, which take less than lines, unless stacks are wanted or the module has none. */
static void choose_units(struct run *run)
{
	const struct trace *trace = run->trace;

	if (!trace->options->stacks && (!trace->handle || trace->handle_hit))
		run->with_units = control_session_units(trace->session);
}

/* Let the tracer select the tasks: it sees every fork.  Also set the other options. */
static struct error *restrict_session(const struct trace *trace, pid_t child,
				      const struct readers *except)
{
	struct error *err = tasks_restrict(trace->session, trace->options,
					   child, except);
	char text[24];

	snprintf(text, sizeof(text), "%llu",
		 (unsigned long long)trace->options->buffer_kb);
	if (!err && trace->options->buffer_kb) {
		err = control_session_write(trace->session, "buffer_size_kb",
					    text);
		if (err)
			err = error_append(err, "; give less to --buffer than %s kilobytes for each processor",
					   text);
	}
	if (!err && trace->options->stacks)
		err = control_session_write(trace->session,
					    "options/userstacktrace", "1");
	if (!err && (trace->options->json || trace->handle))
		err = control_session_write(trace->session,
					    "options/record-tgid", "1");
	if (!err && trace->handle)
		err = control_session_write(trace->session,
					    "options/nanoseconds", "1");
	return err;
}

/* Events of a session are enabled when they are defined, and tracing_on starts them. */
static struct error *switch_session(struct trace *trace, bool on)
{
	/* Now that something is probed, the module sees it. */
	if (on)
		fault_show();
	return on ? control_session_write(trace->session, "tracing_on", "1") :
		    control_session_write(trace->session, "events/enable", "0");
}

static struct error *switch_all(struct trace *trace, bool on)
{
	struct error *err = NULL;

	if (trace->session >= 0)
		return switch_session(trace, on);
	for (size_t i = 0; i < trace->n && !err; i++)
		err = control_enable(trace->dir,
				     trace_group(trace, &trace->defs[i]),
				     trace->defs[i].event, on);
	return err;
}

static const struct definition *find_event(const struct trace *trace,
					   const struct event_line *event)
{
	for (size_t i = 0; i < trace->n; i++)
		if (strlen(trace->defs[i].event) == event->event_len &&
		    !strncmp(trace->defs[i].event, event->event,
			     event->event_len))
			return &trace->defs[i];
	return NULL;
}

static void show(struct run *run, const char *line,
		 const struct event_line *event, const struct definition *def)
{
	struct trace *trace = run->trace;
	u64 max = trace->options->max_events;

	if (trace->handle)
		trace->handle(trace->data, event);
	else
		printer_event(&run->printer, line, event, def);
	trace->shown++;
	if (max && trace->shown >= max)
		run->runner.stop = true;
}

/**
 * trace_larger_buffer() - propose a buffer that is larger than one that was too small
 * @kb: its size, in kilobytes; 0 for the tracer's default
 */
u64 trace_larger_buffer(u64 kb)
{
	return kb < 4096 ? 16384 : 4 * kb;
}

/* Report lost events at most once a second: losses repeat. */
static void report_lost(struct run *run)
{
	const struct trace *trace = run->trace;
	unsigned long long lost = trace->lost;
	u64 now = now_ms();

	if (run->reported && now < run->reported + 1000)
		return;
	run->reported = now;
	if (trace->session >= 0)
		remark("%llu events were lost so far; try a larger buffer: --buffer %llu", lost,
		       (unsigned long long)trace_larger_buffer(trace->options->buffer_kb));
	else
		remark("%llu events were lost so far; a larger buffer: echo 16384 > %s/buffer_size_kb",
		       lost, trace->dir);
}

/* Check whether the last event that is wanted was shown. */
static bool had_last(const struct run *run)
{
	u64 max = run->trace->options->max_events;

	return max && run->trace->shown >= max;
}

static void handle_line(struct run *run, const char *line)
{
	struct trace *trace = run->trace;
	const struct definition *def;
	struct event_line event;
	u64 lost, addr;

	if (event_line_lost(line, &lost)) {
		trace->lost += lost;
		report_lost(run);
		return;
	}
	if (!event_line_parse(line, &event)) {
		/* Lines of another form after a shown event are its stack. */
		if (run->stack && trace->handle_frame && printer_frame(line, &addr))
			trace->handle_frame(trace->data, addr);
		else if (run->stack && !trace->handle && trace->options->stacks)
			printer_stack_line(&run->printer, line);
		return;
	}
	run->stack = false;
	if (trace->handle) {
		run->stack = !had_last(run);
		if (run->stack)
			show(run, line, &event, NULL);
		event_line_free(&event);
		return;
	}
	def = find_event(trace, &event);
	if (had_last(run)) {
		/* Skip events after the last wanted one: only its stack is still wanted. */
	} else if (!def) {
		trace->foreign++;
	} else {
		enum task_answer answer = task_filter_asks(&run->tasks, &event);

		run->stack = answer == TASK_YES;
		if (answer == TASK_YES)
			show(run, line, &event, def);
		else if (answer == TASK_UNKNOWN)
			trace->unknown++;
		else
			trace->unwanted++;
	}
	event_line_free(&event);
}

/* Handle a hit that is in a unit. */
static void handle_hit(void *data, const struct unit_hit *hit)
{
	struct run *run = data;
	struct trace *trace = run->trace;

	if (!trace->handle_hit) {
		handle_line(run, unit_line(hit, trace->options->json, &run->buf, &run->cap));
		return;
	}
	if (had_last(run))
		return;
	trace->handle_hit(trace->data, hit);
	trace->shown++;
	if (had_last(run))
		run->runner.stop = true;
}

static void handle_lost(void *data, u64 lost)
{
	struct run *run = data;

	run->trace->lost += lost;
	report_lost(run);
}

/* Handle the lines that a unit has. */
static void handle_text(void *data, char *lines)
{
	char *line;

	while ((line = strsep(&lines, "\n")))
		if (*line)
			handle_line(data, line);
}

/* Handle all whole lines in the buffer. */
static void handle_lines(struct run *run)
{
	char *line = run->buf, *newline;
	size_t left = run->len;

	while ((newline = memchr(line, '\n', left))) {
		*newline = '\0';
		handle_line(run, line);
		left -= newline + 1 - line;
		line = newline + 1;
	}
	memmove(run->buf, line, left);
	run->len = left;
	run->noted = 0;
}

/* Have the mappings read that the new lines need, before they are handled: that can take long. */
static void note_lines(struct run *run)
{
	char *line = run->buf + run->noted, *newline;
	struct event_line event;
	u64 addr;

	run->stacks->round++;
	while ((newline = memchr(line, '\n', run->buf + run->len - line))) {
		*newline = '\0';
		if (printer_frame(line, &addr)) {
			stacks_note_frame(run->stacks, addr);
		} else if (event_line_parse(line, &event)) {
			stacks_note(run->stacks, &event);
			event_line_free(&event);
		}
		*newline = '\n';
		line = newline + 1;
	}
	run->noted = line - run->buf;
}

static bool holds(const struct run *run)
{
	return !run->runner.stop && run->len < HOLD_MAX && now_ms() < run->hold;
}

/* Read once what is available.  Return as read(). */
static ssize_t read_some(struct run *run)
{
	ssize_t n;
	int code;

	if (run->with_units) {
		n = units_read(&run->units);
		code = errno;
		if (!n || (n < 0 && code == EAGAIN))
			units_flush(&run->units);
		errno = code;
		return n;
	}
	if (run->cap - run->len < 32768) {
		run->cap = run->cap + 65536;
		run->buf = xreallocarray(run->buf, run->cap, 1);
	}
	n = read(run->pipe, run->buf + run->len, run->cap - run->len);
	if (n > 0)
		run->len += n;
	return n;
}

/* Read and handle the events that are available. */
static struct error *drain(struct run *run)
{
	struct error *err = NULL;
	ssize_t n;

	for (;;) {
		n = read_some(run);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		run->reads++;
		if (run->tasks.watching)
			task_watch_update(&run->tasks.watch);
		if (run->stacks)
			note_lines(run);
		if (holds(run))
			continue;
		if (!run->with_units)
			handle_lines(run);
		/* Stop at -M even if events arrive faster than we print them. */
		if (run->trace->options->max_events && run->runner.stop)
			break;
		if (fflush(run->trace->out)) {
			run->runner.stop = true;
			break;
		}
		/* Stop on a signal or at the deadline, even if events never end. */
		if (runner_signalled(&run->runner) || now_ms() >= run->until)
			break;
	}
	if (n < 0 && errno != EAGAIN)
		err = error_new(STATUS_RUNTIME,
				"trace_pipe cannot be read (%s); was the module unloaded?",
				strerror(errno));
	if (!run->with_units && !holds(run))
		handle_lines(run);
	printer_flush(&run->printer);
	fflush(run->trace->out);
	if (ferror(run->trace->out))
		run->runner.stop = true;
	return err;
}

static struct error *loop(struct run *run)
{
	struct pollfd fds[] = {
		{ .fd = run->pipe, .events = POLLIN },
		{ .fd = run->runner.signals, .events = POLLIN },
		/* If the reader of a pipe goes away, poll() reports an error. */
		{ .fd = fileno(run->trace->out) },
	};
	struct error *err = NULL;

	while (!run->runner.stop && !err) {
		int timeout = follow_timeout(&run->follow, runner_timeout(&run->runner)), n;

		if (run->runner.stop)
			break;
		if (run->noted && (timeout < 0 || timeout > HOLD))
			timeout = HOLD;
		n = poll(fds, ARRAY_SIZE(fds), timeout);
		if (n < 0 && errno != EINTR)
			return error_new(STATUS_RUNTIME,
					 "waiting for events failed (%s)",
					 strerror(errno));
		if (fds[1].revents)
			runner_handle(&run->runner);
		if (fds[2].revents)
			run->runner.stop = true;
		if ((fds[0].revents || run->noted) && !run->runner.stop)
			err = drain(run);
		if (!run->runner.stop && !err)
			trace_follow(run->trace, &run->follow);
	}
	return err;
}

/* Handle the events that are recorded already. */
static struct error *drain_all(struct run *run)
{
	struct trace *trace = run->trace;
	struct error *err = NULL;
	u64 seen;

	/* Without a session, other users share the pipe, and their events may never end. */
	run->until = trace->session >= 0 ? UINT64_MAX : now_ms() + LAST_READING;
	do {
		seen = run->reads;
		if (!run->runner.hurry && !ferror(trace->out))
			err = drain(run);
		runner_handle(&run->runner);
	} while (!err && !run->runner.hurry && !ferror(trace->out) &&
		 !trace->options->max_events && now_ms() < run->until &&
		 seen != run->reads);
	/* The last reading may have been broken off. */
	if (run->with_units && !run->runner.hurry)
		units_flush(&run->units);
	return err;
}

/* Remove all probes, and show what was recorded before that. */
static struct error *stop_probes(struct run *run)
{
	struct trace *trace = run->trace;
	struct error *err = NULL;

	if (trace->begins) {
		_cleanup_free_ char *file = xasprintf("events/%s/enable", trace->begins);

		error_free(control_session_write(trace->session, file, "0"));
		err = drain_all(run);
		trace->ending = true;
	}
	error_free(switch_all(trace, false));
	return err ? err : drain_all(run);
}

static struct error *run_probes(struct run *run)
{
	struct trace *trace = run->trace;
	struct missing missing = { 0 };
	struct paths files = { 0 };
	struct error *err = NULL;

	for (size_t i = 0; i < trace->filters.n && !err; i++) {
		const struct definition *def = &trace->defs[i];

		err = control_filter(trace->dir, trace->session,
				     trace_group(trace, def), def->event,
				     trace->filters.v[i]);
	}
	if (!err && trace->session < 0)
		err = control_pipe(trace->dir, &run->pipe);
	if (!err)
		err = switch_all(trace, true);
	if (err)
		return err;
	trace_files(trace, &files);
	readers_report(&run->tasks.except, &files);
	if (trace->session >= 0) {
		follow_begin(&run->follow, &files, trace->options);
		start_cost_report(&files, trace_places(trace), trace->options, &run->runner);
	}
	paths_free(&files);
	trace_banner(trace);
	fflush(trace->out);
	runner_release(&run->runner, trace->options->seconds);
	run->until = run->runner.deadline ? run->runner.deadline : UINT64_MAX;
	if (trace->options->command && trace->session >= 0 && run->stacks)
		run->hold = now_ms() + HOLD;
	if (run->hold > run->until)
		run->hold = run->until;
	err = loop(run);
	/* Afterwards, the probes are not there at all. */
	if (trace->session >= 0)
		missing_read(&missing, trace->session);
	if (err)
		error_free(switch_all(trace, false));
	else
		err = stop_probes(run);
	if (trace->finish)
		trace->finish(trace->data);
	fflush(trace->out);
	trace_summary(trace);
	/* Names of events that are not shown to the user are the helper's own. */
	missing_report(&missing, trace->handle ? NULL : missing.event);
	missing_free(&missing);
	return err;
}

/**
 * trace_run() - trace until the run has to stop
 * @trace: the run, with its events not yet defined
 *
 * Remove the events of the run however it ends, except by SIGKILL.
 */
struct error *trace_run(struct trace *trace)
{
	const struct options *options = trace->options;
	struct run run = {
		.trace = trace,
		.tasks = { .uid = -1 },
		.pipe = -1,
		.runner = RUNNER_INIT,
		.printer = {
			.out = trace->out,
			.json = options->json,
			.colored = output_colored(trace->out, options),
			.time = options->time,
			.long_lines = options->long_lines,
			.with_stacks = options->stacks,
			.string_max = options->string_max,
			.stacks.debug_dir = options->debug_dir ? options->debug_dir :
								   DEBUG_DIR,
		},
	};
	struct error *err;

	if (trace->session < 0 && options->buffer_kb)
		return error_new(STATUS_USAGE,
				 "this tracer has one buffer for all its users, so --buffer cannot give a run its own; leave it out, or: echo %llu > %s/buffer_size_kb",
				 (unsigned long long)options->buffer_kb, trace->dir);
	if (options->stacks)
		run.stacks = trace->stacks ? trace->stacks : &run.printer.stacks;
	readers_find(&run.tasks.except, options, fileno(trace->out));
	err = runner_open(&run.runner);
	if (!err && options->command)
		err = runner_start(&run.runner, options);
	if (trace->session < 0) {
		run.tasks.tid = options->tid;
		run.tasks.uid = options->uid;
		run.tasks.comm = options->comm;
	}
	if (!err && trace->session >= 0) {
		run.pipe = trace->session;
		run.units = (struct units) {
			.fd = trace->session, .data = &run,
			.hit = handle_hit, .lines = handle_text, .lost = handle_lost,
		};
		choose_units(&run);
		err = control_session_write(trace->session, "tracing_on", "0");
		if (!err)
			err = restrict_session(trace, run.runner.child,
					       &run.tasks.except);
	} else if (!err && options->command) {
		/* The child is a shell, which starts the command: watch its children, too. */
		task_watch_start(&run.tasks.watch, run.runner.child, true);
		run.tasks.watching = true;
	} else if (!err && options->pid) {
		task_watch_start(&run.tasks.watch, options->pid,
				 options->follow);
		run.tasks.watching = true;
	}
	if (!err && options->time == TIME_CLOCK &&
	    (trace->session < 0 || !control_session_clock(trace->session, &run.printer.ahead)))
		err = error_new(STATUS_RUNTIME,
				"the tracer in %s does not tell the time of the day; leave --time=clock out",
				trace->dir);
	trace->runner = &run.runner;
	if (!err)
		err = trace_define(trace);
	if (!err && !runner_stopped(&run.runner))
		err = run_probes(&run);
	else if (!err && trace->finish)
		trace->finish(trace->data);
	trace->runner = NULL;
	if (!err)
		err = runner_result(&run.runner, options->command);
	trace_remove(trace);
	runner_close(&run.runner);
	if (run.pipe >= 0 && run.pipe != trace->session)
		close(run.pipe);
	if (run.tasks.watching)
		task_watch_stop(&run.tasks.watch);
	follow_free(&run.follow);
	printer_free(&run.printer);
	units_free(&run.units);
	free(run.buf);
	return err;
}
