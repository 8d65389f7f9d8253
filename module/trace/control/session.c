// SPDX-License-Identifier: GPL-2.0
/*
 * The file "session": each opening of it is a tracer of its own.
 *
 * An event that is defined in a session is enabled at once, and lives until the file is closed for
 * the last time.  So if a tool is killed, nothing of its session is left.  A read returns the
 * records of the session, like trace_pipe.  The hits and misses of its probes are in the
 * descriptor's /proc/PID/fdinfo.  A session does not see other sessions, nor the events of the
 * directory.  The ids in its records are those of the pid namespace of the task that opened it.
 *
 * Each line that is written is a definition, as for uprobe_events, or one of
 *
 *	FILE VALUE	has the effect of writing VALUE to FILE of the directory, for
 *			this session: tracing_on, buffer_size_kb,
 *			set_event_pid, set_event_notrace_pid, options/NAME,
 *			events/GROUP/EVENT/{enable,filter,rate_limit},
 *			events/GROUP/enable, events/enable
 *
 *	binary 1	has reads return units (uprobes/units.h) instead of lines; allowed before
 *			the first definition
 *
 *	only WHAT VALUE, except PID
 *			selects the tasks whose hits are recorded (tasks.h); allowed before
 *			the first definition
 *
 * Successive definitions of one write are registered together: before the next line of another
 * kind, or at the end of the write.
 */
#include <linux/debugfs.h>
#include <linux/pid_namespace.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/trace_clock.h>

#include "control.h"
#include "files.h"
#include "reader.h"
#include "units.h"
#include "trace/event/define.h"
#include "trace/event/enable.h"
#include "trace/event/group.h"
#include "trace/event/index.h"
#include "trace/event/pids.h"
#include "trace/event/tracer.h"
#include "trace/event/tasks.h"
#include "trace/lib/space.h"
#include "trace/parse/filter.h"

/**
 * struct session - an open session
 * @t: its tracer
 * @reader: reads its events
 */
struct session {
	struct tracer t;
	struct tracer_reader *reader;
};

/* Write @value to the file @name of @files, which are about @of. */
static int set_one(const struct tracer_file *files, void *of, const char *name, char *value)
{
	struct tracer_opened f = { .row = tracer_file_of_session(files, name), .of = of };

	return f.row ? f.row->store(&f, value) : -ENOENT;
}

/* Handle enable, GROUP/enable or GROUP/EVENT/FILE. */
static int set_event(struct tracer *t, char *name, char *value)
{
	char *event_name = strchr(name, '/'), *file;
	struct tracer_group *group;
	struct tracer_event *event;

	if (!event_name)
		return set_one(tracer_all_events_files, t, name, value);
	*event_name++ = '\0';
	file = strchr(event_name, '/');
	if (!file) {
		group = tracer_group_find(t, name);
		return group ? set_one(tracer_group_files, group, event_name, value) : -ENOENT;
	}
	*file++ = '\0';
	event = tracer_event_find(t, name, event_name);
	return event ? set_one(tracer_event_files, event, file, value) : -ENOENT;
}

/* Unlike the file of the directory, a session takes only 0 and 1. */
static int set_on(struct tracer *t, const char *value)
{
	bool on;
	int ret = tracer_switch_parse(value, &on);

	if (ret)
		return ret;
	WRITE_ONCE(t->buffer.on, on);
	wake_up_all(&t->buffer.wait);
	return 0;
}

/* Refuse changes once events exist: handlers and process filters read @t->tasks without a lock. */
static int set_whose(struct tracer *t, bool only, const char *value)
{
	if (!list_empty(&t->events))
		return -EBUSY;
	return only ? tracer_tasks_only(&t->tasks, value) :
		      tracer_tasks_except(&t->tasks, value);
}

/* Refuse changes once there may be records: a reader may have read a part of one. */
static int set_binary(struct tracer *t, const char *value)
{
	bool on;
	int ret = tracer_switch_parse(value, &on);

	if (ret)
		return ret;
	if (!idr_is_empty(&t->formats.by_id))
		return -EBUSY;
	WRITE_ONCE(t->units, on);
	return 0;
}

static int set_file(struct tracer *t, char *file, char *value)
{
	int ret;

	if (!strncmp(file, "events/", 7))
		return set_event(t, file + 7, value);
	if (!strncmp(file, "options/", 8))
		return set_one(tracer_option_files, t, file + 8, value);
	if (!strcmp(file, "only") || !strcmp(file, "except"))
		return set_whose(t, *file == 'o', value);
	if (!strcmp(file, "tracing_on"))
		return set_on(t, value);
	if (!strcmp(file, "binary"))
		return set_binary(t, value);
	ret = set_one(tracer_size_files, t, file, value);
	return ret == -ENOENT ? set_one(tracer_knob_files, t, file, value) : ret;
}

/* Check for a definition (p, r, - or !) or a comment ('#'); any other line names a file. */
static bool is_definition(const char *line, size_t len)
{
	while (len && tracer_is_space(*line)) {
		line++;
		len--;
	}
	return !len || *line == '#' || *line == '!' ||
	       (strchr("pr-", *line) &&
		(len == 1 || line[1] == ':' || tracer_is_space(line[1])));
}

