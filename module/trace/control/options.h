/* SPDX-License-Identifier: GPL-2.0 */
/*
 * trace_options, and options/ with a file for each option.
 */
#ifndef _TRACER_OPTIONS_H
#define _TRACER_OPTIONS_H

#include "trace/event/event_types.h"

int tracer_options_init(struct tracer *t);

#endif /* _TRACER_OPTIONS_H */
