/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The filters of events.
 */
#ifndef _TRACER_FILTERING_H
#define _TRACER_FILTERING_H

#include "event_types.h"

int tracer_event_set_filter(struct tracer *t, struct tracer_event *event,
			    const char *text, size_t len);
void tracer_event_drop_filter(struct tracer_event *event);
int tracer_group_set_filter(struct tracer *t, const struct tracer_group *group,
			    const char *text, size_t len);

#endif /* _TRACER_FILTERING_H */
