/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Register the probes of events.
 */
#ifndef _TRACER_ENABLE_H
#define _TRACER_ENABLE_H

#include "event_types.h"

/**
 * struct tracer_choice - selects the events for which all of these conditions are true
 * @group: this group; NULL for any, as for the other fields
 * @event: this event
 * @group_name: the group has this name
 * @event_name: the event has this name
 * @either: the group or the event has this name
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
