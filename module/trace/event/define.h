/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Define and remove events.
 */
#ifndef _TRACER_DEFINE_H
#define _TRACER_DEFINE_H

#include "event_types.h"

int tracer_define(struct tracer *t, const char *line, size_t len, unsigned int lineno);
int tracer_remove_all(struct tracer *t);

#endif /* _TRACER_DEFINE_H */
