/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The directory events/.
 */
#ifndef _TRACER_EVENTS_DIR_H
#define _TRACER_EVENTS_DIR_H

#include "trace/event/event_types.h"

int tracer_events_dir_create(struct tracer *t);

#endif /* _TRACER_EVENTS_DIR_H */
