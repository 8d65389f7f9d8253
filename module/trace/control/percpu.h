/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sizes of the buffer, and per_cpu/.
 */
#ifndef _TRACER_PERCPU_H
#define _TRACER_PERCPU_H

#include "trace/event/event_types.h"

int tracer_percpu_init(struct tracer *t);

#endif /* _TRACER_PERCPU_H */
