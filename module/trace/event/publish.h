/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Publish an event as a synthetic event.
 */
#ifndef _TRACER_PUBLISH_H
#define _TRACER_PUBLISH_H

#include "event_types.h"

int tracer_event_publish(struct tracer *t, struct tracer_event *event, bool on);

#endif /* _TRACER_PUBLISH_H */
