// SPDX-License-Identifier: GPL-2.0
/*
 * The file events/GROUP/EVENT/synthetic: publishing an event.
 */
#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/uaccess.h>

#include "trace/control/files.h"
#include "trace/output/synth.h"
#include "tracer.h"

/**
 * tracer_event_publish() - publish an event, or stop it
 * @t: the tracer
 * @event: the event
 * @on: which
 *
 * Context: under @t->lock.
 * Return: 0, or -errno; -EBUSY when the synthetic event is in use: it stays,
 * but nothing happens in it any more.
 */
int tracer_event_publish(struct tracer *t, struct tracer_event *event, bool on)
{
	struct tracer_synth *synth;

	lockdep_assert_held(&t->lock);

	synth = rcu_dereference_protected(event->synth, true);
	if (on == !!synth)
		return 0;
	if (on) {
		synth = tracer_synth_create(event->format->def);
		if (IS_ERR(synth))
			return PTR_ERR(synth);
		rcu_assign_pointer(event->synth, synth);
		return 0;
	}
	RCU_INIT_POINTER(event->synth, NULL);
	synchronize_rcu();
	return tracer_synth_delete(synth, event->format->def);
}

static ssize_t synthetic_read(struct file *file, char __user *ubuf,
			      size_t count, loff_t *ppos)
{
	struct tracer_event *event = file->private_data;

	return tracer_switch_read(ubuf, count, ppos,
				  rcu_access_pointer(event->synth));
}

static ssize_t synthetic_write(struct file *file, const char __user *ubuf,
			       size_t count, loff_t *ppos)
{
	return tracer_event_switch_write(file, ubuf, count, ppos, tracer_event_publish);
}

const struct file_operations tracer_event_synthetic_fops = {
	.owner = THIS_MODULE,
	.open = tracer_private_open,
	.read = synthetic_read,
	.write = synthetic_write,
	.llseek = default_llseek,
};
