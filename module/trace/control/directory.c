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

static int make_files(struct tracer *t)
{
	struct dentry *file;
	int ret;

	ret = tracer_dir_create("uprobes", NULL, t, tracer_knob_files, &t->dirs.dir);
	/* A definition, once its file can be opened, needs events/. */
	ret = ret ?: tracer_events_dir_create(t);
	ret = ret ?: tracer_files_create(t->dirs.dir, tracer_definition_files);
	ret = ret ?: tracer_files_create(t->dirs.dir, tracer_choice_files);
	ret = ret ?: tracer_files_create(t->dirs.dir, tracer_size_files);
	ret = ret ?: tracer_percpu_init(t);
	ret = ret ?: tracer_options_init(t);
	if (ret)
		return ret;
	file = debugfs_create_file("error_log", 0640, t->dirs.dir, t, &tracer_error_log_fops);
	if (IS_ERR(file))
		return PTR_ERR(file);
	/* A proxy of debugfs would hide fdinfo.  The open file holds the module. */
	file = debugfs_create_file_unsafe("session", 0600, t->dirs.dir, t,
					  &tracer_session_fops);
	if (IS_ERR(file))
		return PTR_ERR(file);
	file = debugfs_create_file_unsafe("aggregate", 0640, t->dirs.dir, t,
					  &tracer_aggregate_fops);
	return PTR_ERR_OR_ZERO(file);
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
		tracer_teardown(t);
		tracer_listen_exit();
		t->dirs.dir = NULL;
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
