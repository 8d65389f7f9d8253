/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The conditions on registers that an event's filter implies.
 */
#ifndef _TRACER_CONDITIONS_H
#define _TRACER_CONDITIONS_H

#include "event_types.h"

void tracer_site_conditions(struct tracer_site *site);

#endif /* _TRACER_CONDITIONS_H */
