// SPDX-License-Identifier: GPL-2.0
/*
 * The tracer's coming and going.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/printk.h>

#include "trace.h"

static struct tracer tracer;

static const struct {
	const char *name;
	umode_t mode;
	const struct file_operations *fops;
} files[] = {
	{ "uprobe_events", 0640, &tracer_events_fops },
	{ "uprobe_profile", 0440, &tracer_profile_fops },
	{ "error_log", 0640, &tracer_error_log_fops },
	{ "tracing_on", 0640, &tracer_on_fops },
	{ "buffer_size_kb", 0640, &tracer_size_fops },
	{ "trace", 0640, &tracer_trace_fops },
	{ "trace_pipe", 0440, &tracer_pipe_fops },
	{ "README", 0440, &tracer_readme_fops },
};

static int make_files(struct tracer *t)
{
	struct dentry *file;
	unsigned int i;

	t->dir = debugfs_create_dir("uprobes", NULL);
	if (IS_ERR(t->dir))
		return PTR_ERR(t->dir);
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		file = debugfs_create_file(files[i].name, files[i].mode, t->dir,
					   t, files[i].fops);
		if (IS_ERR(file))
			return PTR_ERR(file);
	}
	return tracer_dirs_init(t);
}

/**
 * tracer_init() - make the control directory
 *
 * Without debugfs there is none, and the module serves its kernel clients
 * alone.
 *
 * Context: module init.
 * Return: 0 or -errno.
 */
int tracer_init(void)
{
	struct tracer *t = &tracer;
	int ret;

	if (!debugfs_initialized()) {
		pr_warn("no control directory: debugfs is not available\n");
		return 0;
	}

	mutex_init(&t->define);
	mutex_init(&t->lock);
	INIT_LIST_HEAD(&t->events);
	INIT_LIST_HEAD(&t->groups);
	init_rwsem(&t->formats_sem);
	idr_init(&t->formats);
	INIT_LIST_HEAD(&t->forgotten);
	tracer_errlog_init(&t->errors);
	ret = tracer_buffer_init(&t->buffer);
	if (ret)
		return ret;

	ret = make_files(t);
	if (ret) {
		pr_err("the control directory cannot be made in debugfs (error %d)\n",
		       -ret);
		if (!IS_ERR(t->dir))
			debugfs_remove(t->dir);
		tracer_buffer_destroy(&t->buffer);
		t->dir = NULL;
	}
	return ret;
}

/**
 * tracer_exit() - remove the control directory and all that it controls
 *
 * Context: module exit.  No file of the directory is open.
 */
void tracer_exit(void)
{
	struct tracer *t = &tracer;
	struct tracer_event *event;

	if (!t->dir)
		return;

	mutex_lock(&t->lock);
	list_for_each_entry(event, &t->events, node)
		tracer_event_disable(t, event);
	mutex_unlock(&t->lock);
	tracer_remove_all(t);
	tracer_formats_forget(t);
	debugfs_remove(t->dir);
	idr_destroy(&t->formats);
	tracer_errlog_clear(&t->errors);
	tracer_buffer_destroy(&t->buffer);
}
