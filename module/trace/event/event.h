/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Create and free events.
 */
#ifndef _TRACER_EVENT_H
#define _TRACER_EVENT_H

#include "event_types.h"

struct tracer_event *tracer_event_create(struct tracer *t, struct tracer_def *def,
					 struct tracer_diag *diag);
void tracer_event_destroy(struct tracer *t, struct tracer_event *event);
void tracer_site_discard(struct tracer *t, struct tracer_site *site);

#endif /* _TRACER_EVENT_H */
