/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The formats of the records of events.
 */
#ifndef _TRACER_FORMAT_H
#define _TRACER_FORMAT_H

#include "event_types.h"

struct tracer_format *tracer_format_create(struct tracer *t,
					   struct tracer_def *def);
void tracer_format_discard(struct tracer *t, struct tracer_format *format);
void tracer_format_release(struct tracer *t, struct tracer_format *format);
void tracer_formats_prune(struct tracer *t);

#endif /* _TRACER_FORMAT_H */
