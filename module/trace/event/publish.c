// SPDX-License-Identifier: GPL-2.0
/*
 * Publishing an event as a synthetic event.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>

#include "publish.h"
#include "trace/output/synth.h"

/**
 * tracer_event_publish() - publish an event, or stop publishing it
 * @t: the tracer
 * @event: the event
 * @on: true to publish it
 *
 * Context: under @t->lock.
 * Return: 0, or -errno; -EBUSY if the synthetic event is in use: it stays,
 * but does not get hits any more.
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
		/* Its readers take their own time of a hit, and the registers. */
		uprobes_disable_rings(true);
		rcu_assign_pointer(event->synth, synth);
		return 0;
	}
	RCU_INIT_POINTER(event->synth, NULL);
	synchronize_rcu();
	uprobes_disable_rings(false);
	return tracer_synth_delete(synth, event->format->def);
}
