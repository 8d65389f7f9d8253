// SPDX-License-Identifier: GPL-2.0
/*
 * Create and remove the control directory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/pid_namespace.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "devices.h"
#include "directory.h"
#include "events_dir.h"
#include "files.h"
#include "options.h"
#include "percpu.h"
#include "trace/event/tracer.h"
#include "trace/output/callchain.h"
#include "trace/output/listen.h"
#include "trace/output/synth.h"

static struct tracer tracer;
static struct tracer_errlog errors;

static const struct {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
} files[] = {
	{ "uprobe_events", 0640, &tracer_events_fops },
	/* All events here are of one kind, so this is the same file. */
	{ "dynamic_events", 0640, &tracer_events_fops },
	{ "available_events", 0440, &tracer_available_fops },
	{ "set_event", 0640, &tracer_set_event_fops },
	{ "uprobe_profile", 0440, &tracer_profile_fops },
	{ "instrumentation", 0440, &tracer_instrumentation_fops },
	{ "jump", 0640, &tracer_jump_fops },
	{ "error_log", 0640, &tracer_error_log_fops },
	{ "tracing_on", 0640, &tracer_on_fops },
	{ "buffer_total_size_kb", 0440, &tracer_total_size_fops },
	{ "trace_options", 0640, &tracer_options_fops },
	{ "trace_clock", 0640, &tracer_clock_fops },
	{ "current_tracer", 0640, &tracer_current_fops },
	{ "available_tracers", 0440, &tracer_tracers_fops },
	{ "set_event_pid", 0640, &tracer_pids_fops },
	{ "set_event_notrace_pid", 0640, &tracer_notrace_pids_fops },
	{ "README", 0440, &tracer_readme_fops },
};

/* Files that exist per CPU, too. */
static const struct {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
} views[] = {
	{ "trace", 0640, &tracer_trace_fops },
	{ "trace_pipe", 0440, &tracer_pipe_fops },
	{ "buffer_size_kb", 0640, &tracer_size_fops },
};

static int make_files(struct tracer *t)
{
	struct dentry *file;
	unsigned int i;
	int ret;

	t->dir = debugfs_create_dir("uprobes", NULL);
	if (IS_ERR(t->dir))
		return PTR_ERR(t->dir);
	/* Create events/ first: a definition, once there is a file for it, needs this directory. */
	ret = tracer_events_dir_create(t);
	if (ret)
		return ret;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		file = debugfs_create_file(files[i].name, files[i].mode, t->dir,
					   t, files[i].fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	for (i = 0; i < ARRAY_SIZE(views); i++) {
		file = debugfs_create_file(views[i].name, views[i].mode, t->dir,
					   &t->view, views[i].fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	/* A proxy of debugfs would hide fdinfo.  The open file holds the module. */
	file = debugfs_create_file_unsafe("session", 0600, t->dir, t,
					  &tracer_session_fops);
	if (IS_ERR(file))
		return PTR_ERR(file);
	file = debugfs_create_file_unsafe("aggregate", 0640, t->dir, t,
					  &tracer_aggregate_fops);
	if (IS_ERR(file))
		return PTR_ERR(file);
	ret = tracer_percpu_init(t);
	if (!ret)
		ret = tracer_options_init(t);
	return ret;
}

/**
 * tracer_init() - create the control directory and the devices
 *
 * Without debugfs, there are the devices alone.  When this function returns 0, the files can be
 * opened, so loading must not fail any more.
 *
 * Context: module init.
 * Return: 0 or -errno.
 */
int tracer_init(void)
{
	struct tracer *t = &tracer;
	int ret;

	ret = tracer_listen_init();
	if (ret)
		return ret;
	tracer_errlog_init(&errors);
	ret = tracer_setup(t, TRACER_BUFFER_KB * 1024UL, &errors);
	if (ret) {
		tracer_listen_exit();
		return ret;
	}

	if (!debugfs_initialized())
		pr_warn("no control directory: debugfs is not available\n");
	else
		ret = make_files(t);
	if (ret)
		pr_err("the control directory cannot be made in debugfs (error %d)\n",
		       -ret);
	ret = ret ?: tracer_devices_create();
	if (ret) {
		if (IS_ERR(t->dir))
			t->dir = NULL;
		tracer_teardown(t);
		tracer_listen_exit();
		t->dir = NULL;
		return ret;
	}
	WRITE_ONCE(tracer_ready, t);
	return 0;
}

/**
 * tracer_exit() - remove the control directory and its tracer
 *
 * Context: module exit.  No file of the directory is open.
 */
void tracer_exit(void)
{
	tracer_callchain_exit();
	if (!tracer_ready)
		return;
	tracer_devices_remove();
	tracer_teardown(&tracer);
	tracer_synth_exit();
	tracer_listen_exit();
	tracer_errlog_clear(&errors);
}
