/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One probe of an event.
 */
#ifndef _TRACER_SITE_H
#define _TRACER_SITE_H

#include "event_types.h"

struct file *tracer_file_open(const char *path, struct file *last);
struct tracer_site *tracer_site_create(struct tracer *t, struct tracer_def *def,
				       struct tracer_diag *diag);
void tracer_site_destroy(struct tracer_site *site);
int tracer_site_register(struct tracer_site *site, struct tracer_diag *diag);
void tracer_site_unregister(struct tracer_site *site);

#endif /* _TRACER_SITE_H */