static int session_line(struct tracer *t, const char *line, size_t len,
			unsigned int lineno)
{
	struct tracer_diag diag = { .err = TRACER_ERR_SESSION_LINE };
	char *buf, *file, *value, *last;
	bool filter;
	int ret;

	if (is_definition(line, len) || len > TRACER_LINE_MAX ||
	    memchr(line, '\0', len))
		return tracer_define(t, line, len, lineno);
	ret = tracer_start(t);
	if (ret)
		return ret;
	buf = kmemdup_nul(line, len, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	file = tracer_trim(buf);
	value = file + strcspn(file, " \t");
	if (*value)
		*value++ = '\0';
	value = tracer_skip_space(value);
	last = strrchr(file, '/');
	filter = last && !strcmp(last, "/filter") && strlen(value) <= TRACER_FILTER_MAX + 1;
	ret = set_file(t, file, value);
	/* The error in a filter is logged already, unless the filter is too long to be parsed. */
	if (ret == -ENOENT || (ret && !filter))
		tracer_errlog_add(t->errors, line, len, lineno, &diag);
	kfree(buf);
	return ret;
}

static int session_open(struct inode *inode, struct file *file)
{
	struct tracer *directory = tracer_of(inode);
	int ret = tracer_files_allowed(inode);
	struct session *s;

	if (ret)
		return ret;
	s = kzalloc(sizeof(*s), GFP_KERNEL);
	if (!s)
		return -ENOMEM;
	ret = tracer_setup(&s->t, TRACER_SESSION_KB * 1024UL,
			   directory->errors);
	if (ret)
		goto free_session;
	s->t.live = true;
	s->t.ns = tracer_pids_ns();
	if (s->t.ns)
		get_pid_ns(s->t.ns);
	s->reader = tracer_reader_create(&s->t.view, true);
	if (!s->reader) {
		ret = -ENOMEM;
		goto teardown;
	}
	file->private_data = s;
	return stream_open(inode, file);

teardown:
	tracer_teardown(&s->t);
free_session:
	kfree(s);
	return ret;
}

static int session_release(struct inode *inode, struct file *file)
{
	struct session *s = file->private_data;

	tracer_reader_free(s->reader);
	tracer_teardown(&s->t);
	kfree(s);
	return 0;
}

static ssize_t session_write(struct file *file, const char __user *ubuf,
			     size_t count, loff_t *ppos)
{
	struct session *s = file->private_data;

	return tracer_write_lines(&s->t, ubuf, count, session_line);
}

static ssize_t session_read(struct file *file, char __user *ubuf, size_t count,
			    loff_t *ppos)
{
	struct session *s = file->private_data;

	if (READ_ONCE(s->t.units))
		return tracer_units_read(s->reader, file->f_flags & O_NONBLOCK, ubuf, count);
	return tracer_reader_read(s->reader, file->f_flags & O_NONBLOCK, ubuf,
				  count);
}

static __poll_t session_poll(struct file *file, poll_table *wait)
{
	struct session *s = file->private_data;

	return tracer_reader_poll(s->reader, file, wait) | EPOLLOUT |
	       EPOLLWRNORM;
}

#ifdef CONFIG_PROC_FS
/* Show hits and misses, as uprobe_profile does for the directory, and the dropped hits. */
static void session_fdinfo(struct seq_file *m, struct file *file)
{
	static const char * const reasons[TRACER_DROPS] = {
		[TRACER_DROP_PID] = "pid",
		[TRACER_DROP_TID] = "tid",
		[TRACER_DROP_UID] = "uid",
		[TRACER_DROP_COMM] = "comm",
		[TRACER_DROP_EXCEPT] = "except",
		[TRACER_DROP_LISTS] = "set_event_pid",
		[TRACER_DROP_OFF] = "tracing_on",
		[TRACER_DROP_FILTER] = "filter",
	};
	struct session *s = file->private_data;
	u64 local, real;
	unsigned int i;

	tracer_profile_show(&s->t, m, "probe:");
	/* The clock of records, and the time of the day, at one moment. */
	preempt_disable();
	local = trace_clock_local();
	real = ktime_get_real_ns();
	preempt_enable();
	seq_printf(m, "clock: %llu %llu\n", local, real);
	seq_printf(m, "binary: %d\n", READ_ONCE(s->t.units));
	for (i = TRACER_DROP_NOT + 1; i < TRACER_DROPS; i++)
		seq_printf(m, "dropped: %s %llu\n", reasons[i],
			   tracer_buffer_drops(&s->t.buffer, i));
}
#endif

const struct file_operations tracer_session_fops = {
	.owner = THIS_MODULE,
	.open = session_open,
	.read = session_read,
	.write = session_write,
	.poll = session_poll,
	.release = session_release,
#ifdef CONFIG_PROC_FS
	.show_fdinfo = session_fdinfo,
#endif
};
