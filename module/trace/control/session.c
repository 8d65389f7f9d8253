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
#include "options.h"
#include "reader.h"
#include "trace/event/define.h"
#include "trace/event/enable.h"
#include "trace/event/filtering.h"
#include "trace/event/group.h"
#include "trace/event/index.h"
#include "trace/event/pids.h"
#include "trace/event/tracer.h"
#include "trace/event/tasks.h"
#include "trace/lib/space.h"

/**
 * struct session - an open session
 * @t: its tracer
 * @reader: reads its events
 */
struct session {
	struct tracer t;
	struct tracer_reader *reader;
};

static int parse_switch(const char *value, bool *on)
{
	if (strcmp(value, "0") && strcmp(value, "1"))
		return -EINVAL;
	*on = *value == '1';
	return 0;
}

static int set_event_file(struct tracer *t, struct tracer_event *event,
			  const char *file, const char *value)
{
	unsigned int limit;
	bool on;
	int ret;

	if (!strcmp(file, "filter"))
		return tracer_event_set_filter(t, event, value, strlen(value));
	if (!strcmp(file, "rate_limit")) {
		ret = kstrtouint(value, 10, &limit);
		if (!ret)
			WRITE_ONCE(event->rate.limit, limit);
		return ret;
	}
	if (strcmp(file, "enable"))
		return -ENOENT;
	ret = parse_switch(value, &on);
	return ret ?: tracer_event_switch(t, event, on);
}

/* Enable or disable all events, or those of a group. */
static int set_enable(struct tracer *t, const char *group_name, const char *value)
{
	struct tracer_group *group = NULL;
	bool on;
	int ret;

	ret = parse_switch(value, &on);
	if (ret)
		return ret;
	if (group_name) {
		group = tracer_group_find(t, group_name);
		if (!group)
			return -ENOENT;
	}
	return tracer_events_switch(t, group, on);
}

/* Handle GROUP/EVENT/FILE or GROUP/enable. */
static int set_event(struct tracer *t, char *name, const char *value)
{
	char *event_name = strchr(name, '/'), *file;
	struct tracer_event *event;
	int ret;

	if (!event_name)
		return -ENOENT;
	*event_name++ = '\0';
	file = strchr(event_name, '/');
	if (!file && !strcmp(event_name, "enable"))
		return set_enable(t, name, value);
	if (!file)
		return -ENOENT;
	*file++ = '\0';
	mutex_lock(&t->lock);
	event = tracer_event_find(t, name, event_name);
	ret = event ? set_event_file(t, event, file, value) : -ENOENT;
	mutex_unlock(&t->lock);
	return ret;
}

static int set_pids(struct tracer *t, enum tracer_pids_which which,
		    const char *value)
{
	int ret;

	mutex_lock(&t->lock);
	ret = tracer_pids_add(&t->pids, which, value);
	mutex_unlock(&t->lock);
	return ret;
}

/* Refuse changes once events exist: handlers and process filters read @t->tasks without a lock. */
static int set_whose(struct tracer *t, bool only, const char *value)
{
	if (!list_empty(&t->events))
		return -EBUSY;
	return only ? tracer_tasks_only(&t->tasks, value) :
		      tracer_tasks_except(&t->tasks, value);
}

static int set_size(struct tracer *t, const char *value)
{
	unsigned int kb;
	int ret = kstrtouint(value, 10, &kb);

	if (ret || !kb)
		return -EINVAL;
	return tracer_buffer_resize(&t->buffer, kb * 1024UL, TRACER_ALL_CPUS);
}

static int set_file(struct tracer *t, char *file, const char *value)
{
	bool on;
	int ret;

	if (!strcmp(file, "events/enable"))
		return set_enable(t, NULL, value);
	if (!strncmp(file, "events/", 7))
		return set_event(t, file + 7, value);
	if (!strcmp(file, "set_event_pid"))
		return set_pids(t, TRACER_PIDS_ONLY, value);
	if (!strcmp(file, "set_event_notrace_pid"))
		return set_pids(t, TRACER_PIDS_NEVER, value);
	if (!strcmp(file, "only") || !strcmp(file, "except"))
		return set_whose(t, *file == 'o', value);
	if (!strcmp(file, "buffer_size_kb"))
		return set_size(t, value);

	ret = parse_switch(value, &on);
	if (!strncmp(file, "options/", 8))
		return ret ?: tracer_option_set(t, file + 8, on);
	if (strcmp(file, "tracing_on"))
		return -ENOENT;
	if (!ret) {
		WRITE_ONCE(t->buffer.on, on);
		wake_up_all(&t->buffer.wait);
	}
	return ret;
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
	filter = last && !strcmp(last, "/filter");
	ret = set_file(t, file, value);
	/* The error in a filter is logged already. */
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
