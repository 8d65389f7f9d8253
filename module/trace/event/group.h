/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups of events.
 */
#ifndef _TRACER_GROUP_H
#define _TRACER_GROUP_H

#include "event_types.h"

int tracer_group_add(struct tracer *t, const char *name, struct tracer_group **group);
struct tracer_group *tracer_group_find(struct tracer *t, const char *name);
void tracer_group_remove(struct tracer_group *group);

#endif /* _TRACER_GROUP_H */
