/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Putting the probes of events in place.
 */
#ifndef _TRACER_ENABLE_H
#define _TRACER_ENABLE_H

#include "tracer.h"

/**
 * struct tracer_choice - which events are meant; all of these have to be true of them
 * @group: the group; NULL for any, as below
 * @event: the event
 * @group_name: what its group is called
 * @event_name: what it is called
 * @either: what one of the two is called
 */
struct tracer_choice {
	const struct tracer_group *group;
	const struct tracer_event *event;
	const char *group_name;
	const char *event_name;
	const char *either;
};

int tracer_event_switch(struct tracer *t, struct tracer_event *event, bool on);
int tracer_events_switch(struct tracer *t, const struct tracer_group *group,
			 bool on);
int tracer_events_choose(struct tracer *t, const struct tracer_choice *choice, bool on);
void tracer_unlinked_disable(struct tracer *t, struct list_head *events,
			     struct list_head *sites);
int tracer_start(struct tracer *t);

#endif /* _TRACER_ENABLE_H */
