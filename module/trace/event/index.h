/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables to look up events and sites.
 */
#ifndef _TRACER_INDEX_H
#define _TRACER_INDEX_H

#include "event_types.h"

int tracer_index_init(struct tracer *t);
void tracer_index_destroy(struct tracer *t);
struct tracer_event *tracer_event_find(struct tracer *t, const char *group,
				       const char *name);
int tracer_index_add_event(struct tracer *t, struct tracer_event *event);
void tracer_index_del_event(struct tracer *t, struct tracer_event *event);
int tracer_index_add_site(struct tracer *t, struct tracer_site *site);
void tracer_index_del_site(struct tracer *t, struct tracer_site *site);

#endif /* _TRACER_INDEX_H */
