// SPDX-License-Identifier: GPL-2.0
/*
 * Set up and tear down a tracer.
 */
#include <linux/debugfs.h>
#include <linux/pid_namespace.h>
#include <linux/slab.h>

#include "tracer.h"
#include "blocks.h"
#include "define.h"
#include "enable.h"
#include "format.h"
#include "index.h"
#include "pids.h"
#include "tasks.h"

/**
 * tracer_setup() - set up a tracer without a directory
 * @t: the tracer, zeroed
 * @buffer_size: size of its buffer, in bytes per CPU
 * @errors: log for its errors
 *
 * Return: 0 or -ENOMEM.
 */
int tracer_setup(struct tracer *t, unsigned long buffer_size,
		 struct tracer_errlog *errors)
{
	int ret;

	mutex_init(&t->define);
	mutex_init(&t->lock);
	INIT_LIST_HEAD(&t->events);
	INIT_LIST_HEAD(&t->groups);
	INIT_LIST_HEAD(&t->starting);
	init_rwsem(&t->formats.sem);
	idr_init(&t->formats.by_id);
	INIT_LIST_HEAD(&t->formats.forgotten);
	t->errors = errors;
	t->options = TRACER_OPTIONS_DEFAULT;
	t->view.t = t;
	tracer_blocks_init(t);
	t->view.cpu = TRACER_ALL_CPUS;
	ret = tracer_index_init(t);
	if (ret)
		return ret;
	ret = tracer_buffer_init(&t->buffer, buffer_size);
	if (ret)
		tracer_index_destroy(t);
	return ret;
}

/**
 * tracer_teardown() - unregister all probes of a tracer, and free its resources
 * @t: the tracer; no file of it is open
 */
void tracer_teardown(struct tracer *t)
{
	unsigned int i;

	tracer_events_switch(t, NULL, false);
	tracer_remove_all(t);
	tracer_formats_prune(t);
	debugfs_remove(t->dirs.dir);
	mutex_lock(&t->lock);
	if (t->no_rings)
		uprobes_disable_rings(false);
	t->no_rings = false;
	for (i = 0; i < TRACER_PIDS_LISTS; i++) {
		tracer_pids_follow(&t->pids[i], false);
		tracer_pids_clear(&t->pids[i]);
	}
	mutex_unlock(&t->lock);
	tracer_tasks_release(&t->tasks);
	if (t->ns)
		put_pid_ns(t->ns);
	idr_destroy(&t->formats.by_id);
	tracer_index_destroy(t);
	tracer_buffer_destroy(&t->buffer);
	kfree(t->dirs.cpus);
	mutex_destroy(&t->lock);
	mutex_destroy(&t->define);
}
