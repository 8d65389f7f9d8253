/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Set up a tracer, and free what it has.  event_types.h has its structures and its locks.
 */
#ifndef _TRACER_TRACER_H
#define _TRACER_TRACER_H

#include "event_types.h"

int tracer_setup(struct tracer *t, unsigned long buffer_size, struct tracer_errlog *errors);
void tracer_teardown(struct tracer *t);

#endif /* _TRACER_TRACER_H */
