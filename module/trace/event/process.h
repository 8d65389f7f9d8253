/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes on one process.
 */
#ifndef _TRACER_PROCESS_H
#define _TRACER_PROCESS_H

#include "event_types.h"

struct pid *tracer_process_find(const char *path);
int tracer_site_aim(struct tracer_site *site);

#endif /* _TRACER_PROCESS_H */
